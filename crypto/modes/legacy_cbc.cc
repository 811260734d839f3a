// CBC with secret IVs and whitening, as TrueCrypt 1 to 4.0 has it. Every unit has an IV and eight
// bytes of whitening that are xored over the ciphertext; both come from the seed and the unit's
// number. Cascades of equal block sizes chain around all layers ("outer CBC"); where sizes differ
// every layer is a CBC of its own ("inner CBC").
#include <algorithm>
#include <array>
#include <utility>

#include "crypto/base/crc32.h"
#include "crypto/modes/legacy_cipher.h"

namespace volt {
namespace {

constexpr std::size_t whitening_bytes = 8;
constexpr std::size_t largest_block = 16;

// What one unit or header is chained with. Derived from keys: wiped.
struct Chain {
  std::array<std::uint8_t, largest_block> iv{};
  std::array<std::uint8_t, whitening_bytes> whitening{};

  Chain() = default;
  Chain(const Chain&) = default;
  Chain& operator=(const Chain&) = default;
  ~Chain() { secure_wipe(this, sizeof(*this)); }
};

void apply_whitening(const Chain& chain, std::uint8_t* data, std::size_t bytes) noexcept {
  for (std::size_t i = 0; i < bytes; ++i) data[i] ^= chain.whitening[i % whitening_bytes];
}

class LegacyCbc final : public LegacyCipher {
 public:
  LegacyCbc(std::vector<BotanBlock> layers, SecureBuffer seed) noexcept
      : LegacyCipher(std::move(layers)), seed_(std::move(seed)) {
    const std::size_t first = this->layers().front().block_bytes();
    for (const BotanBlock& layer : this->layers()) inner_ = inner_ || layer.block_bytes() != first;
  }

  void encrypt_units(std::uint64_t first_unit, const std::uint8_t* in, std::uint8_t* out,
                     std::size_t units) const noexcept override {
    for (std::size_t i = 0; i < units; ++i) {
      std::uint8_t* unit = out + i * unit_bytes;
      std::memmove(unit, in + i * unit_bytes, unit_bytes);
      const std::uint64_t number = first_unit + i;
      encrypt(unit, unit_bytes,
              [&](std::size_t block_bytes) { return unit_chain(number, block_bytes); });
    }
  }
  void decrypt_units(std::uint64_t first_unit, const std::uint8_t* in, std::uint8_t* out,
                     std::size_t units) const noexcept override {
    for (std::size_t i = 0; i < units; ++i) {
      std::uint8_t* unit = out + i * unit_bytes;
      std::memmove(unit, in + i * unit_bytes, unit_bytes);
      const std::uint64_t number = first_unit + i;
      decrypt(unit, unit_bytes,
              [&](std::size_t block_bytes) { return unit_chain(number, block_bytes); });
    }
  }
  void encrypt_header(MutableByteSpan bytes) const noexcept override {
    encrypt(bytes.data(), bytes.size(), [&](std::size_t) { return header_chain(); });
  }
  void decrypt_header(MutableByteSpan bytes) const noexcept override {
    decrypt(bytes.data(), bytes.size(), [&](std::size_t) { return header_chain(); });
  }

 private:
  // The header's IV is the seed's beginning, its whitening the seed's second eight bytes.
  Chain header_chain() const noexcept {
    Chain chain;
    std::copy_n(seed_.data(), largest_block, chain.iv.data());
    std::copy_n(seed_.data() + 8, whitening_bytes, chain.whitening.data());
    return chain;
  }

