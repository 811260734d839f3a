// AES-256-XTS on AES-NI: 128-bit registers, eight blocks in flight, no AVX.
#include <smmintrin.h>
#include <wmmintrin.h>

#include "crypto/cpu_features.h"
#include "crypto/kernels/aes_xts.inl.h"
#include "crypto/kernels/xts_kernel.h"

namespace volt {
namespace {

struct Vector128 {
  using Register = __m128i;
  static constexpr int blocks = 1;

  VOLT_ALWAYS_INLINE static __m128i load(const std::uint8_t* p) noexcept {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
  }
  VOLT_ALWAYS_INLINE static void store(std::uint8_t* p, __m128i x) noexcept {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(p), x);
  }
  VOLT_ALWAYS_INLINE static __m128i round_key(const std::uint8_t* p) noexcept { return load(p); }
  VOLT_ALWAYS_INLINE static __m128i exclusive_or(__m128i a, __m128i b) noexcept {
    return _mm_xor_si128(a, b);
  }
  VOLT_ALWAYS_INLINE static __m128i exclusive_or3(__m128i a, __m128i b, __m128i c) noexcept {
    return _mm_xor_si128(_mm_xor_si128(a, b), c);
  }
  VOLT_ALWAYS_INLINE static __m128i encryption_round(__m128i x, __m128i key) noexcept {
    return _mm_aesenc_si128(x, key);
  }
  VOLT_ALWAYS_INLINE static __m128i encryption_last(__m128i x, __m128i key) noexcept {
    return _mm_aesenclast_si128(x, key);
  }
  VOLT_ALWAYS_INLINE static __m128i decryption_round(__m128i x, __m128i key) noexcept {
    return _mm_aesdec_si128(x, key);
  }
  VOLT_ALWAYS_INLINE static __m128i decryption_last(__m128i x, __m128i key) noexcept {
    return _mm_aesdeclast_si128(x, key);
  }
  VOLT_ALWAYS_INLINE static __m128i unit_numbers(std::uint64_t first) noexcept {
    return _mm_cvtsi64_si128(static_cast<long long>(first));
  }

  // Doubling, 32 times at most. The bits that the 31 doublings carry out of either half are the
  // upper 31 bits of that half of T itself, since the reduction reaches only the low bits. So one
  // shuffle brings them into place for the whole unit, and each step only shifts them up.
  class Tweaks {
   public:
    VOLT_ALWAYS_INLINE explicit Tweaks(const std::uint8_t* tweak) noexcept
        : tweak_(load(tweak)), carries_(_mm_shuffle_epi32(tweak_, 0x5F)) {}

    VOLT_ALWAYS_INLINE __m128i next(int i) noexcept {
      const __m128i result = tweak_;
      if (i + 1 < xts_blocks_per_unit) {
        const __m128i carry =
            _mm_and_si128(_mm_srai_epi32(carries_, 31), _mm_set_epi32(0, 1, 0, 0x87));
        carries_ = _mm_add_epi32(carries_, carries_);
        tweak_ = _mm_xor_si128(_mm_add_epi64(tweak_, tweak_), carry);
      }
      return result;
    }

   private:
    __m128i tweak_;
    __m128i carries_;
  };
};

}  // namespace

extern const XtsKernel kernel_aes_aesni = {
    CipherId::aes,
    "aesni",
    cpu_sse2 | cpu_ssse3 | cpu_sse41 | cpu_aesni,
    true,
    sizeof(AesXtsSchedule),
    expand_aes_xts,
    nullptr,
    crypt_units<Vector128, true>,
    crypt_units<Vector128, false>,
};

}  // namespace volt
