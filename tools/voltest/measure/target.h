// What is measured: opened once, never overwritten without leave.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "blockdev/backing/storage_lock.h"
#include "blockdev/device/block_device.h"
#include "blockdev/host/file_descriptor.h"
#include "tools/voltest/measure/storage.h"

namespace volt {

enum class TargetKind : std::uint8_t {
  null,       // "null:": requests that do nothing; measures the tester
  directory,  // a file of our own in it, unlinked at once
  file,
  block_device,
  voltd,     // a mount point of voltd; its `volume` is measured
  composed,  // a container's composed name (stripe:, model:, fault:); the device is measured
};
const char* target_kind_name(TargetKind kind) noexcept;

// Whether O_DIRECT kept the page cache out.
enum class DirectState : std::uint8_t {
  not_checked,  // set, and nothing has been read yet
  honoured,
  not_honoured,  // accepted, but the data were found in the page cache afterwards
  refused,       // the file system does not take it
  not_asked,     // --buffered
  unknown,       // accepted, and the kernel does not tell what is cached
};
const char* direct_state_name(DirectState state) noexcept;

// From status.json of a voltd mount.
struct DaemonFacts {
  pid_t pid = 0;
  std::string container;
  std::string cipher;  // "" for --plain
  std::string kernel;
  bool plain = false;
  bool container_direct = false;
};

struct TargetOptions {
  std::uint64_t size_bytes = std::uint64_t{1} << 30;  // how much of the target is used, at most
  std::uint64_t min_bytes = std::uint64_t{1} << 20;   // less than this is an error
  bool read_only = false;                             // never opens for writing
  bool destructive = false;                           // existing targets may be overwritten
  bool direct = true;                                 // ask for O_DIRECT
  bool lock = true;                                   // composed: nobody else may have it open
  double fill_percent = 0;  // what comes before the measured range, in an existing target
};

// Removes a name when it goes.
class UnlinkAtEnd {
 public:
  UnlinkAtEnd() noexcept = default;
  UnlinkAtEnd(UnlinkAtEnd&& other) noexcept { path_.swap(other.path_); }
  UnlinkAtEnd& operator=(UnlinkAtEnd&& other) noexcept {
    path_.swap(other.path_);
    return *this;
  }
  ~UnlinkAtEnd();
  void set(const std::string& path) { path_ = path; }

 private:
  std::string path_;
};

struct BenchTarget {
  std::string path;     // as given
  std::string io_path;  // what is opened
  TargetKind kind = TargetKind::null;
  FileDescriptor fd;
  std::shared_ptr<BlockDevice> device;  // composed: what carries requests instead of `fd`
  StorageLock lock;                     // where an existing volume, file or device is overwritten
  bool writable = false;                // write tests may run
  bool scratch = false;                 // a file of our own
  UnlinkAtEnd linked;                   // of a scratch file that could not be unlinked while open
  std::uint64_t size_bytes = 0;         // of the whole target
  std::uint64_t range_offset = 0;
  std::uint64_t range_bytes = 0;  // what is measured, from range_offset
  bool hung = false;  // requests hang: any call on it may block for ever, closing it too
  DirectState direct = DirectState::not_checked;
  std::optional<DaemonFacts> daemon;
  StorageFacts storage;
  StorageFacts backing;            // of voltd's container
  std::vector<std::string> notes;  // what a reader of the figures must know

  // Opened without O_DIRECT, on purpose or because it was refused.
  bool buffered() const noexcept;
  // Reads must not go over the range twice in a run, or a cache would answer.
  bool single_pass() const noexcept;
  // Figures of memory, whatever lies around it.
  bool in_memory() const noexcept { return storage.in_memory || backing.in_memory; }
  void note(const std::string& text);  // once
};

// Sets what is measured of target.size_bytes. Throws BenchFailure where that is too little.
void choose_range(BenchTarget& target, const TargetOptions& options);

// Notes the share of the file that is holes, or was allocated and never written.
void note_holes(BenchTarget& target, const std::string& path);

// Throws BenchFailure: no such path, no permission, a thing that cannot be measured, no space.
// Notes what is worth knowing; a scratch file is allocated but not filled yet.
BenchTarget open_target(const std::string& path, const TargetOptions& options);

// Empties the caches between tester and disk that an unprivileged process can empty.
void drop_target_caches(const BenchTarget& target) noexcept;

// After a run that moved so many bytes: finds out whether O_DIRECT was honoured, and notes it.
// Leaves it open where too little was moved to tell.
void check_direct(BenchTarget& target, std::uint64_t moved_bytes);

// Reads status.json; nothing where it is not voltd's.
std::optional<DaemonFacts> read_daemon_facts(const std::string& folder);

}  // namespace volt