  // The seed, each of its 8-byte words xored with the unit's number: first the IV (one block), then
  // four words whose CRCs, folded, are the whitening.
  Chain unit_chain(std::uint64_t unit, std::size_t block_bytes) const noexcept {
    std::array<std::uint8_t, legacy_seed_bytes> mixed;
    for (std::size_t at = 0; at < mixed.size(); at += 8) {
      store_le(mixed.data() + at, load_le<std::uint64_t>(seed_.data() + at) ^ unit);
    }
    Chain chain;
    std::copy_n(mixed.data(), block_bytes, chain.iv.data());
    std::array<std::uint32_t, 4> crcs;
    for (std::size_t i = 0; i < crcs.size(); ++i) {
      crcs[i] = crc32(ByteSpan(mixed).subspan(block_bytes + 4 * i, 4));
    }
    store_le(chain.whitening.data(), crcs[0] ^ crcs[3]);
    store_le(chain.whitening.data() + 4, crcs[1] ^ crcs[2]);
    secure_wipe(mixed.data(), mixed.size());
    secure_wipe(crcs.data(), sizeof(crcs));
    return chain;
  }

  template <class ChainOf>
  void encrypt(std::uint8_t* data, std::size_t bytes, const ChainOf& chain_of) const noexcept {
    if (!inner_) {
      const std::size_t block = layers().front().block_bytes();
      chain_encrypt(chain_of(block), block, data, bytes,
                    [&](std::uint8_t* at) { encrypt_blocks(at, block); });
      return;
    }
    for (const BotanBlock& layer : layers()) {
      const std::size_t block = layer.block_bytes();
      chain_encrypt(chain_of(block), block, data, bytes,
                    [&](std::uint8_t* at) { layer.encrypt(at, 1); });
    }
  }

  template <class ChainOf>
  void decrypt(std::uint8_t* data, std::size_t bytes, const ChainOf& chain_of) const noexcept {
    if (!inner_) {
      const std::size_t block = layers().front().block_bytes();
      chain_decrypt(chain_of(block), block, data, bytes,
                    [&](std::uint8_t* at) { decrypt_blocks(at, bytes); });
      return;
    }
    for (auto layer = layers().rbegin(); layer != layers().rend(); ++layer) {
      const std::size_t block = layer->block_bytes();
      chain_decrypt(chain_of(block), block, data, bytes,
                    [&](std::uint8_t* at) { layer->decrypt(at, bytes / block); });
    }
  }

  template <class EncryptBlock>
  static void chain_encrypt(const Chain& chain, std::size_t block, std::uint8_t* data,
                            std::size_t bytes, const EncryptBlock& encrypt_block) noexcept {
    const std::uint8_t* previous = chain.iv.data();
    for (std::size_t at = 0; at < bytes; at += block) {
      for (std::size_t i = 0; i < block; ++i) data[at + i] ^= previous[i];
      encrypt_block(data + at);
      previous = data + at;
    }
    apply_whitening(chain, data, bytes);
  }

  // `bytes` is at most a unit. The blocks do not wait for one another on this way.
  template <class DecryptAll>
  static void chain_decrypt(const Chain& chain, std::size_t block, std::uint8_t* data,
                            std::size_t bytes, const DecryptAll& decrypt_all) noexcept {
    apply_whitening(chain, data, bytes);
    std::array<std::uint8_t, largest_block + unit_bytes> previous;
    std::copy_n(chain.iv.data(), block, previous.data());
    std::copy_n(data, bytes - block, previous.data() + block);
    decrypt_all(data);
    for (std::size_t i = 0; i < bytes; ++i) data[i] ^= previous[i];
    // Under inner CBC this is the ciphertext of one layer only.
    secure_wipe(previous.data(), previous.size());
  }

  SecureBuffer seed_;
  bool inner_ = false;
};

}  // namespace

Result<std::unique_ptr<LegacyCipher>> make_legacy_cbc(std::vector<BotanBlock> layers,
                                                      ByteSpan seed) {
  auto kept = SecureBuffer::copy_of(seed);
  if (!kept) return kept.error();
  return std::unique_ptr<LegacyCipher>(
      std::make_unique<LegacyCbc>(std::move(layers), std::move(*kept)));
}

}  // namespace volt
