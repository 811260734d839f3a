// AES for machines without AES instructions: bit-sliced, eight blocks at a time.
#include "crypto/ciphers/aes/aes_bits.inl.h"
#include "crypto/modes/batch_xts.inl.h"
#include "crypto/modes/kernel_rows.h"

namespace volt {
namespace {

// Vectors of 128 bits: every compiler of ours has them on every machine.
using V4x32 = std::uint32_t __attribute__((vector_size(16)));

template <int rounds>
struct AesInBits {
  using Keys = AesKeys<rounds>;
  struct Schedule {
    Keys data;
    Keys tweak;
  };

  template <bool encrypting>
  static void run(const Keys& keys, std::uint8_t* bytes, std::size_t blocks) {
    V4x32 x[8] = {};
    while (blocks > 0) {
      const std::size_t count = blocks < 8 ? blocks : 8;
      std::memcpy(x, bytes, count * 16);
      if constexpr (encrypting) {
        aes_encrypt(x, keys);
      } else {
        aes_decrypt(x, keys);
      }
      std::memcpy(bytes, x, count * 16);
      bytes += count * 16;
      blocks -= count;
    }
    wipe(x, sizeof x);
  }
  static void encrypt(const Keys& keys, std::uint8_t* bytes, std::size_t blocks) {
    run<true>(keys, bytes, blocks);
  }
  static void decrypt(const Keys& keys, std::uint8_t* bytes, std::size_t blocks) {
    run<false>(keys, bytes, blocks);
  }
};

template <int rounds>
void expand(const std::uint8_t* data_key, const std::uint8_t* tweak_key, void* schedule) {
  auto* keys = static_cast<typename AesInBits<rounds>::Schedule*>(schedule);
  aes_expand(data_key, keys->data);
  aes_expand(tweak_key, keys->tweak);
}

}  // namespace

constinit const XtsKernel kernel_aes_portable =
    batch_row<AesInBits<14>>(CipherId::aes, "portable", true, {expand<14>, nullptr, nullptr});
constinit const XtsKernel kernel_aes128_portable =
    batch_row<AesInBits<10>>(CipherId::aes128, "portable", true, {expand<10>, nullptr, nullptr});

}  // namespace volt
