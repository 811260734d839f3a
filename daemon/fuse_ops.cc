#include "daemon/fuse_ops.h"

#include <fcntl.h>
#include <linux/falloc.h>
#include <linux/fuse.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>
#include <string>
#include <vector>

#include "daemon/exported_files.h"
#include "daemon/fuse_errno.h"
#include "daemon/status_text.h"
#include "daemon/volume_io.h"

namespace volt {
namespace {

constexpr double entry_timeout_s = 3600;  // names never change
constexpr double attribute_timeout_s = 1;
// The volume's change by writes and discards only, after which the kernel asks again. Of a loop
// device that outlives the daemon the kernel tells nothing without them (tools/loop_attach.cc).
constexpr double volume_attribute_timeout_s = 1e9;
constexpr unsigned max_background_requests = 128;
// The flag's meaning since protocol 7.38; this libfuse may have no field for it.
constexpr unsigned parallel_writes_minor = 38;
constexpr std::uint32_t open_parallel_direct_writes = 1U << 6;
// Handles of the volume.
constexpr std::uint64_t opened_to_read = 0;
constexpr std::uint64_t opened_to_write = 1;

FuseContext& context(fuse_req_t request) {
  return *static_cast<FuseContext*>(fuse_req_userdata(request));
}
ServedVolume& served(fuse_req_t request) {
  return *context(request).volume;
}

double timeout_of(std::uint64_t number) {
  if (number == volume_file) return volume_attribute_timeout_s;
  return number == status_file ? 0 : attribute_timeout_s;
}

void on_init(void* userdata, fuse_conn_info* connection) {
  static_cast<FuseContext*>(userdata)->protocol_minor = connection->proto_minor;
  connection->max_write = max_request_bytes;
  connection->max_background = max_background_requests;
  connection->congestion_threshold = max_background_requests * 3 / 4;
  // Requests and replies pass through buffers of our own; O_TRUNC has to arrive as setattr.
  connection->want &= ~static_cast<unsigned>(FUSE_CAP_SPLICE_READ | FUSE_CAP_SPLICE_WRITE |
                                             FUSE_CAP_SPLICE_MOVE | FUSE_CAP_ATOMIC_O_TRUNC);
  connection->want |= connection->capable & FUSE_CAP_ASYNC_DIO;
}

void on_lookup(fuse_req_t request, fuse_ino_t parent, const char* name) {
  const auto number = parent == root_file ? find_exported_file(name) : std::nullopt;
  fuse_entry_param entry{};
  if (!number || !file_attributes(served(request), *number, &entry.attr)) {
    fuse_reply_err(request, ENOENT);
    return;
  }
  entry.ino = *number;
  entry.attr_timeout = timeout_of(*number);
  entry.entry_timeout = entry_timeout_s;
  fuse_reply_entry(request, &entry);
}

void reply_attributes(fuse_req_t request, fuse_ino_t number) {
  struct stat attributes {};
  if (!file_attributes(served(request), number, &attributes)) {
    fuse_reply_err(request, ENOENT);
    return;
  }
  fuse_reply_attr(request, &attributes, timeout_of(number));
}

void on_getattr(fuse_req_t request, fuse_ino_t number, fuse_file_info*) {
  reply_attributes(request, number);
}

// The size is fixed as a block device's: opening with O_TRUNC does nothing (that is the request
// without an open file), setting the same size does nothing, everything else is refused. Mode,
// owner and times are accepted and forgotten.
void on_setattr(fuse_req_t request, fuse_ino_t number, struct stat* attributes, int to_set,
                fuse_file_info* file) {
  if ((to_set & FUSE_SET_ATTR_SIZE) != 0) {
    const auto size = static_cast<std::uint64_t>(attributes->st_size);
    const std::uint64_t own = number == volume_file ? served(request).size() : 0;
    const bool opening = size == 0 && file == nullptr;
    if (size != own && !opening) {
      fuse_reply_err(request, size > own ? EFBIG : EPERM);
      return;
    }
  }
  reply_attributes(request, number);
}

// Raw bytes, since struct fuse_file_info of libfuse before 3.15 cannot carry every flag.
void reply_open(fuse_req_t request, std::uint64_t handle, std::uint32_t flags) {
  fuse_open_out reply{};
  reply.fh = handle;
  reply.open_flags = flags;
  fuse_reply_buf(request, reinterpret_cast<const char*>(&reply), sizeof reply);
}

void open_volume_file(fuse_req_t request, const fuse_file_info& file) {
  const VolumeFacts& facts = served(request).facts;
  const bool writes = (file.flags & O_ACCMODE) != O_RDONLY;
  if (facts.read_only && writes) {
    fuse_reply_err(request, EROFS);
    return;
  }
  const std::uint64_t handle = writes ? opened_to_write : opened_to_read;
  if (facts.page_cache) {
    reply_open(request, handle, FOPEN_KEEP_CACHE);
    return;
  }
  const bool parallel = context(request).protocol_minor >= parallel_writes_minor;
  reply_open(request, handle, FOPEN_DIRECT_IO | (parallel ? open_parallel_direct_writes : 0));
}

void on_open(fuse_req_t request, fuse_ino_t number, fuse_file_info* file) {
  if (number == volume_file) {
    open_volume_file(request, *file);
  } else if (number == root_file) {
    fuse_reply_err(request, EISDIR);
  } else if ((file->flags & O_ACCMODE) != O_RDONLY) {
    fuse_reply_err(request, EACCES);
  } else if (number == container_file) {
    served(request).begin_copy();
    reply_open(request, 0, FOPEN_DIRECT_IO);
  } else {
    auto text = std::make_unique<std::string>(status_text(served(request)));
    reply_open(request, reinterpret_cast<std::uint64_t>(text.release()), FOPEN_DIRECT_IO);
  }
}

void on_release(fuse_req_t request, fuse_ino_t number, fuse_file_info* file) {
  if (number == container_file) served(request).end_copy();
  if (number == status_file) delete reinterpret_cast<std::string*>(file->fh);
  fuse_reply_err(request, 0);
}

// The container as it is, encrypted.
void read_container(fuse_req_t request, std::uint64_t offset, std::size_t size) {
  BlockDevice& container = *served(request).container;
  const std::uint64_t left = container.size() - std::min(offset, container.size());
  std::vector<std::uint8_t> bytes(
      std::min<std::uint64_t>({size, left, std::uint64_t{max_request_bytes}}));
  const Status status = bytes.empty() ? Status{} : container.read(offset, bytes);
  if (!status) {
    fuse_reply_err(request, errno_of(status.error()));
    return;
  }
  fuse_reply_buf(request, reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

// Of status.json and the container; the volume's own reads never get here.
void on_read(fuse_req_t request, fuse_ino_t number, size_t size, off_t offset,
             fuse_file_info* file) {
  if (number == container_file && offset >= 0) {
    read_container(request, static_cast<std::uint64_t>(offset), size);
    return;
  }
  if (number != status_file || offset < 0) {
    fuse_reply_err(request, EISDIR);
    return;
  }
  const auto& text = *reinterpret_cast<const std::string*>(file->fh);
  // A copy: as soon as the kernel has the reply the file may be closed, and the text is gone.
  const auto part = text.substr(std::min(static_cast<std::size_t>(offset), text.size()), size);
  fuse_reply_buf(request, part.data(), part.size());
}

void on_fsync(fuse_req_t request, fuse_ino_t number, int, fuse_file_info*) {
  fuse_reply_err(request, number == volume_file ? -flush_volume(served(request)) : 0);
}

// close(2): what was written since the last flush reaches the container, and errors the caller; who
// only reads neither waits for others' writes nor hears of their errors.
void on_flush(fuse_req_t request, fuse_ino_t number, fuse_file_info* file) {
  ServedVolume& volume = served(request);
  const bool due = number == volume_file && file->fh == opened_to_write && volume.flush_due();
  fuse_reply_err(request, due ? -flush_volume(volume) : 0);
}

void on_fallocate(fuse_req_t request, fuse_ino_t number, int mode, off_t offset, off_t length,
                  fuse_file_info*) {
  if (number != volume_file || mode != (FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE)) {
    fuse_reply_err(request, EOPNOTSUPP);
    return;
  }
  fuse_reply_err(request, -discard_volume(served(request), static_cast<std::uint64_t>(offset),
                                          static_cast<std::uint64_t>(length)));
}

void on_lseek(fuse_req_t request, fuse_ino_t number, off_t offset, int whence, fuse_file_info*) {
  const auto size = static_cast<off_t>(number == volume_file ? served(request).size() : 0);
  if (offset < 0 || offset >= size) {
    fuse_reply_err(request, ENXIO);
  } else if (whence == SEEK_DATA) {
    fuse_reply_lseek(request, offset);
  } else if (whence == SEEK_HOLE) {
    fuse_reply_lseek(request, size);
  } else {
    fuse_reply_err(request, EINVAL);
  }
}

// A loop device asks when it is attached: without an answer it offers neither TRIM nor zeroing by
// holes, which would only be refused later. Writes are held just as long as that may be.
void on_statfs(fuse_req_t request, fuse_ino_t) {
  ServedVolume& volume = served(request);
  if (volume.writes_held.load() && !volume.device->geometry().can_discard) {
    fuse_reply_err(request, EAGAIN);
    return;
  }
  struct statvfs info {};
  info.f_bsize = 4096;
  info.f_frsize = 4096;
  info.f_blocks = (volume.size() + 4095) / 4096;
  info.f_files = exported_files().size() + 1;
  info.f_namemax = 255;
  fuse_reply_statfs(request, &info);
}

void on_readdir(fuse_req_t request, fuse_ino_t number, size_t size, off_t offset, fuse_file_info*) {
  if (number != root_file) {
    fuse_reply_err(request, ENOTDIR);
    return;
  }
  std::array<char, 1024> buffer{};
  const std::size_t room = std::min(size, buffer.size());
  std::size_t used = 0;
  off_t position = 0;
  bool full = false;
  const auto add = [&](const char* name, std::uint64_t file, mode_t type) {
    if (++position <= offset || full) return;
    struct stat attributes {};
    attributes.st_ino = file;
    attributes.st_mode = type;
    const std::size_t needed =
        fuse_add_direntry(request, buffer.data() + used, room - used, name, &attributes, position);
    full = needed > room - used;
    if (!full) used += needed;
  };
  add(".", root_file, S_IFDIR);
  add("..", root_file, S_IFDIR);
  for (const ExportedFile& file : exported_files()) add(file.name, file.number, S_IFREG);
  fuse_reply_buf(request, buffer.data(), used);
}

fuse_lowlevel_ops make_operations() noexcept {
  fuse_lowlevel_ops operations{};
  operations.init = on_init;
  operations.lookup = on_lookup;
  operations.getattr = on_getattr;
  operations.setattr = on_setattr;
  operations.open = on_open;
  operations.read = on_read;
  operations.flush = on_flush;
  operations.release = on_release;
  operations.fsync = on_fsync;
  operations.readdir = on_readdir;
  operations.statfs = on_statfs;
  operations.fallocate = on_fallocate;
  operations.lseek = on_lseek;
  return operations;
}

}  // namespace

const fuse_lowlevel_ops& fuse_operations() noexcept {
  static const fuse_lowlevel_ops operations = make_operations();
  return operations;
}

}  // namespace volt
