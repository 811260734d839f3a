// AES-256-XTS on VAES: 512-bit registers, 32 blocks in flight.
#include <immintrin.h>

#include "crypto/cpu_features.h"
#include "crypto/kernels/aes_xts.inl.h"
#include "crypto/kernels/tweak_shifts.inl.h"
#include "crypto/kernels/xts_kernel.h"

namespace volt {
namespace {

constexpr TweakShifts<8, 4> shifts;

struct Vector512 {
  using Register = __m512i;
  static constexpr int blocks = 4;

  VOLT_ALWAYS_INLINE static __m512i load(const std::uint8_t* p) noexcept {
    return _mm512_loadu_si512(reinterpret_cast<const __m512i*>(p));
  }
  VOLT_ALWAYS_INLINE static void store(std::uint8_t* p, __m512i x) noexcept {
    _mm512_storeu_si512(reinterpret_cast<__m512i*>(p), x);
  }
  VOLT_ALWAYS_INLINE static __m512i round_key(const std::uint8_t* p) noexcept {
    return _mm512_broadcast_i32x4(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
  }
  VOLT_ALWAYS_INLINE static __m512i exclusive_or(__m512i a, __m512i b) noexcept {
    return _mm512_xor_si512(a, b);
  }
  VOLT_ALWAYS_INLINE static __m512i exclusive_or3(__m512i a, __m512i b, __m512i c) noexcept {
    return _mm512_ternarylogic_epi64(a, b, c, 0x96);
  }
  VOLT_ALWAYS_INLINE static __m512i encryption_round(__m512i x, __m512i key) noexcept {
    return _mm512_aesenc_epi128(x, key);
  }
  VOLT_ALWAYS_INLINE static __m512i encryption_last(__m512i x, __m512i key) noexcept {
    return _mm512_aesenclast_epi128(x, key);
  }
  VOLT_ALWAYS_INLINE static __m512i decryption_round(__m512i x, __m512i key) noexcept {
    return _mm512_aesdec_epi128(x, key);
  }
  VOLT_ALWAYS_INLINE static __m512i decryption_last(__m512i x, __m512i key) noexcept {
    return _mm512_aesdeclast_epi128(x, key);
  }
  VOLT_ALWAYS_INLINE static __m512i unit_numbers(std::uint64_t first) noexcept {
    const __m512i number = _mm512_broadcast_i32x4(_mm_cvtsi64_si128(static_cast<long long>(first)));
    return _mm512_add_epi64(number, _mm512_set_epi64(0, 3, 0, 2, 0, 1, 0, 0));
  }

  // Each register straight from T, without a chain from one to the next (see tweak_shifts.inl.h).
  class Tweaks {
   public:
    VOLT_ALWAYS_INLINE explicit Tweaks(const std::uint8_t* tweak) noexcept
        : tweak_(round_key(tweak)), exchanged_(_mm512_shuffle_epi32(tweak_, _MM_PERM_BADC)) {}

    VOLT_ALWAYS_INLINE __m512i next(int i) const noexcept {
      const __m512i left = _mm512_sllv_epi64(tweak_, counts(shifts.left[i]));
      const __m512i right = _mm512_srlv_epi64(exchanged_, counts(shifts.right[i]));
      const __m512i reduction =
          _mm512_clmulepi64_epi128(right, _mm512_set1_epi64(tweak_reduction), 0x00);
      return exclusive_or3(left, right, reduction);
    }

   private:
    VOLT_ALWAYS_INLINE static __m512i counts(const std::uint64_t* p) noexcept {
      return _mm512_load_si512(reinterpret_cast<const __m512i*>(p));
    }

    __m512i tweak_;
    __m512i exchanged_;
  };
};

}  // namespace

extern const XtsKernel kernel_aes_vaes512 = {
    CipherId::aes,
    "vaes512",
    cpu_sse2 | cpu_aesni | cpu_avx | cpu_avx2 | cpu_avx512f | cpu_avx512bw | cpu_avx512vl |
        cpu_vaes | cpu_vpclmul,
    true,
    sizeof(AesXtsSchedule),
    expand_aes_xts,
    nullptr,
    crypt_units<Vector512, true>,
    crypt_units<Vector512, false>,
};

}  // namespace volt
