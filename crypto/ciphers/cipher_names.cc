#include "crypto/ciphers/cipher_id.h"

namespace volt {

const char* cipher_name(CipherId cipher) noexcept {
  switch (cipher) {
    case CipherId::aes:
      return "aes";
    case CipherId::serpent:
      return "serpent";
    case CipherId::twofish:
      return "twofish";
    case CipherId::camellia:
      return "camellia";
    case CipherId::kuznyechik:
      return "kuznyechik";
    case CipherId::aes128:
      return "aes-128";
    case CipherId::blowfish:
      return "blowfish";
    case CipherId::cast5:
      return "cast5";
    case CipherId::des3:
      return "des3";
    case CipherId::idea:
      return "idea";
  }
  return "unknown";
}

const char* mode_name(CipherMode mode) noexcept {
  switch (mode) {
    case CipherMode::xts:
      return "xts";
    case CipherMode::lrw:
      return "lrw";
    case CipherMode::cbc:
      return "cbc";
  }
  return "unknown";
}

}  // namespace volt
