// XTS by other people's code, one data unit at a time: Botan, and OpenSSL for AES; Kuznyechik,
// which Botan 2 lacks, by a plain reading of the standard.
#pragma once

#include <cstdint>
#include <memory>

#include "crypto/base/bytes.h"
#include "crypto/ciphers/cipher_id.h"
#include "tests/support/vec_reader.h"

namespace volt {

class XtsOracle {
 public:
  virtual ~XtsOracle() = default;
  virtual Bytes encrypt(std::uint64_t first_unit, const Bytes& plain) = 0;
  virtual Bytes decrypt(std::uint64_t first_unit, const Bytes& cipher) = 0;
};

// `keys`: data key, then tweak key, as long as the cipher has them. Of AES, OpenSSL's oracle has
// both key sizes and tells them by the length.
std::unique_ptr<XtsOracle> xts_oracle(CipherId cipher, const Bytes& keys,
                                      DataUnit unit = DataUnit::bytes512);
std::unique_ptr<XtsOracle> openssl_aes_oracle(const Bytes& keys,
                                              DataUnit unit = DataUnit::bytes512);

// One block of the cipher.
Bytes oracle_encrypt_block(CipherId cipher, const Bytes& key, const Bytes& block);

}  // namespace volt
