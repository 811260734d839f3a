#include "tests/support/kuznyechik_reference.h"

#include <array>

#include "crypto/ciphers/gost_tables.inl.h"

namespace volt {
namespace {

std::uint8_t times(std::uint8_t a, std::uint8_t b) {
  unsigned product = 0;
  for (int i = 7; i >= 0; --i) {
    product = (product << 1) ^ ((product & 0x80U) != 0 ? 0x1C3U : 0U);
    if ((b >> i) & 1) product ^= a;
  }
  return static_cast<std::uint8_t>(product);
}

constexpr std::array<std::uint8_t, 16> coefficients{148, 32,  133, 16, 194, 192, 1,   251,
                                                    1,   192, 194, 16, 133, 32,  148, 1};

void slow_linear_map(Bytes& block) {
  for (int step = 0; step < 16; ++step) {
    std::uint8_t sum = 0;
    for (std::size_t i = 0; i < 16; ++i) sum ^= times(block[i], coefficients[i]);
    block.insert(block.begin(), sum);
    block.pop_back();
  }
}

void slow_linear_map_inverse(Bytes& block) {
  for (int step = 0; step < 16; ++step) {
    block.push_back(block.front());
    block.erase(block.begin());
    std::uint8_t sum = 0;
    for (std::size_t i = 0; i < 16; ++i) sum ^= times(block[i], coefficients[i]);
    block[15] = sum;
  }
}

// A linear map is the sum of its values at the single bytes.
class LinearTable {
 public:
  explicit LinearTable(void (*map)(Bytes&)) {
    for (std::size_t at = 0; at < 16; ++at) {
      for (std::size_t byte = 0; byte < 256; ++byte) {
        Bytes block(16);
        block[at] = static_cast<std::uint8_t>(byte);
        map(block);
        values_.push_back(block);
      }
    }
  }
  void apply(Bytes& block) const {
    Bytes sum(16);
    for (std::size_t at = 0; at < 16; ++at) {
      const Bytes& value = values_[at * 256 + block[at]];
      for (std::size_t i = 0; i < 16; ++i) sum[i] ^= value[i];
    }
    block = sum;
  }

 private:
  std::vector<Bytes> values_;
};

void linear_map(Bytes& block) {
  static const LinearTable table(slow_linear_map);
  table.apply(block);
}

void linear_map_inverse(Bytes& block) {
  static const LinearTable table(slow_linear_map_inverse);
  table.apply(block);
}

void add(Bytes& block, const Bytes& other) {
  for (std::size_t i = 0; i < 16; ++i) block[i] ^= other[i];
}

void substitute(Bytes& block) {
  for (std::uint8_t& byte : block) byte = gost_pi[byte];
}

void substitute_inverse(Bytes& block) {
  for (std::uint8_t& byte : block) {
    std::uint8_t x = 0;
    while (gost_pi[x] != byte) ++x;
    byte = x;
  }
}

std::vector<Bytes> round_keys(const Bytes& key) {
  Bytes a(key.begin(), key.begin() + 16);
  Bytes b(key.begin() + 16, key.end());
  std::vector<Bytes> keys{a, b};
  for (int i = 1; i <= 32; ++i) {
    Bytes constant(16);
    constant[15] = static_cast<std::uint8_t>(i);
    linear_map(constant);
    Bytes mixed = a;
    add(mixed, constant);
    substitute(mixed);
    linear_map(mixed);
    add(mixed, b);
    b = a;
    a = mixed;
    if (i % 8 == 0) {
      keys.push_back(a);
      keys.push_back(b);
    }
  }
  return keys;
}

}  // namespace

KuznyechikReference::KuznyechikReference(const Bytes& key) : keys_(round_keys(key)) {}

Bytes KuznyechikReference::encrypt(Bytes block) const {
  for (std::size_t r = 0; r < 9; ++r) {
    add(block, keys_[r]);
    substitute(block);
    linear_map(block);
  }
  add(block, keys_[9]);
  return block;
}

Bytes KuznyechikReference::decrypt(Bytes block) const {
  add(block, keys_[9]);
  for (std::size_t r = 9; r-- > 0;) {
    linear_map_inverse(block);
    substitute_inverse(block);
    add(block, keys_[r]);
  }
  return block;
}

}  // namespace volt
