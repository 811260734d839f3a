#include "blockdev/formats/veracrypt/volume_secret.h"

namespace volt {

Result<SecureBuffer> mixed_password(VolumeFormat format, ByteSpan password,
                                    const KeyfilePool* keyfiles) {
  const bool has_keyfiles = keyfiles != nullptr && keyfiles->files() > 0;
  if (password.empty() && !has_keyfiles) {
    return Error{ErrorCode::invalid_argument, 0, "empty password, and no key file", 0};
  }
  if (format == VolumeFormat::truecrypt && password.size() > truecrypt_max_password) {
    return Error{ErrorCode::invalid_argument, 0, "password longer than 64 bytes, TrueCrypt's limit",
                 password.size()};
  }
  if (password.size() > veracrypt_max_password) {
    return Error{ErrorCode::invalid_argument, 0, "password longer than 128 bytes", password.size()};
  }
  if (has_keyfiles) return keyfiles->apply(longest_password(format), password);
  return SecureBuffer::copy_of(password);
}

Result<SecureBuffer> mixed_password(const VolumeSecret& secret) {
  if (secret.kdf == nullptr) return Error{ErrorCode::invalid_argument, 0, "no PRF", 0};
  VOLT_TRY(check_pim(secret.kdf->format, secret.kdf->system, secret.pim));
  return mixed_password(secret.kdf->format, secret.password, secret.keyfiles);
}

}  // namespace volt
