// AES for machines without AES instructions: bit-sliced, eight blocks at a time.
#include "crypto/kernels/aes_bits.inl.h"
#include "crypto/kernels/batch_xts.inl.h"
#include "crypto/kernels/kernel_rows.h"

namespace volt {
namespace {

// Vectors of 128 bits: every compiler of ours has them on every machine.
using V4x32 = std::uint32_t __attribute__((vector_size(16)));

struct AesInBits {
  struct Schedule {
    AesKeys data;
    AesKeys tweak;
  };

  template <bool encrypting>
  static void run(const AesKeys& keys, std::uint8_t* bytes, std::size_t blocks) {
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
  static void encrypt(const AesKeys& keys, std::uint8_t* bytes, std::size_t blocks) {
    run<true>(keys, bytes, blocks);
  }
  static void decrypt(const AesKeys& keys, std::uint8_t* bytes, std::size_t blocks) {
    run<false>(keys, bytes, blocks);
  }
};

void expand(const std::uint8_t* data_key, const std::uint8_t* tweak_key, void* schedule) {
  auto* keys = static_cast<AesInBits::Schedule*>(schedule);
  aes_expand(data_key, keys->data);
  aes_expand(tweak_key, keys->tweak);
}

}  // namespace

constinit const XtsKernel kernel_aes_portable = {CipherId::aes,
                                                 "portable",
                                                 0,
                                                 true,
                                                 sizeof(AesInBits::Schedule),
                                                 expand,
                                                 nullptr,
                                                 batch_crypt_units<AesInBits, true>,
                                                 batch_crypt_units<AesInBits, false>};

}  // namespace volt
