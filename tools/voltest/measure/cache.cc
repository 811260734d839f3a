#include "tools/voltest/measure/cache.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "blockdev/host/file_descriptor.h"

namespace volt {
namespace {

constexpr long cachestat_number = 451;  // the same on every architecture; not in older headers

struct CacheRange {
  std::uint64_t offset;
  std::uint64_t length;
};

struct CacheCounts {
  std::uint64_t cached;
  std::uint64_t dirty;
  std::uint64_t writeback;
  std::uint64_t evicted;
  std::uint64_t recently_evicted;
};

std::uint64_t page_bytes() {
  return static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

std::optional<double> share_by_mincore(int fd, std::uint64_t offset, std::uint64_t bytes) {
  constexpr std::uint64_t window = std::uint64_t{64} << 20;
  const std::uint64_t page = page_bytes();
  std::vector<unsigned char> resident(window / page);
  std::uint64_t pages = 0;
  std::uint64_t cached = 0;
  const std::uint64_t first = offset / page * page;
  for (std::uint64_t at = first; at < offset + bytes; at += window) {
    const std::uint64_t length = std::min(window, offset + bytes - at);
    void* view = ::mmap(nullptr, length, PROT_READ, MAP_SHARED, fd, static_cast<off_t>(at));
    if (view == MAP_FAILED) return std::nullopt;
    const int code = ::mincore(view, length, resident.data());
    ::munmap(view, length);
    if (code != 0) return std::nullopt;
    const std::uint64_t count = (length + page - 1) / page;
    pages += count;
    for (std::uint64_t i = 0; i < count; ++i) cached += resident[i] & 1U;
  }
  if (pages == 0) return std::nullopt;
  return static_cast<double>(cached) / static_cast<double>(pages);
}

}  // namespace

void drop_file_cache(int fd) noexcept {
  ::fdatasync(fd);
  ::posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
}

void drop_file_cache(const std::string& path) noexcept {
  const FileDescriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (fd) drop_file_cache(fd.get());
}

Status drop_all_caches() noexcept {
  const FileDescriptor fd(::open("/proc/sys/vm/drop_caches", O_WRONLY | O_CLOEXEC));
  if (!fd) return error_from_errno("opening /proc/sys/vm/drop_caches", errno);
  if (::write(fd.get(), "1", 1) != 1) {
    return error_from_errno("writing /proc/sys/vm/drop_caches", errno);
  }
  return {};
}

std::optional<double> cached_share(int fd, std::uint64_t offset, std::uint64_t bytes) noexcept {
  if (fd < 0 || bytes == 0) return std::nullopt;
  CacheRange range{offset, bytes};
  CacheCounts counts{};
  if (::syscall(cachestat_number, fd, &range, &counts, 0) == 0) {
    const double pages = static_cast<double>(bytes) / static_cast<double>(page_bytes());
    return std::min(1.0, static_cast<double>(counts.cached) / std::max(1.0, pages));
  }
  return share_by_mincore(fd, offset, bytes);
}

std::optional<double> cached_share(const std::string& path) noexcept {
  const FileDescriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat info {};
  if (!fd || ::fstat(fd.get(), &info) != 0 || info.st_size <= 0) return std::nullopt;
  return cached_share(fd.get(), 0, static_cast<std::uint64_t>(info.st_size));
}

}  // namespace volt
