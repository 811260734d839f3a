// What a volume is sealed with.
#pragma once

#include <atomic>
#include <cstdint>

#include "blockdev/formats/veracrypt/kdf_table.h"
#include "crypto/base/result.h"
#include "crypto/base/secure_buffer.h"
#include "crypto/kdf/keyfile_pool.h"

namespace volt {

// Borrowed: the password and the pool must outlive it.
struct VolumeSecret {
  ByteSpan password;                          // as typed, without key files
  const KeyfilePool* keyfiles = nullptr;      // null: none
  const KdfSpec* kdf = nullptr;               // names the format as well
  std::uint32_t pim = 0;                      // 0: default
  const std::atomic<bool>* cancel = nullptr;  // ends derivations with it; null: none does
};

// What goes into the derivation: the password with the key files mixed in.
// Errors: invalid_argument (longer than the format allows; empty, without key files); no_memory.
Result<SecureBuffer> mixed_password(VolumeFormat format, ByteSpan password,
                                    const KeyfilePool* keyfiles);

// PIM and mixed password in one, checked: for sealing.
Result<SecureBuffer> mixed_password(const VolumeSecret& secret);

}  // namespace volt
