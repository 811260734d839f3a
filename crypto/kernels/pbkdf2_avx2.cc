// PBKDF2 loops on AVX2: four lanes of SHA-512, eight of the hashes of 32-bit words.
#include "crypto/isa/avx2.inl.h"
#include "crypto/kernels/pbkdf2_kernel.h"
#include "crypto/kernels/pbkdf2_loop.inl.h"
#include "crypto/kernels/ripemd160_rounds.inl.h"
#include "crypto/kernels/sha2_rounds.inl.h"

namespace volt {
namespace {

using V4x64 = std::uint64_t __attribute__((vector_size(32)));
using V8x32 = std::uint32_t __attribute__((vector_size(32)));

template <class Word, class V>
struct Avx2Ops : WordOps<Word, V> {
  // AVX2 has no rotation, but one by whole bytes is a shuffle.
  template <int n>
  static VOLT_INLINE V rotate_right(V x) {
    if constexpr (n % 8 != 0) {
      return WordOps<Word, V>::template rotate_right<n>(x);
    } else {
      return (V)Avx2::rotate_bytes<sizeof(Word), n / 8>((Avx2::V)x);
    }
  }
};

using Words64 = Avx2Ops<std::uint64_t, V4x64>;
using Words32 = Avx2Ops<std::uint32_t, V8x32>;
constexpr std::uint32_t features = Avx2::features;

}  // namespace

extern constinit const Pbkdf2Kernel pbkdf2_sha512_avx2 = {
    PrfId::sha512, "avx2", features, 4, 760, HmacLoop<Sha512, Words64>::iterate};
extern constinit const Pbkdf2Kernel pbkdf2_sha256_avx2 = {
    PrfId::sha256, "avx2", features, 8, 640, HmacLoop<Sha256, Words32>::iterate};
extern constinit const Pbkdf2Kernel pbkdf2_blake2s_avx2 = {
    PrfId::blake2s, "avx2", features, 8, 390, HmacLoop<Blake2s, Words32>::iterate};
extern constinit const Pbkdf2Kernel pbkdf2_ripemd160_avx2 = {
    PrfId::ripemd160, "avx2", features, 8, 580, HmacLoop<Ripemd160, Words32>::iterate};

}  // namespace volt
