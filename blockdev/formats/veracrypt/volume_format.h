// Making new volumes: headers only; filling the data area is the caller's.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>

#include "blockdev/device/block_device.h"
#include "blockdev/formats/veracrypt/kdf_table.h"
#include "blockdev/formats/veracrypt/volume_unlock.h"
#include "crypto/base/result.h"
#include "crypto/kdf/keyfile_pool.h"
#include "crypto/modes/cascade_spec.h"

namespace volt {

// What to make. The container already has its final size.
struct FormatRequest {
  const CascadeSpec* cascade = nullptr;
  const KdfSpec* kdf = nullptr;  // names the format as well
  std::uint32_t pim = 0;
  ByteSpan password;
  const KeyfilePool* keyfiles = nullptr;
  bool hidden = false;             // make the hidden volume of an existing outer one
  std::uint64_t hidden_bytes = 0;  // size of the hidden data area, with hidden
  std::uint32_t sector_bytes = 512;
  const std::atomic<bool>* cancel = nullptr;  // ends the derivation; nothing is written then
};

// Smallest container: two header groups and one 4096-byte block of data.
inline constexpr std::uint64_t min_container_bytes = 2 * header_group_bytes + 4096;

// Writes fresh headers (salt and keys from the kernel's randomness): backup places first, flush,
// then primary, flush. For an outer volume the hidden places get random bytes, so that nothing
// tells whether a hidden volume exists. Returns the new volume as unlocked, so that the caller can
// fill its data area. Errors: invalid_argument, no_space, io.
Result<UnlockedVolume> format_volume(BlockDevice& container, const FormatRequest& request);

// Encrypts one header into each output of header_bytes, every time with a fresh salt. Used by
// format, password change and header restore. The derivations run side by side.
// `master_keys` has header_key_area_bytes. Errors: those of derive_keys (cancelled among them);
// no_memory.
Status seal_headers(const VolumeHeader& header, ByteSpan master_keys, CipherMode mode,
                    const CascadeSpec& cascade, const KdfParameters& kdf, ByteSpan mixed_password,
                    std::span<const MutableByteSpan> outputs,
                    const std::atomic<bool>* cancel = nullptr);

}  // namespace volt
