#include "daemon/fast_path.h"

#include <linux/fuse.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "daemon/exported_files.h"

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

}  // namespace

// The data of a write begins on a page only if the headers fill their room.
static_assert(RequestBuffer::header_bytes == sizeof(fuse_in_header) + sizeof(fuse_write_in));
static_assert(RequestBuffer::header_bytes == sizeof(fuse_in_header) + sizeof(fuse_read_in));

bool parse_volume_request(RequestBuffer& buffer, std::size_t length,
                          VolumeRequest* request) noexcept {
  fuse_in_header header{};
  if (length < sizeof header) return false;
  std::memcpy(&header, buffer.request(), sizeof header);
  if (header.nodeid != volume_file) return false;
  request->unique = header.unique;
  if (header.opcode == FUSE_READ && length >= sizeof header + sizeof(fuse_read_in)) {
    fuse_read_in read{};
    std::memcpy(&read, buffer.request() + sizeof header, sizeof read);
    request->write = false;
    request->offset = read.offset;
    request->data = {buffer.payload(), std::min<std::size_t>(read.size, max_request_bytes)};
    return true;
  }
  if (header.opcode == FUSE_WRITE && length >= sizeof header + sizeof(fuse_write_in)) {
    fuse_write_in write{};
    std::memcpy(&write, buffer.request() + sizeof header, sizeof write);
    const std::size_t payload_bytes = length - sizeof header - sizeof write;
    request->write = true;
    request->offset = write.offset;
    request->data = {buffer.payload(), std::min<std::size_t>(write.size, payload_bytes)};
    return true;
  }
  return false;
}

void answer_volume_request(int fuse_fd, const VolumeRequest& request, std::int64_t done) noexcept {
  if (done < 0) {
    reply(fuse_fd, request.unique, static_cast<int>(done), nullptr, 0);
  } else if (request.write) {
    fuse_write_out result{};
    result.size = static_cast<std::uint32_t>(done);
    reply(fuse_fd, request.unique, 0, &result, sizeof result);
  } else {
    reply(fuse_fd, request.unique, 0, request.data.data(), static_cast<std::size_t>(done));
  }
}

bool is_interrupt(RequestBuffer& buffer, std::size_t length) noexcept {
  fuse_in_header header{};
  if (length < sizeof header) return false;
  std::memcpy(&header, buffer.request(), sizeof header);
  return header.opcode == FUSE_INTERRUPT;
}

}  // namespace volt
