// The block ciphers that volumes are made of, and the fixed sizes of the format.
#pragma once

#include <cstddef>
#include <cstdint>

namespace volt {

enum class CipherId : std::uint8_t {
  aes,  // AES-256
  serpent,
  twofish,
  camellia,
  kuznyechik,
  aes128,  // in no volume of VeraCrypt or TrueCrypt; other formats have it
  // TrueCrypt 1 to 4, opened only (CBC and LRW):
  blowfish,
  cast5,
  des3,
  idea,
};

enum class CipherMode : std::uint8_t { xts, lrw, cbc };

// XTS data units and header arithmetic of VeraCrypt's and TrueCrypt's volumes are in 512 bytes
// whatever the sector size says.
inline constexpr std::size_t unit_bytes = 512;

// The sizes of XTS data units that there are kernels for.
enum class DataUnit : std::uint8_t { bytes512, bytes4096 };

constexpr std::size_t bytes_of(DataUnit unit) noexcept {
  return unit == DataUnit::bytes512 ? 512 : 4096;
}

// Key bytes of one layer (data key; an XTS layer has a tweak key of the same length besides).
constexpr std::size_t cipher_key_bytes(CipherId cipher) noexcept {
  switch (cipher) {
    case CipherId::blowfish:
      return 56;
    case CipherId::aes128:
    case CipherId::cast5:
    case CipherId::idea:
      return 16;
    case CipherId::des3:
      return 24;
    default:
      return 32;
  }
}

constexpr std::size_t cipher_block_bytes(CipherId cipher) noexcept {
  switch (cipher) {
    case CipherId::blowfish:
    case CipherId::cast5:
    case CipherId::des3:
    case CipherId::idea:
      return 8;
    default:
      return 16;
  }
}

// "aes", "serpent", ... as on the command line.
const char* cipher_name(CipherId cipher) noexcept;
const char* mode_name(CipherMode mode) noexcept;

}  // namespace volt
