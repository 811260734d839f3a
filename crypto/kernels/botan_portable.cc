// Portable rows on Botan's block ciphers, for machines without a kernel of our own.
#include <array>
#include <cstring>
#include <memory>
#include <new>

#include <botan/block_cipher.h>

#include "crypto/bytes.h"
#include "crypto/kernels/kernel_rows.h"
#include "crypto/secure_buffer.h"

namespace volt {
namespace {

constexpr std::size_t block_bytes = 16;
constexpr std::size_t blocks_per_unit = unit_bytes / block_bytes;
constexpr std::size_t batch_units = 8;

constexpr const char* botan_name(CipherId cipher) noexcept {
  switch (cipher) {
    case CipherId::aes:
      return "AES-256";
    case CipherId::serpent:
      return "Serpent";
    case CipherId::twofish:
      return "Twofish";
    default:
      return "Camellia-256";
  }
}

// Botan keeps expanded keys in memory that it locks and wipes itself.
struct Schedule {
  std::unique_ptr<Botan::BlockCipher> data;
  std::unique_ptr<Botan::BlockCipher> tweak;
};

// One XTS tweak times alpha (IEEE 1619-2007, 5.2), without a branch on its top bit.
struct Tweak {
  std::uint64_t low;
  std::uint64_t high;

  void times_alpha() noexcept {
    const std::uint64_t carry = (0 - (high >> 63)) & 0x87;
    high = (high << 1) | (low >> 63);
    low = (low << 1) ^ carry;
  }
};

void xor_masks(const std::uint8_t* in, const std::uint64_t* masks, std::uint8_t* out,
               std::size_t bytes) noexcept {
  for (std::size_t i = 0; i < bytes; i += 8) {
    std::uint64_t word;
    std::memcpy(&word, in + i, 8);
    word ^= masks[i / 8];
    std::memcpy(out + i, &word, 8);
  }
}

// Scratch of one batch; whitening masks are as secret as the data.
struct Batch {
  std::array<std::uint64_t, batch_units * unit_bytes / 8> masks;
  std::array<std::uint8_t, batch_units * block_bytes> tweaks;

  ~Batch() { secure_wipe(this, sizeof *this); }
};

void fill_masks(const Botan::BlockCipher& tweak_cipher, std::uint64_t first_unit, std::size_t units,
                Batch& batch) {
  for (std::size_t u = 0; u < units; ++u) {
    store_le<std::uint64_t>(&batch.tweaks[u * block_bytes], first_unit + u);
    store_le<std::uint64_t>(&batch.tweaks[u * block_bytes + 8], 0);
  }
  tweak_cipher.encrypt_n(batch.tweaks.data(), batch.tweaks.data(), units);
  std::uint8_t* mask = reinterpret_cast<std::uint8_t*>(batch.masks.data());
  for (std::size_t u = 0; u < units; ++u) {
    Tweak tweak{load_le<std::uint64_t>(&batch.tweaks[u * block_bytes]),
                load_le<std::uint64_t>(&batch.tweaks[u * block_bytes + 8])};
    for (std::size_t b = 0; b < blocks_per_unit; ++b, mask += block_bytes) {
      store_le(mask, tweak.low);
      store_le(mask + 8, tweak.high);
      tweak.times_alpha();
    }
  }
}

template <CipherId cipher>
void expand(const std::uint8_t* data_key, const std::uint8_t* tweak_key, void* schedule) {
  auto* made = new (schedule) Schedule;
  made->data = Botan::BlockCipher::create_or_throw(botan_name(cipher));
  made->tweak = Botan::BlockCipher::create_or_throw(botan_name(cipher));
  made->data->set_key(data_key, 32);
  made->tweak->set_key(tweak_key, 32);
}

void destroy(void* schedule) {
  static_cast<Schedule*>(schedule)->~Schedule();
}

template <bool encrypting>
void crypt_units(const void* schedule, std::uint64_t first_unit, const std::uint8_t* in,
                 std::uint8_t* out, std::size_t units) {
  const auto& keys = *static_cast<const Schedule*>(schedule);
  Batch batch;
  while (units > 0) {
    const std::size_t count = units < batch_units ? units : batch_units;
    const std::size_t bytes = count * unit_bytes;
    fill_masks(*keys.tweak, first_unit, count, batch);
    xor_masks(in, batch.masks.data(), out, bytes);
    if constexpr (encrypting) {
      keys.data->encrypt_n(out, out, bytes / block_bytes);
    } else {
      keys.data->decrypt_n(out, out, bytes / block_bytes);
    }
    xor_masks(out, batch.masks.data(), out, bytes);
    first_unit += count;
    in += bytes;
    out += bytes;
    units -= count;
  }
}

template <CipherId cipher>
constexpr XtsKernel portable_row(bool constant_time) {
  static_assert(sizeof(Schedule) <= max_schedule_bytes);
  return {cipher,        "portable",        0,
          constant_time, sizeof(Schedule),  expand<cipher>,
          destroy,       crypt_units<true>, crypt_units<false>};
}

}  // namespace

// Without hardware, Botan's AES is vector permutation or bitsliced, and its Serpent bitsliced;
// Twofish and Camellia look up tables.
constinit const XtsKernel kernel_aes_portable = portable_row<CipherId::aes>(true);
constinit const XtsKernel kernel_serpent_portable = portable_row<CipherId::serpent>(true);
constinit const XtsKernel kernel_twofish_portable = portable_row<CipherId::twofish>(false);
constinit const XtsKernel kernel_camellia_portable = portable_row<CipherId::camellia>(false);

}  // namespace volt
