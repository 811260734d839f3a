// What an encrypted volume format is. One folder a format, one row in formats.cc.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "blockdev/device/block_device.h"
#include "blockdev/formats/fact.h"
#include "blockdev/formats/key_source.h"
#include "blockdev/host/outcome.h"
#include "blockdev/layers/extent_map.h"
#include "crypto/base/result.h"
#include "crypto/modes/cascade.h"

namespace volt {

class Format;
class VolumeMaker;
class VolumeCare;

// A container, its name as given (see open_container) for messages, and the path where it is one
// file or disk, for other readers.
struct NamedContainer {
  BlockDevice& device;
  std::string name;
  std::string path{};
};

// What a person says about a volume, by the names of the command line. Empty: nothing, so that
// everything is tried that a format has.
struct VolumeOptions {
  std::string format;
  std::string prf;
  std::string cipher;
  std::uint32_t pim = 0;
  bool hidden = false;         // only the hidden volume; else outer first, then hidden
  bool system = false;         // system-encrypted drive, or partition of one
  bool backup_header = false;  // only the header's backup
  bool detached = false;       // the header stands in a file of its own
};

struct OpenRequest {
  KeySource key;
  VolumeOptions options;
  bool only_outer = false;   // never a hidden volume (for protection, say)
  bool cut_allowed = false;  // also what is left of a container cut short, which is then read only
  bool verbose = false;      // where nothing opens, say all that was tried
  BlockDevice* headers = nullptr;  // detached headers: read from here, not from the container
  std::string headers_name;        // of that file, as given
  KernelChoice kernels = default_kernel_choice();
  // Shape: called now and then from any thread, one call at a time. fraction in 0..1.
  std::function<void(const std::string& what, double fraction)> progress;
  const std::atomic<bool>* cancel = nullptr;
};

// A volume that a key has opened. A format keeps what else it knows in a class derived from this.
class OpenedVolume {
 public:
  OpenedVolume(const Format& of, ExtentMap extents) noexcept
      : format(&of), map(std::move(extents)) {}
  virtual ~OpenedVolume() = default;
  OpenedVolume(const OpenedVolume&) = delete;
  OpenedVolume& operator=(const OpenedVolume&) = delete;

  // The part of the container that the volume lies in.
  std::uint64_t begin_in_container() const noexcept;
  std::uint64_t end_in_container() const noexcept;
  // Bytes of the volume, in whole data units, that come before the first that such a container does
  // not have: all of them, unless it was cut short.
  std::uint64_t bytes_there(std::uint64_t container_bytes) const noexcept;

