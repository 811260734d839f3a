// Which ciphers a volume may be encrypted with, as data.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "crypto/ciphers/cipher_id.h"

namespace volt {

// One row: a cipher or a cascade. A label is the reverse of the order of encryption:
// "aes-twofish-serpent" encrypts with Serpent first, then Twofish, then AES.
struct CascadeSpec {
  const char* name;   // "aes-twofish-serpent": command line, JSON
  const char* label;  // "AES-Twofish-Serpent": VeraCrypt's and TrueCrypt's label
  std::uint8_t layers;
  std::array<CipherId, 3> encryption_order;  // the first `layers` count
  bool veracrypt;                            // VeraCrypt offers it (XTS)
  bool truecrypt;                            // TrueCrypt 5 and later offers it (XTS)
  bool legacy;                               // only in CBC or LRW volumes of TrueCrypt 1 to 4

  // Bytes of one layer's data key in XTS, and of its tweak key.
  constexpr std::size_t layer_key_bytes() const noexcept {
    return encryption_order[0] == CipherId::aes128 ? cipher_key_bytes(CipherId::aes128) : 32;
  }
  // Bytes of the key area of an XTS header: all data keys in order of encryption, then all tweak
  // keys in the same order.
  constexpr std::size_t xts_key_bytes() const noexcept {
    return std::size_t{layers} * 2 * layer_key_bytes();
  }
};

// All rows, the plain ciphers first, then by popularity: unlocking tries them in this order.
std::span<const CascadeSpec> all_cascades() noexcept;

// The row with that name or label, compared as same_name() does, or null.
const CascadeSpec* find_cascade(std::string_view name) noexcept;

// AES-128 in XTS ("aes-128"), which neither VeraCrypt nor TrueCrypt offers: not among
// all_cascades().
const CascadeSpec& aes128_spec() noexcept;

}  // namespace volt
