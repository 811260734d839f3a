// PBKDF2 loops without any instruction set: one lane each.
#include "crypto/kernels/pbkdf2_kernel.h"
#include "crypto/kernels/pbkdf2_loop.inl.h"
#include "crypto/kernels/ripemd160_rounds.inl.h"
#include "crypto/kernels/sha1_rounds.inl.h"
#include "crypto/kernels/sha2_rounds.inl.h"
#include "crypto/kernels/streebog_rounds.inl.h"
#include "crypto/kernels/whirlpool_rounds.inl.h"

namespace volt {
namespace {

struct WhirlpoolLoop {
  WhirlpoolKeys keyed[2];
  std::uint64_t u[8];
  std::uint64_t t[8];
  std::uint64_t chain[8];

  // The digest fills a block; the padding is a second one, always the same.
  void half(int which) {
    constexpr std::uint64_t padding[8] = {std::uint64_t{1} << 63, 0, 0, 0, 0, 0, 0, 128 * 8};
    whirlpool_compress_with(keyed[which], u, chain);
    whirlpool_compress(chain, padding);
    std::memcpy(u, chain, sizeof u);
  }
};

void whirlpool_iterate(const void* inner, const void* outer, std::uint8_t* u, std::uint8_t* t,
                       std::uint32_t count) {
  WhirlpoolLoop loop;
  std::memcpy(loop.chain, inner, sizeof loop.chain);
  whirlpool_expand(loop.chain, loop.keyed[0]);
  std::memcpy(loop.chain, outer, sizeof loop.chain);
  whirlpool_expand(loop.chain, loop.keyed[1]);
  load_lanes<Scalar64, true, 8>(u, loop.u);
  load_lanes<Scalar64, true, 8>(t, loop.t);
  for (std::uint32_t i = 0; i < count; ++i) {
    loop.half(0);
    loop.half(1);
    for (int k = 0; k < 8; ++k) loop.t[k] ^= loop.u[k];
  }
  store_lanes<Scalar64, true, 8>(loop.u, u);
  store_lanes<Scalar64, true, 8>(loop.t, t);
  wipe(&loop, sizeof loop);
}

struct StreebogLoop {
  std::uint64_t keyed[2][24];  // h, N, Sigma
  StreebogKeys keys[2];
  std::uint64_t u[8];
  std::uint64_t t[8];
  std::uint64_t h[8];
  std::uint64_t sigma[8];

  // The digest fills a block; then the padding, the length and the sum of all blocks.
  void half(int which) {
    constexpr std::uint64_t zero[8] = {};
    constexpr std::uint64_t one[8] = {1};
    constexpr std::uint64_t length[8] = {1024};
    streebog_g_with(keys[which], keyed[which], u, h);
    std::memcpy(sigma, keyed[which] + 16, sizeof sigma);
    streebog_add(sigma, u);
    streebog_g(h, length, one);
    streebog_add(sigma, one);
    streebog_g(h, zero, length);
    streebog_g(h, zero, sigma);
    std::memcpy(u, h, sizeof u);
  }
};

void streebog_iterate(const void* inner, const void* outer, std::uint8_t* u, std::uint8_t* t,
                      std::uint32_t count) {
  StreebogLoop loop;
  std::memcpy(loop.keyed[0], inner, sizeof loop.keyed[0]);
  std::memcpy(loop.keyed[1], outer, sizeof loop.keyed[1]);
  for (int which = 0; which < 2; ++which) {
    streebog_expand(loop.keyed[which], loop.keyed[which] + 8, loop.keys[which]);
  }
  load_lanes<Scalar64, false, 8>(u, loop.u);
  load_lanes<Scalar64, false, 8>(t, loop.t);
  for (std::uint32_t i = 0; i < count; ++i) {
    loop.half(0);
    loop.half(1);
    for (int k = 0; k < 8; ++k) loop.t[k] ^= loop.u[k];
  }
  store_lanes<Scalar64, false, 8>(loop.u, u);
  store_lanes<Scalar64, false, 8>(loop.t, t);
  wipe(&loop, sizeof loop);
}

}  // namespace

extern constinit const Pbkdf2Kernel pbkdf2_sha512_portable = {
    PrfId::sha512, "portable", 0, 1, 435, HmacLoop<Sha512, Scalar64>::iterate};
extern constinit const Pbkdf2Kernel pbkdf2_sha256_portable = {
    PrfId::sha256, "portable", 0, 1, 338, HmacLoop<Sha256, Scalar32>::iterate};
extern constinit const Pbkdf2Kernel pbkdf2_blake2s_portable = {
    PrfId::blake2s, "portable", 0, 1, 165, HmacLoop<Blake2s, Scalar32>::iterate};
extern constinit const Pbkdf2Kernel pbkdf2_whirlpool_portable = {
    PrfId::whirlpool, "portable", 0, 1, 700, whirlpool_iterate, true};
extern constinit const Pbkdf2Kernel pbkdf2_streebog_portable = {
    PrfId::streebog, "portable", 0, 1, 1850, streebog_iterate, true};
extern constinit const Pbkdf2Kernel pbkdf2_ripemd160_portable = {
    PrfId::ripemd160, "portable", 0, 1, 224, HmacLoop<Ripemd160, Scalar32>::iterate};
extern constinit const Pbkdf2Kernel pbkdf2_sha1_portable = {
    PrfId::sha1, "portable", 0, 1, 330, HmacLoop<Sha1, Scalar32>::iterate};

}  // namespace volt
