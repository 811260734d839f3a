// Kuznyechik byte by byte, as RFC 7801 writes it: the oracle where Botan lacks the cipher.
#pragma once

#include "tests/support/vec_reader.h"

namespace volt {

class KuznyechikReference {
 public:
  explicit KuznyechikReference(const Bytes& key);  // 32 bytes
  Bytes encrypt(Bytes block) const;
  Bytes decrypt(Bytes block) const;

 private:
  std::vector<Bytes> keys_;
};

}  // namespace volt
