// PBKDF2 loops on AVX-512: eight lanes of SHA-512, sixteen of the hashes of 32-bit words.
#include "crypto/isa/avx512.inl.h"
#include "crypto/kernels/pbkdf2_kernel.h"
#include "crypto/kernels/pbkdf2_loop.inl.h"
#include "crypto/kernels/ripemd160_rounds.inl.h"
#include "crypto/kernels/sha2_rounds.inl.h"

namespace volt {
namespace {

using V8x64 = std::uint64_t __attribute__((vector_size(64)));
using V16x32 = std::uint32_t __attribute__((vector_size(64)));

// Rotations and functions of three operands are single instructions.
template <class Word, class V>
struct Avx512Ops : WordOps<Word, V> {
  template <int n>
  static VOLT_INLINE V rotate_right(V x) {
    if constexpr (sizeof(Word) == 8) {
      return (V)Avx512::rotate_right64<n>((Avx512::V)x);
    } else {
      return (V)Avx512::rotate_right32<n>((Avx512::V)x);
    }
  }
  // `truth`: bit 4x + 2y + z is the function's value.
  template <int truth>
  static VOLT_INLINE V logic(V x, V y, V z) {
    return (V)Avx512::logic<truth>((Avx512::V)x, (Avx512::V)y, (Avx512::V)z);
  }
  static VOLT_INLINE V xor3(V x, V y, V z) { return logic<0x96>(x, y, z); }
  static VOLT_INLINE V choose(V x, V y, V z) { return logic<0xCA>(x, y, z); }
  static VOLT_INLINE V majority(V x, V y, V z) { return logic<0xE8>(x, y, z); }
  static VOLT_INLINE V or_not_xor(V x, V y, V z) { return logic<0x59>(x, y, z); }
};

using Words64 = Avx512Ops<std::uint64_t, V8x64>;
using Words32 = Avx512Ops<std::uint32_t, V16x32>;
constexpr std::uint32_t features = Avx512::features;

}  // namespace

extern constinit const Pbkdf2Kernel pbkdf2_sha512_avx512 = {
    PrfId::sha512, "avx512", features, 8, 630, HmacLoop<Sha512, Words64>::iterate};
extern constinit const Pbkdf2Kernel pbkdf2_sha256_avx512 = {
    PrfId::sha256, "avx512", features, 16, 500, HmacLoop<Sha256, Words32>::iterate};
extern constinit const Pbkdf2Kernel pbkdf2_blake2s_avx512 = {
    PrfId::blake2s, "avx512", features, 16, 340, HmacLoop<Blake2s, Words32>::iterate};
extern constinit const Pbkdf2Kernel pbkdf2_ripemd160_avx512 = {
    PrfId::ripemd160, "avx512", features, 16, 470, HmacLoop<Ripemd160, Words32>::iterate};

}  // namespace volt