  const Format* format;
  std::string format_name;                   // of several that one row has: "truecrypt"
  std::unique_ptr<const UnitCipher> cipher;  // null where nothing is encrypted
  ExtentMap map;
  std::uint32_t sector_bytes = 512;  // what the volume presents
  bool hidden = false;
  std::string read_only_why;         // a sentence; empty: it may be written
  std::vector<Fact> facts;           // what `info`, `list`, status.json and voltest tell
  std::vector<std::string> notices;  // what a person should know on opening
};
using OpenedVolumePtr = std::unique_ptr<OpenedVolume>;

// How sure a format is that a container is one of its own, before any key is tried.
enum class Likeness : std::uint8_t {
  no,
  possible,  // it looks like noise, as volumes of this format do
  certain,   // it says so itself
};

// The names that a format knows of what else can be chosen, in the command line's spelling.
struct OptionNames {
  std::vector<std::string> prfs;
  std::vector<std::string> ciphers;
};

// Immutable, one object for each format; all functions may be called from any thread.
class Format {
 public:
  virtual ~Format() = default;
  // What --format takes: one name, or several where the row opens several formats.
  virtual std::span<const char* const> names() const noexcept = 0;
  virtual KeyKinds key_kinds() const noexcept = 0;
  virtual OptionNames option_names() const { return {}; }
  // `beginning` is what the container begins with: 4096 bytes, or all that it has.
  virtual Likeness looks_like(ByteSpan beginning) const noexcept = 0;
  // Whether there can be such a volume at all. A failure's `what` is the option: "--pim".
  virtual Outcome<void> check(const VolumeOptions& options) const = 0;
  // Reads the container only. `request.options` has passed check(). A wrong key is
  // exit_no_permission, or exit_wrong_device where the container is certainly something else.
  virtual Outcome<OpenedVolumePtr> unlock(const NamedContainer& container,
                                          const OpenRequest& request) const = 0;
  // What else a format offers; null: nothing of it, and commands say so.
  virtual const VolumeMaker* maker() const noexcept { return nullptr; }
  virtual const VolumeCare* care() const noexcept { return nullptr; }
};

// What a new volume is to be.
struct NewVolume {
  KeySource key;
  VolumeOptions options;  // as VolumeMaker::settle() gave them
  std::uint32_t sector_bytes = 512;
  const OpenedVolume* outer = nullptr;  // make the hidden volume inside this one
  std::uint64_t hidden_bytes = 0;       // size of its data area, with `outer`
  const std::atomic<bool>* cancel = nullptr;
};

// Making volumes: an optional part of a format.
class VolumeMaker {
 public:
  virtual ~VolumeMaker() = default;
  // The options with every choice made that they leave open. A failure's `what` is the option.
  virtual Outcome<VolumeOptions> settle(const VolumeOptions& options) const = 0;
  virtual std::uint64_t min_container_bytes() const noexcept = 0;
  // What has to be random at either end, whatever the data area holds.
  virtual std::uint64_t header_area_bytes() const noexcept = 0;
  // Writes what makes the container a volume; filling its data area is the caller's.
  // Errors: invalid_argument, no_space, cancelled, io.
  virtual Result<OpenedVolumePtr> make(BlockDevice& container, const NewVolume& wanted) const = 0;
};

// What a volume is sealed with from now on.
struct KeyChange {
  KeySource old_key;
  KeySource new_key;
  std::string new_prf;   // by its name; empty: as it is
  bool new_pim = false;  // new_key.pim counts; else the PIM stays
  const std::atomic<bool>* cancel = nullptr;
};

// Looking after volumes: an optional part of a format. `volume` always comes from the same format.
class VolumeCare {
 public:
  virtual ~VolumeCare() = default;
  // Whether header and backup are both good, as facts. Where that takes long it is done only with
  // `whatever_it_takes`, and else said. Errors: io ...
  virtual Result<std::vector<Fact>> look_at_headers(BlockDevice& container,
                                                    const OpenedVolume& volume,
                                                    const KeySource& key, bool whatever_it_takes,
                                                    const std::atomic<bool>* cancel) const = 0;
  // Whether the volume can be sealed with that PRF: asked before a new password is. A failure's
  // `what` is the option.
  virtual Outcome<void> check_new_prf(const OpenedVolume& volume, const std::string& prf) const = 0;
  // Seals the volume with another key; its data stay. `volume` tells of the new state then. Can be
  // cut off anywhere: the old or the new key opens it. Failures: "--new-prf" ...; io ...
  virtual Outcome<void> change_key(const NamedContainer& container, OpenedVolume* volume,
                                   const KeyChange& change) const = 0;
  // The same for headers in a file of their own, which is `file`.
  virtual Outcome<void> change_detached_key(MutableByteSpan file, const std::string& name,
                                            OpenedVolume* volume,
                                            const KeyChange& change) const = 0;
  virtual std::uint64_t max_detached_bytes() const noexcept = 0;
  // What a backup of the headers holds; `hidden` may be null.
  virtual Result<std::vector<std::uint8_t>> back_up_headers(
      const OpenedVolume& outer, const KeySource& key, const OpenedVolume* hidden,
      const KeySource& hidden_key, const std::atomic<bool>* cancel) const = 0;
  // Puts headers back, from such a backup or (null) from the container's own. `what` of a failure
  // is the container or the backup, whichever it is about.
  virtual Outcome<OpenedVolumePtr> restore_headers(const NamedContainer& container,
                                                   const NamedContainer* backup,
                                                   const OpenRequest& request) const = 0;
  // The size of a container that the volume fills.
  virtual std::uint64_t container_bytes(const OpenedVolume& volume) const noexcept = 0;
  // Makes the volume fill a container that has grown. Errors: invalid_argument, io ...
  virtual Result<OpenedVolumePtr> expand(BlockDevice& container, const OpenedVolume& volume,
                                         const KeySource& key,
                                         const std::atomic<bool>* cancel) const = 0;
};

}  // namespace volt
