#include "crypto/kernels/camellia_schedule.h"
#include "crypto/isa/words.inl.h"

#include <cstddef>

#include "crypto/bytes.h"
#include "crypto/kernels/camellia_box.inl.h"

namespace volt {
namespace {

struct Half {
  std::uint64_t high, low;
};

// Product in the field of AES, without a branch on either factor.
unsigned product(unsigned a, unsigned b) {
  unsigned result = 0;
  for (int i = 0; i < 8; ++i) {
    result ^= a & (0U - (b & 1U));
    b >>= 1;
    a = (a << 1) ^ ((a >> 7) * 0x11B);
  }
  return result;
}

// x^254: the inverse, or 0.
unsigned inverse(unsigned x) {
  unsigned result = 1;
  for (int i = 0; i < 7; ++i) {
    x = product(x, x);
    result = product(result, x);
  }
  return result;
}

unsigned substitute(int box, unsigned byte) {
  return camellia::output_map(box)(inverse(camellia::input_map(box)(byte)));
}

// Section 2.4.1. t[0] and y[0] are the most significant bytes.
std::uint64_t round_function(std::uint64_t in, std::uint64_t key) {
  constexpr int boxes[8] = {1, 2, 3, 4, 2, 3, 4, 1};
  constexpr std::uint8_t sums[8] = {0b10110111, 0b11011011, 0b11101101, 0b01111110,
                                    0b11000111, 0b01101011, 0b00111101, 0b10011110};
  unsigned t[8];
  for (int i = 0; i < 8; ++i) {
    t[i] = substitute(boxes[i], static_cast<unsigned>((in ^ key) >> (56 - 8 * i)) & 0xFF);
  }
  std::uint64_t out = 0;
  for (const unsigned terms : sums) {
    unsigned y = 0;
    for (int i = 0; i < 8; ++i) {
      if (((terms >> (7 - i)) & 1) != 0) y ^= t[i];
    }
    out = out << 8 | y;
  }
  wipe(t, sizeof t);
  return out;
}

// The 128-bit word rotated left by n.
Half rotated(const Half& x, int n) {
  const Half y = n >= 64 ? Half{x.low, x.high} : x;
  n %= 64;
  if (n == 0) return y;
  return {y.high << n | y.low >> (64 - n), y.low << n | y.high >> (64 - n)};
}

struct Work {
  Half left, right, a, b, d;
};

// Section 2.2: the key's halves, and two words made of them by rounds with constant keys.
void expand(const std::uint8_t* key, Work& w) {
  w.left = {load_be<std::uint64_t>(key), load_be<std::uint64_t>(key + 8)};
  w.right = {load_be<std::uint64_t>(key + 16), load_be<std::uint64_t>(key + 24)};
  w.d = {w.left.high ^ w.right.high, w.left.low ^ w.right.low};
  w.d.low ^= round_function(w.d.high, 0xA09E667F3BCC908B);
  w.d.high ^= round_function(w.d.low, 0xB67AE8584CAA73B2);
  w.d.high ^= w.left.high;
  w.d.low ^= w.left.low;
  w.d.low ^= round_function(w.d.high, 0xC6EF372FE94F82BE);
  w.d.high ^= round_function(w.d.low, 0x54FF53A5F1D36F1C);
  w.a = w.d;
  w.d = {w.a.high ^ w.right.high, w.a.low ^ w.right.low};
  w.d.low ^= round_function(w.d.high, 0x10E527FADE682D1D);
  w.d.high ^= round_function(w.d.low, 0xB05688C2B3E6C1FD);
  w.b = w.d;
}

void turn_round(const CamelliaSubkeys& encrypt, CamelliaSubkeys& decrypt) {
  for (int i = 0; i < 2; ++i) {
    decrypt.whiten_in[i] = encrypt.whiten_out[i];
    decrypt.whiten_out[i] = encrypt.whiten_in[i];
  }
  for (int i = 0; i < 24; ++i) decrypt.round[i] = encrypt.round[23 - i];
  for (int i = 0; i < 6; ++i) decrypt.mix[i] = encrypt.mix[5 - i];
}

}  // namespace

void camellia_subkeys(const std::uint8_t* key, CamelliaSubkeys& encrypt,
                      CamelliaSubkeys& decrypt) noexcept {
  Work w;
  expand(key, w);
  const auto put = [](std::uint64_t* to, const Half& word, int n) {
    const Half half = rotated(word, n);
    to[0] = half.high;
    to[1] = half.low;
  };
  put(encrypt.whiten_in, w.left, 0);
  put(encrypt.round, w.b, 0);
  put(encrypt.round + 2, w.right, 15);
  put(encrypt.round + 4, w.a, 15);
  put(encrypt.mix, w.right, 30);
  put(encrypt.round + 6, w.b, 30);
  put(encrypt.round + 8, w.left, 45);
  put(encrypt.round + 10, w.a, 45);
  put(encrypt.mix + 2, w.left, 60);
  put(encrypt.round + 12, w.right, 60);
  put(encrypt.round + 14, w.b, 60);
  put(encrypt.round + 16, w.left, 77);
  put(encrypt.mix + 4, w.a, 77);
  put(encrypt.round + 18, w.right, 94);
  put(encrypt.round + 20, w.a, 94);
  put(encrypt.round + 22, w.left, 111);
  put(encrypt.whiten_out, w.b, 111);
  turn_round(encrypt, decrypt);
  wipe(&w, sizeof w);
}

}  // namespace volt
