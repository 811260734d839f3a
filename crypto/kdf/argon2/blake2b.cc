#include "crypto/kdf/argon2/blake2b.h"

#include <algorithm>
#include <array>
#include <bit>

#include "crypto/base/secure_buffer.h"

namespace volt {
namespace {

constexpr std::size_t block_bytes = 128;

constexpr std::array<std::uint64_t, 8> iv{
    0x6A09E667F3BCC908, 0xBB67AE8584CAA73B, 0x3C6EF372FE94F82B, 0xA54FF53A5F1D36F1,
    0x510E527FADE682D1, 0x9B05688C2B3E6C1F, 0x1F83D9ABFB41BD6B, 0x5BE0CD19137E2179};

constexpr std::uint8_t sigma[10][16] = {
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
    {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
    {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4},
    {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
    {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13},
    {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
    {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11},
    {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
    {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5},
    {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0},
};

// Everything that depends on the message, so that it can be wiped in one go.
struct State {
  std::array<std::uint64_t, 8> h;
  std::array<std::uint64_t, 16> m;
  std::array<std::uint64_t, 16> v;
  std::array<std::uint8_t, block_bytes> buffer;
  std::size_t buffered = 0;
  std::uint64_t bytes = 0;

  ~State() { secure_wipe(this, sizeof *this); }

  void mix(int a, int b, int c, int d, std::uint64_t x, std::uint64_t y) noexcept {
    const auto at = [this](int i) -> std::uint64_t& { return v[static_cast<std::size_t>(i)]; };
    at(a) += at(b) + x;
    at(d) = std::rotr(at(d) ^ at(a), 32);
    at(c) += at(d);
    at(b) = std::rotr(at(b) ^ at(c), 24);
    at(a) += at(b) + y;
    at(d) = std::rotr(at(d) ^ at(a), 16);
    at(c) += at(d);
    at(b) = std::rotr(at(b) ^ at(c), 63);
  }

  void compress(bool last) noexcept {
    for (std::size_t i = 0; i < 16; ++i) m[i] = load_le<std::uint64_t>(&buffer[i * 8]);
    for (std::size_t i = 0; i < 8; ++i) {
      v[i] = h[i];
      v[i + 8] = iv[i];
    }
    v[12] ^= bytes;
    if (last) v[14] = ~v[14];
    for (int round = 0; round < 12; ++round) {
      const auto& s = sigma[round % 10];
      for (int i = 0; i < 4; ++i) mix(i, i + 4, i + 8, i + 12, m[s[2 * i]], m[s[2 * i + 1]]);
      for (int i = 0; i < 4; ++i) {
        mix(i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4, m[s[8 + 2 * i]],
            m[s[9 + 2 * i]]);
      }
    }
    for (std::size_t i = 0; i < 8; ++i) h[i] ^= v[i] ^ v[i + 8];
  }

  void update(ByteSpan part) noexcept {
    while (!part.empty()) {
      if (buffered == block_bytes) {  // more follows: this block is not the last
        compress(false);
        buffered = 0;
      }
      const std::size_t taken = std::min(part.size(), block_bytes - buffered);
      std::copy_n(part.begin(), taken, buffer.begin() + static_cast<std::ptrdiff_t>(buffered));
      buffered += taken;
      bytes += taken;
      part = part.subspan(taken);
    }
  }
};

}  // namespace

void blake2b(std::initializer_list<ByteSpan> parts, MutableByteSpan digest) noexcept {
  State state;
  state.h = iv;
  state.h[0] ^= 0x01010000U ^ digest.size();
  for (const ByteSpan part : parts) state.update(part);
  std::fill(state.buffer.begin() + static_cast<std::ptrdiff_t>(state.buffered), state.buffer.end(),
            std::uint8_t{0});
  state.compress(true);
  std::array<std::uint8_t, 64> whole;
  for (std::size_t i = 0; i < 8; ++i) store_le<std::uint64_t>(&whole[i * 8], state.h[i]);
  std::copy_n(whole.begin(), digest.size(), digest.begin());
  secure_wipe(whole.data(), whole.size());
}

}  // namespace volt
