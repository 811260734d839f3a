// AES-256-XTS on VAES: 256-bit registers, 16 blocks in flight.
#include <immintrin.h>

#include "crypto/cpu_features.h"
#include "crypto/kernels/aes_xts.inl.h"
#include "crypto/kernels/tweak_shifts.inl.h"
#include "crypto/kernels/xts_kernel.h"

namespace volt {
namespace {

constexpr TweakShifts<16, 2> shifts;

struct Vector256 {
  using Register = __m256i;
  static constexpr int blocks = 2;

  VOLT_ALWAYS_INLINE static __m256i load(const std::uint8_t* p) noexcept {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
  }
  VOLT_ALWAYS_INLINE static void store(std::uint8_t* p, __m256i x) noexcept {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), x);
  }
  VOLT_ALWAYS_INLINE static __m256i round_key(const std::uint8_t* p) noexcept {
    return _mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
  }
  VOLT_ALWAYS_INLINE static __m256i exclusive_or(__m256i a, __m256i b) noexcept {
    return _mm256_xor_si256(a, b);
  }
  VOLT_ALWAYS_INLINE static __m256i exclusive_or3(__m256i a, __m256i b, __m256i c) noexcept {
    return _mm256_xor_si256(_mm256_xor_si256(a, b), c);
  }
  VOLT_ALWAYS_INLINE static __m256i encryption_round(__m256i x, __m256i key) noexcept {
    return _mm256_aesenc_epi128(x, key);
  }
  VOLT_ALWAYS_INLINE static __m256i encryption_last(__m256i x, __m256i key) noexcept {
    return _mm256_aesenclast_epi128(x, key);
  }
  VOLT_ALWAYS_INLINE static __m256i decryption_round(__m256i x, __m256i key) noexcept {
    return _mm256_aesdec_epi128(x, key);
  }
  VOLT_ALWAYS_INLINE static __m256i decryption_last(__m256i x, __m256i key) noexcept {
    return _mm256_aesdeclast_epi128(x, key);
  }
  VOLT_ALWAYS_INLINE static __m256i unit_numbers(std::uint64_t first) noexcept {
    const __m256i number =
        _mm256_broadcastsi128_si256(_mm_cvtsi64_si128(static_cast<long long>(first)));
    return _mm256_add_epi64(number, _mm256_set_epi64x(0, 1, 0, 0));
  }

  // Each register straight from T, without a chain from one to the next (see tweak_shifts.inl.h).
  class Tweaks {
   public:
    VOLT_ALWAYS_INLINE explicit Tweaks(const std::uint8_t* tweak) noexcept
        : tweak_(round_key(tweak)), exchanged_(_mm256_shuffle_epi32(tweak_, 0x4E)) {}

    VOLT_ALWAYS_INLINE __m256i next(int i) const noexcept {
      const __m256i left = _mm256_sllv_epi64(tweak_, counts(shifts.left[i]));
      const __m256i right = _mm256_srlv_epi64(exchanged_, counts(shifts.right[i]));
      const __m256i reduction =
          _mm256_clmulepi64_epi128(right, _mm256_set1_epi64x(tweak_reduction), 0x00);
      return exclusive_or3(left, right, reduction);
    }

   private:
    VOLT_ALWAYS_INLINE static __m256i counts(const std::uint64_t* p) noexcept {
      return _mm256_load_si256(reinterpret_cast<const __m256i*>(p));
    }

    __m256i tweak_;
    __m256i exchanged_;
  };
};

}  // namespace

extern const XtsKernel kernel_aes_vaes = {
    CipherId::aes,
    "vaes",
    cpu_sse2 | cpu_aesni | cpu_avx | cpu_avx2 | cpu_vaes | cpu_vpclmul,
    true,
    sizeof(AesXtsSchedule),
    expand_aes_xts,
    nullptr,
    crypt_units<Vector256, true>,
    crypt_units<Vector256, false>,
};

}  // namespace volt
