#include "crypto/modes/legacy_cipher.h"

#include <algorithm>
#include <utility>

namespace volt {
namespace {

bool has_layer(const CascadeSpec& spec, CipherId cipher) noexcept {
  const auto end = spec.encryption_order.begin() + spec.layers;
  return std::find(spec.encryption_order.begin(), end, cipher) != end;
}

}  // namespace

bool legacy_mode_has(CipherMode mode, const CascadeSpec& spec) noexcept {
  if (mode == CipherMode::xts) return false;
  if (spec.truecrypt) return true;
  if (!spec.legacy) return false;
  // Blowfish's cascades with ciphers of larger blocks, and IDEA, were gone before LRW came.
  return mode == CipherMode::cbc || (spec.layers == 1 && !has_layer(spec, CipherId::idea));
}

Result<std::unique_ptr<LegacyCipher>> LegacyCipher::create(CipherMode mode, const CascadeSpec& spec,
                                                           ByteSpan key_area) {
  if (!legacy_mode_has(mode, spec) || key_area.size() < legacy_key_bytes(spec)) {
    return Error{ErrorCode::not_supported, 0, "no such cipher in this mode", 0};
  }
  std::vector<BotanBlock> layers;
  std::size_t at = legacy_seed_bytes;
  for (std::size_t i = 0; i < spec.layers; ++i) {
    const CipherId cipher = spec.encryption_order[i];
    const std::size_t bytes = cipher_key_bytes(cipher);
    auto layer = BotanBlock::create(cipher, key_area.subspan(at, bytes));
    if (!layer) return layer.error();
    layers.push_back(std::move(*layer));
    at += bytes;
  }
  const ByteSpan seed = key_area.first(legacy_seed_bytes);
  return mode == CipherMode::lrw ? make_legacy_lrw(std::move(layers), seed)
                                 : make_legacy_cbc(std::move(layers), seed);
}

std::string LegacyCipher::kernel_names() const {
  std::string names = "botan";
  for (std::size_t i = 1; i < layers_.size(); ++i) names += "+botan";
  return names;
}

void LegacyCipher::encrypt_blocks(std::uint8_t* data, std::size_t bytes) const noexcept {
  for (const BotanBlock& layer : layers_) layer.encrypt(data, bytes / layer.block_bytes());
}

void LegacyCipher::decrypt_blocks(std::uint8_t* data, std::size_t bytes) const noexcept {
  for (auto layer = layers_.rbegin(); layer != layers_.rend(); ++layer) {
    layer->decrypt(data, bytes / layer->block_bytes());
  }
}

}  // namespace volt
