// A folder with one file whose storage fails on demand: what a container lies on in the tests of
// errors. It is real to the kernel, so that every way of reading and writing meets the errors.
//
// usage: faulty_folder FILE FOLDER [MOUNT-OPTIONS]   serves FILE as FOLDER/container until
// unmounted While FILE.fail-read, FILE.fail-write or FILE.fail-flush is there such requests give
// EIO; while FILE.full is there, writes give ENOSPC. While FILE.short is there, reads of more than
// one sector give the first half of what they were asked for. (Of a write the kernel itself makes
// EIO, where it was asked asynchronously.)
#define FUSE_USE_VERSION 35
#include <fcntl.h>
#include <fuse3/fuse.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

constexpr const char* container_path = "/container";

int container_fd = -1;
std::string container_file;

bool fault(const char* kind) {
  return ::access((container_file + kind).c_str(), F_OK) == 0;
}

int result_of(ssize_t done) {
  return done < 0 ? -errno : static_cast<int>(done);
}

void* on_init(fuse_conn_info* connection, fuse_config*) {
  connection->max_write = 1048576;
  return nullptr;
}

int on_getattr(const char* path, struct stat* out, fuse_file_info*) {
  *out = {};
  if (std::strcmp(path, "/") == 0) {
    out->st_mode = S_IFDIR | 0700;
    return 0;
  }
  return std::strcmp(path, container_path) != 0 ? -ENOENT : result_of(::fstat(container_fd, out));
}

int on_open(const char*, fuse_file_info* file) {
  file->direct_io = 1;
  return 0;
}

std::size_t granted(std::size_t size) {
  constexpr std::size_t sector = 512;
  if (size <= sector || !fault(".short")) return size;
  return std::max(size / 2 / sector * sector, sector);
}

int on_read(const char*, char* data, std::size_t size, off_t offset, fuse_file_info*) {
  return fault(".fail-read") ? -EIO : result_of(::pread(container_fd, data, granted(size), offset));
}

int on_write(const char*, const char* data, std::size_t size, off_t offset, fuse_file_info*) {
  if (fault(".fail-write")) return -EIO;
  if (fault(".full")) return -ENOSPC;
  return result_of(::pwrite(container_fd, data, size, offset));
}

int on_fsync(const char*, int, fuse_file_info*) {
  return fault(".fail-flush") ? -EIO : result_of(::fdatasync(container_fd));
}

fuse_operations operations() {
  fuse_operations all{};
  all.init = on_init;
  all.getattr = on_getattr;
  all.open = on_open;
  all.read = on_read;
  all.write = on_write;
  all.fsync = on_fsync;
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3 && argc != 4) return EXIT_FAILURE;
  std::array<char, 4096> resolved{};
  if (::realpath(argv[1], resolved.data()) == nullptr) return EXIT_FAILURE;
  container_file = resolved.data();
  container_fd = ::open(resolved.data(), O_RDWR | O_CLOEXEC);
  if (container_fd < 0) return EXIT_FAILURE;
  const fuse_operations all = operations();
  char single_threaded[] = "-s";
  char option[] = "-o";
  char nothing_special[] = "rw";
  std::array<char*, 5> arguments = {argv[0], single_threaded, option,
                                    argc == 4 ? argv[3] : nothing_special, argv[2]};
  return fuse_main(static_cast<int>(arguments.size()), arguments.data(), &all, nullptr);
}
