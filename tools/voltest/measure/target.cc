#include "tools/voltest/measure/target.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <filesystem>

#include "blockdev/backing/storage_map.h"
#include "blockdev/host/mount_table.h"
#include "blockdev/stack/container_spec.h"
#include "blockdev/stack/facts_json.h"
#include "blockdev/stack/storage_users.h"
#include "blockdev/stack/volume_status.h"
#include "tools/common/size_text.h"
#include "tools/voltest/measure/cache.h"
#include "tools/voltest/measure/container.h"
#include "tools/voltest/measure/failure.h"
#include "tools/voltest/measure/scratch.h"

namespace volt {
namespace {

namespace fs = std::filesystem;
constexpr double cached_limit = 0.5;     // more than this of what was used is cached: not honoured
constexpr double least_touched = 0.001;  // of the range, for that to tell anything

// Opens with O_DIRECT where asked and taken.
FileDescriptor open_existing(BenchTarget& target, bool write, bool direct) {
  const int access = (write ? O_RDWR : O_RDONLY) | O_CLOEXEC;
  if (direct) {
    FileDescriptor fd(::open(target.io_path.c_str(), access | O_DIRECT));
    if (fd) return fd;
    if (errno != EINVAL && errno != EOPNOTSUPP) {
      throw BenchFailure(target.io_path, error_from_errno("opening", errno));
    }
  }
  target.direct = direct ? DirectState::refused : DirectState::not_asked;
  FileDescriptor fd(::open(target.io_path.c_str(), access));
  if (!fd) throw BenchFailure(target.io_path, error_from_errno("opening", errno));
  return fd;
}

// What is overwritten must be nobody else's: neither open as a volume nor mounted.
void lock_storage(BenchTarget& target) {
  auto lock = StorageLock::take(target.fd.get(), /*read_only=*/false);
  if (!lock) {
    throw BenchFailure(target.io_path, container_error_text(target.io_path, lock.error()),
                       exit_status_of(lock.error().code));
  }
  target.lock = *std::move(lock);
}

void measure_size(BenchTarget& target) {
  if (target.kind == TargetKind::block_device) {
    std::uint64_t bytes = 0;
    if (::ioctl(target.fd.get(), BLKGETSIZE64, &bytes) != 0) {
      throw BenchFailure(target.io_path, error_from_errno("asking for its size", errno));
    }
    target.size_bytes = bytes;
    return;
  }
  struct stat info {};
  if (::fstat(target.fd.get(), &info) != 0) {
    throw BenchFailure(target.io_path, error_from_errno("asking for its size", errno));
  }
  target.size_bytes = static_cast<std::uint64_t>(info.st_size);
}

bool is_modelled(const BenchTarget& target) {
  if (target.daemon) return is_modelled_container(target.daemon->container);
  return target.device != nullptr && is_modelled_container(target.path);
}

// What lies below the target; the target itself where it is a file or a device.
std::vector<std::string> files_below(const BenchTarget& target) {
  if (target.daemon) return stored_paths(target.daemon->container);
  if (target.device != nullptr) return stored_paths(target.path);
  return {target.io_path};
}

void open_whole(BenchTarget& target, const TargetOptions& options) {
  const bool write = options.destructive && !options.read_only;
  target.fd = open_existing(target, write, options.direct);
  target.writable = write;
  if (write && options.lock) lock_storage(target);
  measure_size(target);
  choose_range(target, options);
  if (target.kind == TargetKind::block_device || write) return;
  for (const std::string& path : files_below(target)) note_holes(target, path);
}

// O_DIRECT ends where another program, or a loop device, takes over.
void note_caches_below(BenchTarget& target, const StorageFacts& facts) {
  const bool foreign_daemon = !target.daemon && facts.file_system.rfind("fuse", 0) == 0;
  if (foreign_daemon) {
    target.note(facts.file_system +
                ": O_DIRECT ends at its daemon, which may read what lies below through the page"
                " cache; --drop-caches empties that too (root)");
  }
  const std::string device = fs::path(facts.device).filename().string();
  if (first_line("/sys/block/" + device + "/loop/dio") == "0") {
    target.note(facts.device +
                ": a loop device that reads its file through the page cache (losetup --direct-io=on"
                " keeps that out)");
  }
}

void note_storage(BenchTarget& target) {
  const StorageFacts& facts = target.backing.file_system.empty() ? target.storage : target.backing;
  if (is_modelled(target)) {
    target.note(
        "a model of a disk: the figures are the model's, not those of a disk of this machine");
  } else if (facts.in_memory) {
    target.note(facts.file_system + ": a file system in memory; no disk is measured");
  }
  if (facts.compresses) {
    target.note(facts.file_system +
                ": compresses what it stores; the test data cannot be compressed");
  }
  note_caches_below(target, facts);
  if (target.buffered() && target.kind != TargetKind::null) {
    const auto memory = static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
                        static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
    std::string text =
        "O_DIRECT is not in use: caches are emptied before each run and each byte is"
        " read once";
    if (target.range_bytes < memory) {
      text += fmt::format("; {} fit into memory ({}), so a cache may still answer",
                          format_size(target.range_bytes), format_size(memory));
    }
    target.note(text);
  }
}

// The largest share of a file below that is in the page cache.
std::optional<double> cached_share_below(const BenchTarget& target) {
  std::optional<double> most;
  for (const std::string& path : files_below(target)) {
    const auto share = cached_share(path);
    if (share) most = std::max(share, most);
  }
  return most;
}

// Of the whole, seen as a share of the part that is measured.
std::optional<double> share_of_range(std::optional<double> whole, double measured) {
  if (!whole) return std::nullopt;
  return std::min(1.0, *whole / measured);
}

// Bytes of the file that are neither holes nor allocated and never written; all of them where the
// file system does not tell, or the file has too many pieces to count.
std::uint64_t written_bytes(const std::string& path, std::uint64_t size_bytes) {
  constexpr int most_pieces = 100000;
  const FileDescriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd) return size_bytes;
  std::uint64_t written = 0;
  off_t at = 0;
  for (int piece = 0; piece < most_pieces; ++piece) {
    const off_t begin = ::lseek(fd.get(), at, SEEK_DATA);
    if (begin < 0) return errno == ENXIO ? written : size_bytes;  // ENXIO: no data from there on
    at = ::lseek(fd.get(), begin, SEEK_HOLE);
    if (at < 0) return size_bytes;
    written += static_cast<std::uint64_t>(at - begin);
  }
  return size_bytes;
}

}  // namespace

