// The least that a FUSE daemon can be: one file, passed through. `voltd --plain` is measured beside
// it, so that the figures tell what voltd adds to the transport.
//
// usage: minimal_passthrough FILE FOLDER        serves FOLDER/volume until it is unmounted
#define FUSE_USE_VERSION 35
#include <fcntl.h>
#include <fuse3/fuse_lowlevel.h>
#include <fuse3/fuse_opt.h>
#include <linux/fuse.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

constexpr fuse_ino_t volume_number = 2;
constexpr std::size_t max_request_bytes = 1048576;

int container_fd = -1;

bool attributes(fuse_ino_t number, struct stat* out) {
  *out = {};
  out->st_ino = number;
  out->st_nlink = 1;
  out->st_mode = number == volume_number ? S_IFREG | 0600 : S_IFDIR | 0700;
  struct stat container {};
  if (number == volume_number) {
    if (::fstat(container_fd, &container) != 0) return false;
    out->st_size = container.st_size;
  }
  return number == volume_number || number == FUSE_ROOT_ID;
}

void on_init(void*, fuse_conn_info* connection) {
  connection->max_write = max_request_bytes;
  connection->max_background = 128;
  connection->congestion_threshold = 96;
}

void on_lookup(fuse_req_t request, fuse_ino_t, const char* name) {
  fuse_entry_param entry{};
  entry.ino = volume_number;
  entry.attr_timeout = entry.entry_timeout = 3600;
  if (std::strcmp(name, "volume") == 0 && attributes(volume_number, &entry.attr)) {
    fuse_reply_entry(request, &entry);
  } else {
    fuse_reply_err(request, ENOENT);
  }
}

void on_getattr(fuse_req_t request, fuse_ino_t number, fuse_file_info*) {
  struct stat out {};
  if (attributes(number, &out)) {
    fuse_reply_attr(request, &out, 3600);
  } else {
    fuse_reply_err(request, ENOENT);
  }
}

void on_open(fuse_req_t request, fuse_ino_t, fuse_file_info*) {
  fuse_open_out reply{};
  reply.open_flags = FOPEN_DIRECT_IO | (1U << 6);  // parallel direct writes
  fuse_reply_buf(request, reinterpret_cast<const char*>(&reply), sizeof reply);
}

void on_read(fuse_req_t request, fuse_ino_t, std::size_t size, off_t offset, fuse_file_info*) {
  thread_local std::vector<char> buffer(max_request_bytes);
  const ssize_t done = ::pread(container_fd, buffer.data(), size, offset);
  if (done < 0) {
    fuse_reply_err(request, errno);
  } else {
    fuse_reply_buf(request, buffer.data(), static_cast<std::size_t>(done));
  }
}

void on_write(fuse_req_t request, fuse_ino_t, const char* data, std::size_t size, off_t offset,
              fuse_file_info*) {
  const ssize_t done = ::pwrite(container_fd, data, size, offset);
  if (done < 0) {
    fuse_reply_err(request, errno);
  } else {
    fuse_reply_write(request, static_cast<std::size_t>(done));
  }
}

void on_fsync(fuse_req_t request, fuse_ino_t, int, fuse_file_info*) {
  fuse_reply_err(request, ::fdatasync(container_fd) == 0 ? 0 : errno);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: minimal_passthrough FILE FOLDER\n", stderr);
    return 1;
  }
  container_fd = ::open(argv[1], O_RDWR | O_CLOEXEC);
  if (container_fd < 0) {
    std::perror(argv[1]);
    return 1;
  }
  fuse_lowlevel_ops operations{};
  operations.init = on_init;
  operations.lookup = on_lookup;
  operations.getattr = on_getattr;
  operations.open = on_open;
  operations.read = on_read;
  operations.write = on_write;
  operations.fsync = on_fsync;
  fuse_args args = FUSE_ARGS_INIT(0, nullptr);
  if (fuse_opt_add_arg(&args, argv[0]) != 0) return 1;
  fuse_session* session = fuse_session_new(&args, &operations, sizeof operations, nullptr);
  if (session == nullptr || fuse_session_mount(session, argv[2]) != 0) return 1;
  fuse_loop_config threads{};
  threads.max_idle_threads = 8;
  const int status = fuse_session_loop_mt(session, &threads);
  fuse_session_unmount(session);
  fuse_session_destroy(session);
  fuse_opt_free_args(&args);
  return status == 0 ? 0 : 1;
}
