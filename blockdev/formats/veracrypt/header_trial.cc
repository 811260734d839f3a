#include "blockdev/formats/veracrypt/header_trial.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "crypto/modes/cascade.h"
#include "crypto/modes/legacy_cipher.h"

namespace volt {
namespace {

constexpr Error no_fit{ErrorCode::bad_password_or_header, 0, "no cipher fits", 0};
constexpr std::size_t salt_bytes = header_bytes - header_plain_bytes;

// An XTS header is data unit 0 without its last 64 bytes. XTS blocks do not depend on one another,
// so a whole unit with anything there does as well. `unit` has unit_bytes.
Status transform_header(CipherMode mode, const CascadeSpec& cascade, ByteSpan key,
                        MutableByteSpan unit, bool encrypt) {
  if (mode == CipherMode::xts) {
    const auto cipher = CascadeCipher::create(cascade, key.first(cascade.xts_key_bytes()));
    if (!cipher) return cipher.error();
    const auto function = encrypt ? &UnitCipher::encrypt_units : &UnitCipher::decrypt_units;
    ((**cipher).*function)(0, unit.data(), unit.data(), 1);
    return {};
  }
  const auto cipher = LegacyCipher::create(mode, cascade, key);
  if (!cipher) return cipher.error();
  const MutableByteSpan header = unit.first(header_plain_bytes);
  if (encrypt) {
    (*cipher)->encrypt_header(header);
  } else {
    (*cipher)->decrypt_header(header);
  }
  return {};
}

struct Scratch {
  SecureBuffer unit;
  SecureBuffer keys;

  static Result<Scratch> create() {
    auto unit = SecureBuffer::create(unit_bytes);
    if (!unit) return unit.error();
    auto keys = SecureBuffer::create(header_key_area_bytes);
    if (!keys) return keys.error();
    return Scratch{std::move(*unit), std::move(*keys)};
  }
};

Result<VolumeHeader> try_cipher(VolumeFormat format, const SealedHeader& sealed, ByteSpan key,
                                CipherMode mode, const CascadeSpec& cascade, Scratch* scratch) {
  std::copy_n(sealed.data() + salt_bytes, header_plain_bytes, scratch->unit.data());
  const Status decrypted = transform_header(mode, cascade, key, scratch->unit.span(), false);
  // A cipher that is not built in opens nothing; the others still may.
  if (!decrypted && decrypted.error().code == ErrorCode::not_supported) return no_fit;
  if (!decrypted) return decrypted.error();
  auto header = parse_header(scratch->unit.span().first(header_plain_bytes), scratch->keys.span());
  if (header && header->format != format) {
    return no_fit;
  }
  return header;
}

}  // namespace

bool format_has(VolumeFormat format, CipherMode mode, const CascadeSpec& cascade) noexcept {
  if (format == VolumeFormat::veracrypt) return mode == CipherMode::xts && cascade.veracrypt;
  return mode == CipherMode::xts ? cascade.truecrypt : legacy_mode_has(mode, cascade);
}

std::size_t header_key_bytes(CipherMode mode, const CascadeSpec& cascade) noexcept {
  return mode == CipherMode::xts ? cascade.xts_key_bytes() : legacy_key_bytes(cascade);
}

Result<OpenedHeader> try_header(VolumeFormat format, const SealedHeader& sealed, ByteSpan key,
                                std::size_t tried_bytes, const CascadeSpec* only) {
  auto scratch = Scratch::create();
  if (!scratch) return scratch.error();
  for (const CipherMode mode : {CipherMode::xts, CipherMode::lrw, CipherMode::cbc}) {
    for (const CascadeSpec& cascade : all_cascades()) {
      if (only != nullptr && only != &cascade) continue;
      if (!format_has(format, mode, cascade)) continue;
      const std::size_t needed = header_key_bytes(mode, cascade);
      if (needed <= tried_bytes || needed > key.size()) continue;
      const auto header = try_cipher(format, sealed, key, mode, cascade, &*scratch);
      if (header) return OpenedHeader{*header, mode, &cascade, std::move(scratch->keys)};
      if (header.error().code != ErrorCode::bad_password_or_header) return header.error();
    }
  }
  return no_fit;
}

Status encrypt_header(CipherMode mode, const CascadeSpec& cascade, ByteSpan key,
                      MutableByteSpan plain) {
  assert(plain.size() == header_plain_bytes);
  auto unit = SecureBuffer::create(unit_bytes);
  if (!unit) return unit.error();
  std::copy(plain.begin(), plain.end(), unit->data());
  VOLT_TRY(transform_header(mode, cascade, key, unit->span(), true));
  std::copy_n(unit->data(), plain.size(), plain.data());
  return {};
}

}  // namespace volt
