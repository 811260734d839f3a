// LRW (Liskov, Rivest, Wagner: Tweakable Block Ciphers, 2002; IEEE P1619 draft 1) as TrueCrypt 4.1
// to 4.3a has it: every block is whitened before and after encryption with its index times the
// tweak key in GF(2^128), or in GF(2^64) under ciphers of 8-byte blocks. Numbers are big-endian.
#include <array>
#include <bit>
#include <utility>

#include "crypto/modes/legacy_cipher.h"

namespace volt {
namespace {

constexpr std::size_t index_bits = 64;

// An element of either field: of GF(2^64) only `low` is used.
struct Element {
  std::uint64_t high = 0;
  std::uint64_t low = 0;

  Element& operator^=(const Element& other) noexcept {
    high ^= other.high;
    low ^= other.low;
    return *this;
  }
};

Element times_x(const Element& a, std::size_t block_bytes) noexcept {
  if (block_bytes == 8) return {0, (a.low << 1) ^ (0x1BU & (0U - (a.low >> 63)))};
  return {(a.high << 1) | (a.low >> 63), (a.low << 1) ^ (0x87U & (0U - (a.high >> 63)))};
}

class LegacyLrw final : public LegacyCipher {
 public:
  LegacyLrw(std::vector<BotanBlock> layers, SecureBuffer tables, ByteSpan seed) noexcept
      : LegacyCipher(std::move(layers)),
        block_bytes_(this->layers().front().block_bytes()),
        tables_(std::move(tables)) {
    Element power = block_bytes_ == 8 ? Element{0, load_be<std::uint64_t>(seed.data())}
                                      : Element{load_be<std::uint64_t>(seed.data()),
                                                load_be<std::uint64_t>(seed.data() + 8)};
    Element sum;
    for (std::size_t bit = 0; bit < index_bits; ++bit) {
      sum ^= power;
      powers()[bit] = power;
      sums()[bit] = sum;
      power = times_x(power, block_bytes_);
    }
  }

  static constexpr std::size_t table_bytes = 2 * index_bits * sizeof(Element);

  void encrypt_units(std::uint64_t first_unit, const std::uint8_t* in, std::uint8_t* out,
                     std::size_t units) const noexcept override {
    for (std::size_t i = 0; i < units; ++i) {
      std::uint8_t* unit = out + i * unit_bytes;
      std::memmove(unit, in + i * unit_bytes, unit_bytes);
      transform(first_index(first_unit + i), unit, unit_bytes, true);
    }
  }
  void decrypt_units(std::uint64_t first_unit, const std::uint8_t* in, std::uint8_t* out,
                     std::size_t units) const noexcept override {
    for (std::size_t i = 0; i < units; ++i) {
      std::uint8_t* unit = out + i * unit_bytes;
      std::memmove(unit, in + i * unit_bytes, unit_bytes);
      transform(first_index(first_unit + i), unit, unit_bytes, false);
    }
  }
  void encrypt_header(MutableByteSpan bytes) const noexcept override {
    transform(1, bytes.data(), bytes.size(), true);
  }
  void decrypt_header(MutableByteSpan bytes) const noexcept override {
    transform(1, bytes.data(), bytes.size(), false);
  }

 private:
  // Blocks of a volume are numbered from 1.
  std::uint64_t first_index(std::uint64_t unit) const noexcept {
    return unit * (unit_bytes / block_bytes_) + 1;
  }

  // `bytes` is at most a unit.
  void transform(std::uint64_t index, std::uint8_t* data, std::size_t bytes,
                 bool encrypt) const noexcept {
    std::array<std::uint8_t, unit_bytes> tweaks;
    fill_tweaks(index, tweaks.data(), bytes);
    for (std::size_t i = 0; i < bytes; ++i) data[i] ^= tweaks[i];
    if (encrypt) {
      encrypt_blocks(data, bytes);
    } else {
      decrypt_blocks(data, bytes);
    }
    for (std::size_t i = 0; i < bytes; ++i) data[i] ^= tweaks[i];
    secure_wipe(tweaks.data(), tweaks.size());
  }

  // From one index to the next its lowest bits flip, up to the lowest zero: one sum does it.
  void fill_tweaks(std::uint64_t index, std::uint8_t* out, std::size_t bytes) const noexcept {
    Element tweak;
    for (std::size_t bit = 0; bit < index_bits; ++bit) {
      if (((index >> bit) & 1U) != 0) tweak ^= powers()[bit];
    }
    for (std::size_t at = 0; at < bytes; at += block_bytes_) {
      std::uint8_t* block = out + at;
      if (block_bytes_ == 16) {
        store_be(block, tweak.high);
        block += 8;
      }
      store_be(block, tweak.low);
      ++index;
      if (index != 0) tweak ^= sums()[static_cast<std::size_t>(std::countr_zero(index))];
    }
  }

  // tweak key times x^bit, and the sums of all powers up to a bit.
  Element* powers() const noexcept {
    return reinterpret_cast<Element*>(const_cast<std::uint8_t*>(tables_.data()));
  }
  Element* sums() const noexcept { return powers() + index_bits; }

  std::size_t block_bytes_;
  SecureBuffer tables_;
};

}  // namespace

Result<std::unique_ptr<LegacyCipher>> make_legacy_lrw(std::vector<BotanBlock> layers,
                                                      ByteSpan seed) {
  auto tables = SecureBuffer::create(LegacyLrw::table_bytes);
  if (!tables) return tables.error();
  return std::unique_ptr<LegacyCipher>(
      std::make_unique<LegacyLrw>(std::move(layers), std::move(*tables), seed));
}

}  // namespace volt
