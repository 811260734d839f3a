#include "daemon/fast_path.h"

#include <linux/fuse.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "daemon/exported_files.h"
#include "daemon/volume_io.h"

namespace volt {
namespace {

// A failed reply has nobody to be reported to: the request was aborted or the volume unmounted.
void reply(int fuse_fd, std::uint64_t unique, int error, const void* data,
           std::size_t bytes) noexcept {
  fuse_out_header header{};
  header.len = static_cast<std::uint32_t>(sizeof header + bytes);
  header.error = error;
  header.unique = unique;
  const std::array<struct iovec, 2> parts = {
      {{&header, sizeof header}, {const_cast<void*>(data), bytes}}};
  const ssize_t written = ::writev(fuse_fd, parts.data(), bytes == 0 ? 1 : 2);
  static_cast<void>(written);
}

void serve_read(ServedVolume& volume, int fuse_fd, RequestBuffer& buffer,
                std::uint64_t unique) noexcept {
  fuse_read_in request{};
  std::memcpy(&request, buffer.request() + sizeof(fuse_in_header), sizeof request);
  const std::size_t size = std::min<std::size_t>(request.size, max_request_bytes);
  const std::int64_t done = read_volume(volume, request.offset, {buffer.payload(), size});
  if (done < 0) {
    reply(fuse_fd, unique, static_cast<int>(done), nullptr, 0);
  } else {
    reply(fuse_fd, unique, 0, buffer.payload(), static_cast<std::size_t>(done));
  }
}

void serve_write(ServedVolume& volume, int fuse_fd, RequestBuffer& buffer, std::uint64_t unique,
                 std::size_t payload_bytes) noexcept {
  fuse_write_in request{};
  std::memcpy(&request, buffer.request() + sizeof(fuse_in_header), sizeof request);
  const std::size_t size = std::min<std::size_t>(request.size, payload_bytes);
  const std::int64_t done = write_volume(volume, request.offset, {buffer.payload(), size});
  if (done < 0) {
    reply(fuse_fd, unique, static_cast<int>(done), nullptr, 0);
    return;
  }
  fuse_write_out result{};
  result.size = static_cast<std::uint32_t>(done);
  reply(fuse_fd, unique, 0, &result, sizeof result);
}

}  // namespace

Result<RequestBuffer> RequestBuffer::create() {
  static_assert(header_bytes == sizeof(fuse_in_header) + sizeof(fuse_write_in));
  static_assert(header_bytes == sizeof(fuse_in_header) + sizeof(fuse_read_in));
  auto memory = SecureBuffer::create(payload_offset + max_request_bytes);
  if (!memory) return memory.error();
  return RequestBuffer(std::move(*memory));
}

bool serve_fast(ServedVolume& volume, int fuse_fd, RequestBuffer& buffer,
                std::size_t length) noexcept {
  fuse_in_header header{};
  if (length < sizeof header) return false;
  std::memcpy(&header, buffer.request(), sizeof header);
  if (header.opcode == FUSE_INTERRUPT) return true;
  if (header.nodeid != volume_file) return false;
  if (header.opcode == FUSE_READ && length >= sizeof header + sizeof(fuse_read_in)) {
    serve_read(volume, fuse_fd, buffer, header.unique);
    return true;
  }
  if (header.opcode == FUSE_WRITE && length >= sizeof header + sizeof(fuse_write_in)) {
    serve_write(volume, fuse_fd, buffer, header.unique,
                length - sizeof header - sizeof(fuse_write_in));
    return true;
  }
  return false;
}

}  // namespace volt
