// SHA-512 and SHA-256 (FIPS 180-4, 6.4 and 6.2), for one message or for one a lane.
#pragma once

#include "crypto/isa/words.inl.h"
#include "crypto/kernels/word_ops.inl.h"

namespace volt {
namespace {

constexpr std::uint64_t sha512_k[80] = {
    0x428A2F98D728AE22, 0x7137449123EF65CD, 0xB5C0FBCFEC4D3B2F, 0xE9B5DBA58189DBBC,
    0x3956C25BF348B538, 0x59F111F1B605D019, 0x923F82A4AF194F9B, 0xAB1C5ED5DA6D8118,
    0xD807AA98A3030242, 0x12835B0145706FBE, 0x243185BE4EE4B28C, 0x550C7DC3D5FFB4E2,
    0x72BE5D74F27B896F, 0x80DEB1FE3B1696B1, 0x9BDC06A725C71235, 0xC19BF174CF692694,
    0xE49B69C19EF14AD2, 0xEFBE4786384F25E3, 0x0FC19DC68B8CD5B5, 0x240CA1CC77AC9C65,
    0x2DE92C6F592B0275, 0x4A7484AA6EA6E483, 0x5CB0A9DCBD41FBD4, 0x76F988DA831153B5,
    0x983E5152EE66DFAB, 0xA831C66D2DB43210, 0xB00327C898FB213F, 0xBF597FC7BEEF0EE4,
    0xC6E00BF33DA88FC2, 0xD5A79147930AA725, 0x06CA6351E003826F, 0x142929670A0E6E70,
    0x27B70A8546D22FFC, 0x2E1B21385C26C926, 0x4D2C6DFC5AC42AED, 0x53380D139D95B3DF,
    0x650A73548BAF63DE, 0x766A0ABB3C77B2A8, 0x81C2C92E47EDAEE6, 0x92722C851482353B,
    0xA2BFE8A14CF10364, 0xA81A664BBC423001, 0xC24B8B70D0F89791, 0xC76C51A30654BE30,
    0xD192E819D6EF5218, 0xD69906245565A910, 0xF40E35855771202A, 0x106AA07032BBD1B8,
    0x19A4C116B8D2D0C8, 0x1E376C085141AB53, 0x2748774CDF8EEB99, 0x34B0BCB5E19B48A8,
    0x391C0CB3C5C95A63, 0x4ED8AA4AE3418ACB, 0x5B9CCA4F7763E373, 0x682E6FF3D6B2B8A3,
    0x748F82EE5DEFB2FC, 0x78A5636F43172F60, 0x84C87814A1F0AB72, 0x8CC702081A6439EC,
    0x90BEFFFA23631E28, 0xA4506CEBDE82BDE9, 0xBEF9A3F7B2C67915, 0xC67178F2E372532B,
    0xCA273ECEEA26619C, 0xD186B8C721C0C207, 0xEADA7DD6CDE0EB1E, 0xF57D4F7FEE6ED178,
    0x06F067AA72176FBA, 0x0A637DC5A2C898A6, 0x113F9804BEF90DAE, 0x1B710B35131C471B,
    0x28DB77F523047D84, 0x32CAAB7B40C72493, 0x3C9EBE0A15C9BEBC, 0x431D67C49C100D4C,
    0x4CC5D4BECB3E42B6, 0x597F299CFC657E2A, 0x5FCB6FAB3AD6FAEC, 0x6C44198C4A475817,
};

constexpr std::uint32_t sha256_k[64] = {
    0x428A2F98, 0x71374491, 0xB5C0FBCF, 0xE9B5DBA5, 0x3956C25B, 0x59F111F1, 0x923F82A4, 0xAB1C5ED5,
    0xD807AA98, 0x12835B01, 0x243185BE, 0x550C7DC3, 0x72BE5D74, 0x80DEB1FE, 0x9BDC06A7, 0xC19BF174,
    0xE49B69C1, 0xEFBE4786, 0x0FC19DC6, 0x240CA1CC, 0x2DE92C6F, 0x4A7484AA, 0x5CB0A9DC, 0x76F988DA,
    0x983E5152, 0xA831C66D, 0xB00327C8, 0xBF597FC7, 0xC6E00BF3, 0xD5A79147, 0x06CA6351, 0x14292967,
    0x27B70A85, 0x2E1B2138, 0x4D2C6DFC, 0x53380D13, 0x650A7354, 0x766A0ABB, 0x81C2C92E, 0x92722C85,
    0xA2BFE8A1, 0xA81A664B, 0xC24B8B70, 0xC76C51A3, 0xD192E819, 0xD6990624, 0xF40E3585, 0x106AA070,
    0x19A4C116, 0x1E376C08, 0x2748774C, 0x34B0BCB5, 0x391C0CB3, 0x4ED8AA4A, 0x5B9CCA4F, 0x682E6FF3,
    0x748F82EE, 0x78A5636F, 0x84C87814, 0x8CC70208, 0x90BEFFFA, 0xA4506CEB, 0xBEF9A3F7, 0xC67178F2,
};

// What tells the two apart: word, rounds, rotations.
struct Sha512 {
  using Word = std::uint64_t;
  static constexpr std::size_t words = 8;
  static constexpr bool big_endian = true;
  static constexpr Word pad_word = Word{1} << 63;
  static constexpr std::size_t length_word = 15;
  static constexpr Word iv[words] = {
      0x6A09E667F3BCC908, 0xBB67AE8584CAA73B, 0x3C6EF372FE94F82B, 0xA54FF53A5F1D36F1,
      0x510E527FADE682D1, 0x9B05688C2B3E6C1F, 0x1F83D9ABFB41BD6B, 0x5BE0CD19137E2179,
  };
  static constexpr int rounds = 80;
  static constexpr const Word* k = sha512_k;
  template <class Ops>
  static VOLT_INLINE typename Ops::V big_sigma0(typename Ops::V x) {
    return Ops::xor3(Ops::template rotate_right<28>(x), Ops::template rotate_right<34>(x),
                     Ops::template rotate_right<39>(x));
  }
  template <class Ops>
  static VOLT_INLINE typename Ops::V big_sigma1(typename Ops::V x) {
    return Ops::xor3(Ops::template rotate_right<14>(x), Ops::template rotate_right<18>(x),
                     Ops::template rotate_right<41>(x));
  }
  template <class Ops>
  static VOLT_INLINE typename Ops::V small_sigma0(typename Ops::V x) {
    return Ops::xor3(Ops::template rotate_right<1>(x), Ops::template rotate_right<8>(x), x >> 7);
  }
  template <class Ops>
  static VOLT_INLINE typename Ops::V small_sigma1(typename Ops::V x) {
    return Ops::xor3(Ops::template rotate_right<19>(x), Ops::template rotate_right<61>(x), x >> 6);
  }
  template <class Ops>
  static VOLT_INLINE void compress(typename Ops::V* state, typename Ops::V* w);
};

struct Sha256 {
  using Word = std::uint32_t;
  static constexpr std::size_t words = 8;
  static constexpr bool big_endian = true;
  static constexpr Word pad_word = Word{1} << 31;
  static constexpr std::size_t length_word = 15;
  static constexpr Word iv[words] = {
      0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A,
      0x510E527F, 0x9B05688C, 0x1F83D9AB, 0x5BE0CD19,
  };
  static constexpr int rounds = 64;
  static constexpr const Word* k = sha256_k;
  template <class Ops>
  static VOLT_INLINE typename Ops::V big_sigma0(typename Ops::V x) {
    return Ops::xor3(Ops::template rotate_right<2>(x), Ops::template rotate_right<13>(x),
                     Ops::template rotate_right<22>(x));
  }
  template <class Ops>
  static VOLT_INLINE typename Ops::V big_sigma1(typename Ops::V x) {
    return Ops::xor3(Ops::template rotate_right<6>(x), Ops::template rotate_right<11>(x),
                     Ops::template rotate_right<25>(x));
  }
  template <class Ops>
  static VOLT_INLINE typename Ops::V small_sigma0(typename Ops::V x) {
    return Ops::xor3(Ops::template rotate_right<7>(x), Ops::template rotate_right<18>(x), x >> 3);
  }
  template <class Ops>
  static VOLT_INLINE typename Ops::V small_sigma1(typename Ops::V x) {
    return Ops::xor3(Ops::template rotate_right<17>(x), Ops::template rotate_right<19>(x), x >> 10);
  }
  template <class Ops>
  static VOLT_INLINE void compress(typename Ops::V* state, typename Ops::V* w);
};

template <class H, class Ops>
VOLT_INLINE void sha2_round(typename Ops::V a, typename Ops::V b, typename Ops::V c,
                            typename Ops::V& d, typename Ops::V e, typename Ops::V f,
                            typename Ops::V g, typename Ops::V& h, typename Ops::V kw) {
  h += H::template big_sigma1<Ops>(e) + Ops::choose(e, f, g) + kw;
  d += h;
  h += H::template big_sigma0<Ops>(a) + Ops::majority(a, b, c);
}

// The message word of round `t` (`i` = t mod 16), kept in place of the word of sixteen rounds ago.
template <class H, class Ops, bool first>
VOLT_INLINE typename Ops::V sha2_message(typename Ops::V* w, int t, int i) {
  if constexpr (!first) {
    w[i] += H::template small_sigma1<Ops>(w[(i + 14) & 15]) + w[(i + 9) & 15] +
            H::template small_sigma0<Ops>(w[(i + 1) & 15]);
  }
  return w[i] + Ops::broadcast(H::k[t]);
}

template <class H, class Ops, bool first>
VOLT_INLINE void sha2_sixteen(typename Ops::V (&s)[8], typename Ops::V* w, int t) {
  VOLT_UNROLL(2)
  for (int i = 0; i < 16; i += 8, t += 8) {
    const auto kw = [&](int j)
                        VOLT_INLINE_BODY { return sha2_message<H, Ops, first>(w, t + j, i + j); };
    sha2_round<H, Ops>(s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7], kw(0));
    sha2_round<H, Ops>(s[7], s[0], s[1], s[2], s[3], s[4], s[5], s[6], kw(1));
    sha2_round<H, Ops>(s[6], s[7], s[0], s[1], s[2], s[3], s[4], s[5], kw(2));
    sha2_round<H, Ops>(s[5], s[6], s[7], s[0], s[1], s[2], s[3], s[4], kw(3));
    sha2_round<H, Ops>(s[4], s[5], s[6], s[7], s[0], s[1], s[2], s[3], kw(4));
    sha2_round<H, Ops>(s[3], s[4], s[5], s[6], s[7], s[0], s[1], s[2], kw(5));
    sha2_round<H, Ops>(s[2], s[3], s[4], s[5], s[6], s[7], s[0], s[1], kw(6));
    sha2_round<H, Ops>(s[1], s[2], s[3], s[4], s[5], s[6], s[7], s[0], kw(7));
  }
}

// Overwrites `w`, the sixteen words of a block.
template <class H, class Ops>
VOLT_INLINE void sha2_compress(typename Ops::V* state, typename Ops::V* w) {
  typename Ops::V s[8];
  for (int i = 0; i < 8; ++i) s[i] = state[i];
  sha2_sixteen<H, Ops, true>(s, w, 0);
  for (int t = 16; t < H::rounds; t += 16) sha2_sixteen<H, Ops, false>(s, w, t);
  for (int i = 0; i < 8; ++i) state[i] += s[i];
}

template <class Ops>
VOLT_INLINE void Sha512::compress(typename Ops::V* state, typename Ops::V* w) {
  sha2_compress<Sha512, Ops>(state, w);
}

template <class Ops>
VOLT_INLINE void Sha256::compress(typename Ops::V* state, typename Ops::V* w) {
  sha2_compress<Sha256, Ops>(state, w);
}

}  // namespace
}  // namespace volt
