// Does a derived key open this header, and with which cipher?
#pragma once

#include <array>

#include "blockdev/formats/veracrypt/kdf_table.h"
#include "blockdev/formats/veracrypt/volume_header.h"
#include "crypto/base/secure_buffer.h"
#include "crypto/ciphers/cipher_id.h"
#include "crypto/modes/cascade_spec.h"

namespace volt {

using SealedHeader = std::array<std::uint8_t, header_bytes>;  // salt, then 448 encrypted bytes

struct OpenedHeader {
  VolumeHeader header;
  CipherMode mode = CipherMode::xts;
  const CascadeSpec* cascade = nullptr;
  SecureBuffer keys;  // header_key_area_bytes: the master keys
};

// Tries every cipher and mode that the format has, or only `only`. `key` is the beginning of the
// derived header key: what needs more bytes of it than `key` has is left out, and so is what needs
// no more than `tried_bytes` (it was tried before with a shorter beginning).
// Errors: bad_password_or_header where nothing fits; bad_header or not_supported where the
// password fits, but the header is absurd; no_memory. Thread-safe.
Result<OpenedHeader> try_header(VolumeFormat format, const SealedHeader& sealed, ByteSpan key,
                                std::size_t tried_bytes, const CascadeSpec* only);

// True if a volume of that format may be encrypted so.
bool format_has(VolumeFormat format, CipherMode mode, const CascadeSpec& cascade) noexcept;

// Bytes of the derived header key, and of the key area, that this takes.
std::size_t header_key_bytes(CipherMode mode, const CascadeSpec& cascade) noexcept;

// The inverse: encrypts `plain` (header_plain_bytes) with the derived key in place.
Status encrypt_header(CipherMode mode, const CascadeSpec& cascade, ByteSpan key,
                      MutableByteSpan plain);

}  // namespace volt
