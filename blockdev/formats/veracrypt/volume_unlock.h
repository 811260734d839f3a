// From a container and a password to an open volume.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "blockdev/device/block_device.h"
#include "blockdev/formats/veracrypt/kdf_table.h"
#include "blockdev/formats/veracrypt/volume_geometry.h"
#include "blockdev/formats/veracrypt/volume_header.h"
#include "crypto/base/result.h"
#include "crypto/base/secure_buffer.h"
#include "crypto/kdf/keyfile_pool.h"
#include "crypto/modes/cascade.h"

namespace volt {

// What the user knows. Nothing named means: try all.
struct UnlockRequest {
  ByteSpan password;                      // as typed, without keyfiles
  const KeyfilePool* keyfiles = nullptr;  // null: none
  std::uint32_t pim = 0;                  // 0: default
  std::optional<PrfId> prf;
  std::optional<VolumeFormat> format;
  const CascadeSpec* cascade = nullptr;
  bool hidden = false;         // only the hidden volume's headers; else outer first, then hidden
  bool only_outer = false;     // never the hidden header (for protection, passwd ...)
  bool backup_header = false;  // only the backup headers
  bool system = false;         // system-encrypted drive or partition image
  bool cut_allowed = false;  // also what is left of a container cut short, which is then read only
  BlockDevice* headers = nullptr;  // detached headers: read from here, not from the container
  // Shape: called now and then from any thread, one call at a time. fraction in 0..1.
  std::function<void(const std::string& what, double fraction)> progress;
  const std::atomic<bool>* cancel = nullptr;
};

// An unlocked header and everything it tells. Keys are in secure memory.
struct UnlockedVolume {
  VolumeHeader header;
  HeaderPlace place = HeaderPlace::primary;
  CipherMode mode = CipherMode::xts;
  const CascadeSpec* cascade = nullptr;
  const KdfSpec* kdf = nullptr;
  std::uint32_t pim = 0;
  VolumeGeometry geometry;
  SecureBuffer keys;  // header_key_area_bytes: the master keys

  bool hidden() const noexcept { return place_is_hidden(place); }
};

struct UnlockTask;

// What a search runs on: the machine and the tables, unless a test or a measurement says otherwise.
struct UnlockConditions {
  unsigned threads = 0;  // 0: one for each core
  KdfRule parameters = kdf_parameters;
  // Called by the thread that derives, before and after each task. Null: not called.
  std::function<void(const UnlockTask&)> task_begins;
  std::function<void(const UnlockTask&)> task_ended;
};

// What was tried, for the error message of a refused password; filled whether or not it opens.
struct UnlockReport {
  std::vector<std::string> tried;    // "veracrypt sha512 (primary, hidden)" ...
  std::vector<std::string> skipped;  // "argon2id: needs 416 MiB, 200 MiB are free" ...
  std::string header_problem;        // a header that fitted the password but was absurd
  // Of a header that fitted the password where the container ends within the data: what the
  // container should have, and has. 0: none such.
  std::uint64_t expected_container_bytes = 0;
  std::uint64_t container_bytes = 0;
};

// A container cut short within the data is a bad_header, unless that is allowed and no header with
// a smaller volume opens; `geometry` is then that of the whole (see container_fit.h). Errors:
// bad_password_or_header; bad_header (password right, field absurd: context, detail);
// invalid_argument (PIM or password length); wrong_file (too short to be a volume); cancelled;
// no_memory; io. `container` is read only. Uses all cores; wipes what it derived.
Result<UnlockedVolume> unlock_volume(BlockDevice& container, const UnlockRequest& request,
                                     UnlockReport* report, const UnlockConditions& conditions = {});

// The cipher of the data area, ready for an EncryptedDevice.
Result<std::unique_ptr<UnitCipher>> make_volume_cipher(
    const UnlockedVolume& volume, KernelChoice choice = default_kernel_choice());

}  // namespace volt
