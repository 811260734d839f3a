// XTS by other people's code, one data unit at a time: Botan for every cipher, OpenSSL for AES.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "crypto/bytes.h"
#include "crypto/cipher_id.h"
#include "tests/vec_reader.h"

namespace volt {

class XtsOracle {
 public:
  virtual ~XtsOracle() = default;
  virtual Bytes encrypt(std::uint64_t first_unit, const Bytes& plain) = 0;
  virtual Bytes decrypt(std::uint64_t first_unit, const Bytes& cipher) = 0;
};

// `keys`: data key, then tweak key, 32 bytes each. Null where Botan lacks the cipher.
std::unique_ptr<XtsOracle> botan_oracle(CipherId cipher, const Bytes& keys);
std::unique_ptr<XtsOracle> openssl_aes_oracle(const Bytes& keys);

// One block of the cipher, by Botan; nothing where Botan lacks it.
std::optional<Bytes> botan_encrypt_block(CipherId cipher, const Bytes& key, const Bytes& block);

}  // namespace volt
