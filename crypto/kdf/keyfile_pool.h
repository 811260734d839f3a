// Mixing of key files into a password (TrueCrypt User's Guide, "Keyfiles"; VeraCrypt the same with
// a pool of 128 bytes for passwords of more than 64 bytes).
#pragma once

#include <cstdint>

#include "crypto/base/bytes.h"
#include "crypto/base/result.h"
#include "crypto/base/secure_buffer.h"

namespace volt {

inline constexpr std::size_t keyfile_max_bytes = 1048576;  // only the first MiB of a file counts

// Sums of any number of key files; the order of files does not matter. Both pool sizes are kept,
// since which one counts depends on the password's length and the format.
// Thread contract: as a std::vector's.
class KeyfilePool {
 public:
  static Result<KeyfilePool> create();
  // Adds one file's content piece by piece, then end_file(). Bytes past the first MiB are ignored.
  void add_bytes(ByteSpan bytes) noexcept;
  void end_file() noexcept;
  unsigned files() const noexcept { return files_; }

  // The password to derive from: `password` with the pool added byte by byte where files() > 0,
  // else a copy. The pool of 128 bytes counts where the password is longer than 64.
  // Errors: invalid_argument where the password has more than `max_bytes`, which its format allows.
  Result<SecureBuffer> apply(std::size_t max_bytes, ByteSpan password) const;

 private:
  KeyfilePool() = default;

  SecureBuffer pools_;  // 64 bytes, then 128
  std::uint32_t crc_ = 0xFFFFFFFFU;
  std::uint32_t position_ = 0;
  std::uint32_t consumed_ = 0;
  unsigned files_ = 0;
};

}  // namespace volt