const char* target_kind_name(TargetKind kind) noexcept {
  switch (kind) {
    case TargetKind::null:
      return "null";
    case TargetKind::directory:
      return "directory";
    case TargetKind::file:
      return "file";
    case TargetKind::block_device:
      return "block_device";
    case TargetKind::voltd:
      return "voltd";
    case TargetKind::composed:
      return "composed";
  }
  return "file";
}

const char* direct_state_name(DirectState state) noexcept {
  switch (state) {
    case DirectState::not_checked:
      return "not checked";
    case DirectState::honoured:
      return "honoured";
    case DirectState::not_honoured:
      return "not honoured";
    case DirectState::refused:
      return "refused";
    case DirectState::not_asked:
      return "not asked for";
    case DirectState::unknown:
      return "unknown";
  }
  return "unknown";
}

UnlinkAtEnd::~UnlinkAtEnd() {
  if (!path_.empty()) ::unlink(path_.c_str());
}

bool BenchTarget::buffered() const noexcept {
  return direct == DirectState::refused || direct == DirectState::not_asked;
}

bool BenchTarget::single_pass() const noexcept {
  if (kind == TargetKind::null || in_memory()) return false;
  if (buffered() || direct == DirectState::not_honoured) return true;
  return daemon && !daemon->container_direct;
}

void BenchTarget::note(const std::string& text) {
  if (std::find(notes.begin(), notes.end(), text) == notes.end()) notes.push_back(text);
}

std::optional<DaemonFacts> read_daemon_facts(const std::string& folder) {
  // Whatever stands in an ordinary folder under that name is not believed.
  const auto canonical = canonical_mount_point(folder);
  const auto mounts = read_mounts();
  if (!canonical || !mounts) return std::nullopt;
  const auto mount = find_mount(*mounts, *canonical);
  if (!mount || !mount->ours()) return std::nullopt;
  const auto file = open_in_mount(*mount, "status.json", O_RDONLY);
  if (!file) return std::nullopt;
  std::string text;
  std::array<char, 16384> part{};
  ssize_t got = 0;
  while ((got = ::read(file->get(), part.data(), part.size())) > 0) {
    text.append(part.data(), static_cast<std::size_t>(got));
    if (text.size() > max_outside_json_bytes) return std::nullopt;
  }
  const auto status = parse_status_json(text);
  if (!status || status->pid == 0) return std::nullopt;
  DaemonFacts facts;
  facts.pid = static_cast<pid_t>(status->pid);
  facts.container = status->container;
  facts.cipher = status->volume_text("cipher");
  facts.kernel = status->volume_text("kernel");
  facts.plain = status->plain;
  facts.container_direct = status->direct_io;
  return facts;
}

