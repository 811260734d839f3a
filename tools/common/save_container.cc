#include "tools/common/save_container.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "blockdev/host/file_descriptor.h"
#include "tools/common/interrupt.h"
#include "tools/common/new_file.h"
#include "tools/common/progress_line.h"

namespace volt {
namespace {

constexpr std::size_t chunk_bytes = std::size_t{1} << 20;
constexpr std::size_t hole_bytes = 65536;
constexpr int attempts = 3;

// Writes and discards that have ended; one that was under way when the copy began counts later.
Result<std::uint64_t> changes(const std::string& folder) {
  const auto volume = find_open_volume(folder);
  if (!volume) return volume.error();
  if (!volume->status) return Error{ErrorCode::io, 0, "the daemon does not answer", 0};
  const auto count = [&volume](const char* kind) {
    const IoStatus* io = volume->status->io_of(kind);
    return io == nullptr ? std::uint64_t{0} : io->requests;
  };
  return count("write") + count("discard");
}

Result<std::size_t> read_chunk(int fd, std::vector<std::uint8_t>* buffer, std::uint64_t offset) {
  std::size_t done = 0;
  while (done < buffer->size()) {
    const ssize_t got = ::pread(fd, buffer->data() + done, buffer->size() - done,
                                static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return error_from_errno("reading the container", errno);
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

Status write_part(int fd, const std::uint8_t* data, std::size_t length, std::uint64_t offset) {
  while (length != 0) {
    const ssize_t put = ::pwrite(fd, data, length, static_cast<off_t>(offset));
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return error_from_errno("writing the copy", put < 0 ? errno : EIO);
    data += put;
    offset += static_cast<std::uint64_t>(put);
    length -= static_cast<std::size_t>(put);
  }
  return {};
}

// Of a copy that is made again everything is written: what is zero now may not have been before.
Status copy_all(int from, int to, std::uint64_t bytes, bool again) {
  std::vector<std::uint8_t> buffer(chunk_bytes);
  ProgressLine line;
  for (std::uint64_t offset = 0; offset < bytes;) {
    if (interrupted()) return Error{ErrorCode::cancelled, 0, "interrupted", offset};
    const auto count = read_chunk(from, &buffer, offset);
    if (!count) return count.error();
    if (*count == 0) return Error{ErrorCode::io, 0, "the container ended early", offset};
    for (std::size_t at = 0; at < *count; at += hole_bytes) {
      const std::size_t length = std::min(hole_bytes, *count - at);
      const std::uint8_t* part = buffer.data() + at;
      const bool zero = std::all_of(part, part + length, [](std::uint8_t b) { return b == 0; });
      if (!zero || again) VOLT_TRY(write_part(to, part, length, offset + at));
    }
    offset += *count;
    line.show_bytes("saving", offset, bytes);
  }
  return {};
}

}  // namespace

Status save_container(const OpenVolume& volume, const std::string& path) {
  const std::string& folder = volume.mount.mount_point;
  catch_interrupts();
  auto output = NewFile::create(path);
  if (!output) return output.error();
  // As long as this is open the daemon takes no writes.
  const auto container = open_in_mount(volume.mount, ".container", O_RDONLY);
  if (!container) return error_from_errno("opening the container", container.error().sys_errno);
  struct stat info {};
  if (::fstat(container->get(), &info) != 0) {
    return error_from_errno("opening the container", errno);
  }
  const auto bytes = static_cast<std::uint64_t>(info.st_size);
  VOLT_TRY(output->resize(bytes, /*allocate=*/false));
  for (int attempt = 0; attempt < attempts; ++attempt) {
    const auto before = changes(folder);
    if (!before) return before.error();
    VOLT_TRY(copy_all(container->get(), output->fd(), bytes, attempt != 0));
    const auto after = changes(folder);
    if (!after) return after.error();
    if (*after == *before) return output->publish();
  }
  return Error{ErrorCode::busy, 0, "somebody goes on writing to the volume", 0};
}

}  // namespace volt
