// Portable rows on Botan's block ciphers, for machines without a kernel of our own.
#include <exception>
#include <memory>
#include <new>

#include <botan/block_cipher.h>

#include "crypto/modes/batch_xts.inl.h"
#include "crypto/modes/kernel_rows.h"

namespace volt {
namespace {

constexpr const char* botan_name(CipherId cipher) noexcept {
  switch (cipher) {
    case CipherId::serpent:
      return "Serpent";
    case CipherId::twofish:
      return "Twofish";
    default:
      return "Camellia-256";
  }
}

struct BotanCipher {
  // Botan keeps expanded keys in memory that it locks and wipes itself.
  struct Schedule {
    std::unique_ptr<Botan::BlockCipher> data;
    std::unique_ptr<Botan::BlockCipher> tweak;
  };
  using Key = std::unique_ptr<Botan::BlockCipher>;

  static void encrypt(const Key& key, std::uint8_t* bytes, std::size_t blocks) {
    key->encrypt_n(bytes, bytes, blocks);
  }
  static void decrypt(const Key& key, std::uint8_t* bytes, std::size_t blocks) {
    key->decrypt_n(bytes, bytes, blocks);
  }
};

// A Botan built without the cipher: there is no such row then.
template <CipherId cipher>
bool available() noexcept {
  try {
    return Botan::BlockCipher::create(botan_name(cipher)) != nullptr;
  } catch (const std::exception&) {
    return false;
  }
}

// Botan throws only where memory for a few kilobytes is wanting; nothing sensible could go on then.
template <CipherId cipher>
void expand(const std::uint8_t* data_key, const std::uint8_t* tweak_key, void* schedule) noexcept {
  auto* made = new (schedule) BotanCipher::Schedule;
  made->data = Botan::BlockCipher::create_or_throw(botan_name(cipher));
  made->tweak = Botan::BlockCipher::create_or_throw(botan_name(cipher));
  made->data->set_key(data_key, 32);
  made->tweak->set_key(tweak_key, 32);
}

void destroy(void* schedule) {
  static_cast<BotanCipher::Schedule*>(schedule)->~Schedule();
}

template <CipherId cipher>
constexpr XtsKernel portable_row(bool constant_time) {
  return batch_row<BotanCipher>(cipher, "portable", constant_time,
                                {expand<cipher>, destroy, available<cipher>});
}

}  // namespace

// Botan's Serpent is bit-sliced; its Twofish and Camellia look up tables.
constinit const XtsKernel kernel_serpent_portable = portable_row<CipherId::serpent>(true);
constinit const XtsKernel kernel_twofish_portable = portable_row<CipherId::twofish>(false);
constinit const XtsKernel kernel_camellia_portable = portable_row<CipherId::camellia>(false);

}  // namespace volt