BenchTarget open_target(const std::string& path, const TargetOptions& options) {
  BenchTarget target;
  target.path = path;
  target.io_path = path;
  if (path == "null:") {
    target.range_bytes = target.size_bytes = std::max(options.size_bytes, options.min_bytes);
    target.writable = !options.read_only;
    target.note("null target: these are the tester's own limits, not a disk's");
    return target;
  }
  if (is_composed_target(path)) {
    open_composed(target, options);
    note_storage(target);
    return target;
  }
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) {
    throw BenchFailure(path, error_from_errno("looking for it", errno));
  }
  target.storage = storage_facts(path);
  if (S_ISDIR(info.st_mode)) {
    target.daemon = read_daemon_facts(path);
    target.kind = target.daemon ? TargetKind::voltd : TargetKind::directory;
  } else if (S_ISREG(info.st_mode)) {
    target.kind = TargetKind::file;
  } else if (S_ISBLK(info.st_mode)) {
    target.kind = TargetKind::block_device;
  } else {
    throw BenchFailure(path, "neither a folder, a file, a block device nor a voltd mount",
                       exit_wrong_device);
  }
  if (target.daemon) {
    target.io_path = path + "/volume";
    target.backing = storage_facts(stored_paths(target.daemon->container).front());
  }
  if (target.kind == TargetKind::directory) {
    open_scratch(target, options);
  } else {
    open_whole(target, options);
  }
  note_storage(target);
  return target;
}

void drop_target_caches(const BenchTarget& target) noexcept {
  if (target.kind == TargetKind::null) return;
  if (target.fd) drop_file_cache(target.fd.get());
  if (!target.daemon && target.device == nullptr) return;
  for (const std::string& path : files_below(target)) drop_file_cache(path);
}

void choose_range(BenchTarget& target, const TargetOptions& options) {
  target.range_offset = static_cast<std::uint64_t>(static_cast<double>(target.size_bytes) / 100 *
                                                   options.fill_percent) /
                        (1 << 20) * (1 << 20);
  target.range_bytes = std::min(options.size_bytes, target.size_bytes - target.range_offset);
  if (target.range_bytes >= options.min_bytes) return;
  throw BenchFailure(target.io_path,
                     fmt::format("{} is too small for these tests, which need {}",
                                 format_size(target.size_bytes), format_size(options.min_bytes)),
                     exit_wrong_device);
}

// Neither a hole nor what was never written is read from the disk.
void note_holes(BenchTarget& target, const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode) || info.st_size <= 0) return;
  const auto stored =
      static_cast<double>(std::min(static_cast<std::uint64_t>(info.st_blocks) * 512,
                                   written_bytes(path, static_cast<std::uint64_t>(info.st_size))));
  const double share = stored / static_cast<double>(info.st_size);
  if (share < 0.95) {
    target.note(fmt::format(
        "sparse file: {:.0f} % of {} is holes or was never written, and read without the disk",
        (1 - share) * 100, path));
  }
}

void check_direct(BenchTarget& target, std::uint64_t moved_bytes) {
  if (target.kind == TargetKind::null || target.direct != DirectState::not_checked) return;
  // What a random order over the range has touched; a sequential one has touched more.
  const double touched =
      1 - std::exp(-static_cast<double>(moved_bytes) / static_cast<double>(target.range_bytes));
  if (touched < least_touched) return;
  const double limit = cached_limit * touched;
  const double measured =
      static_cast<double>(target.range_bytes) / static_cast<double>(target.size_bytes);
  const auto share = target.device != nullptr
                         ? share_of_range(cached_share_below(target), measured)
                         : cached_share(target.fd.get(), target.range_offset, target.range_bytes);
  if (!share) {
    target.direct = DirectState::unknown;
  } else if (*share > limit && !target.storage.in_memory) {
    target.direct = DirectState::not_honoured;
    target.note(fmt::format(
        "O_DIRECT was accepted but not honoured: {:.0f} % of the range were in"
        " the page cache after {:.0f} % had been used; each byte is now read once a run",
        *share * 100, touched * 100));
  } else {
    target.direct = *share > limit ? DirectState::not_honoured : DirectState::honoured;
  }
  if (target.daemon && !target.daemon->container_direct && !target.backing.in_memory) {
    const auto below = cached_share_below(target);
    if (below && *below > limit * measured) {
      target.note(
          fmt::format("the daemon reads its container through the page cache: {:.0f} % of"
                      " it were in memory after a run",
                      *below * 100));
    }
  }
}

}  // namespace volt
