// Data units in the modes of TrueCrypt before version 5: LRW (4.1 to 4.3a) and CBC (1 to 4.0).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "crypto/base/result.h"
#include "crypto/ciphers/cipher_id.h"
#include "crypto/ciphers/legacy/botan_block.h"
#include "crypto/modes/cascade.h"
#include "crypto/modes/cascade_spec.h"

namespace volt {

// The key area of these modes: 32 bytes from which IVs and whitening (CBC) or the tweak key (LRW)
// come, then the layers' keys in order of encryption.
inline constexpr std::size_t legacy_seed_bytes = 32;
constexpr std::size_t legacy_key_bytes(const CascadeSpec& spec) noexcept {
  std::size_t bytes = legacy_seed_bytes;
  for (std::size_t i = 0; i < spec.layers; ++i) bytes += cipher_key_bytes(spec.encryption_order[i]);
  return bytes;
}

// True if TrueCrypt had that cipher or cascade in that mode. XTS is not one of these modes.
bool legacy_mode_has(CipherMode mode, const CascadeSpec& spec) noexcept;

// Thread contract: as UnitCipher. In unit functions the first data unit of an LRW volume is 0, that
// of a CBC volume 1. A header has fixed tweaks of its own, hence the two functions for it.
class LegacyCipher : public UnitCipher {
 public:
  // Uses the first legacy_key_bytes(spec) of `key_area`.
  // Errors: not_supported (legacy_mode_has() is false, or the cipher is not built in), no_memory.
  static Result<std::unique_ptr<LegacyCipher>> create(CipherMode mode, const CascadeSpec& spec,
                                                      ByteSpan key_area);

  // In place; `bytes` is a multiple of 16: what follows the salt.
  virtual void encrypt_header(MutableByteSpan bytes) const noexcept = 0;
  virtual void decrypt_header(MutableByteSpan bytes) const noexcept = 0;

  std::string kernel_names() const override;

 protected:
  explicit LegacyCipher(std::vector<BotanBlock> layers) noexcept : layers_(std::move(layers)) {}
  const std::vector<BotanBlock>& layers() const noexcept { return layers_; }
  // All layers, one after the other, over blocks of one size.
  void encrypt_blocks(std::uint8_t* data, std::size_t bytes) const noexcept;
  void decrypt_blocks(std::uint8_t* data, std::size_t bytes) const noexcept;

 private:
  std::vector<BotanBlock> layers_;  // in order of encryption
};

// The two modes; create() chooses.
Result<std::unique_ptr<LegacyCipher>> make_legacy_lrw(std::vector<BotanBlock> layers,
                                                      ByteSpan seed);
Result<std::unique_ptr<LegacyCipher>> make_legacy_cbc(std::vector<BotanBlock> layers,
                                                      ByteSpan seed);

}  // namespace volt
