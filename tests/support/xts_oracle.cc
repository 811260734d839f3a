#include "tests/support/xts_oracle.h"

#include <array>
#include <stdexcept>

#include <botan/block_cipher.h>
#include <botan/cipher_mode.h>
#include <openssl/evp.h>

#include "tests/support/kuznyechik_reference.h"

namespace volt {
namespace {

std::string botan_name(CipherId cipher) {
  switch (cipher) {
    case CipherId::aes:
      return "AES-256";
    case CipherId::aes128:
      return "AES-128";
    case CipherId::serpent:
      return "Serpent";
    case CipherId::twofish:
      return "Twofish";
    case CipherId::camellia:
      return "Camellia-256";
    default:
      return "none";
  }
}

std::array<std::uint8_t, 16> nonce_of(std::uint64_t unit) {
  std::array<std::uint8_t, 16> nonce{};
  store_le<std::uint64_t>(nonce.data(), unit);
  return nonce;
}

class BotanOracle final : public XtsOracle {
 public:
  BotanOracle(std::unique_ptr<Botan::Cipher_Mode> enc, std::unique_ptr<Botan::Cipher_Mode> dec,
              DataUnit unit)
      : encrypt_(std::move(enc)), decrypt_(std::move(dec)), unit_size_(bytes_of(unit)) {}
  Bytes encrypt(std::uint64_t first_unit, const Bytes& plain) override {
    return run(*encrypt_, first_unit, plain);
  }
  Bytes decrypt(std::uint64_t first_unit, const Bytes& cipher) override {
    return run(*decrypt_, first_unit, cipher);
  }

 private:
  Bytes run(Botan::Cipher_Mode& mode, std::uint64_t unit, const Bytes& in) const {
    Bytes out;
    for (std::size_t at = 0; at < in.size(); at += unit_size_, ++unit) {
      const auto nonce = nonce_of(unit);
      mode.start(nonce.data(), nonce.size());
      Botan::secure_vector<std::uint8_t> buffer(in.data() + at, in.data() + at + unit_size_);
      mode.finish(buffer);
      out.insert(out.end(), buffer.begin(), buffer.end());
    }
    return out;
  }

  std::unique_ptr<Botan::Cipher_Mode> encrypt_;
  std::unique_ptr<Botan::Cipher_Mode> decrypt_;
  std::size_t unit_size_;
};

// IEEE 1619-2007, 5.3, block by block.
class KuznyechikOracle final : public XtsOracle {
 public:
  KuznyechikOracle(const Bytes& keys, DataUnit unit)
      : data_(Bytes(keys.begin(), keys.begin() + 32)),
        tweak_(Bytes(keys.begin() + 32, keys.end())),
        unit_size_(bytes_of(unit)) {}
  Bytes encrypt(std::uint64_t first_unit, const Bytes& plain) override {
    return run(first_unit, plain, [this](const Bytes& block) { return data_.encrypt(block); });
  }
  Bytes decrypt(std::uint64_t first_unit, const Bytes& cipher) override {
    return run(first_unit, cipher, [this](const Bytes& block) { return data_.decrypt(block); });
  }

 private:
  template <class OneBlock>
  Bytes run(std::uint64_t unit, const Bytes& in, const OneBlock& one_block) const {
    Bytes out(in.size());
    Bytes mask;
    Bytes block(16);
    for (std::size_t at = 0; at < in.size(); at += 16) {
      if (at % unit_size_ == 0) {
        const auto nonce = nonce_of(unit++);
        mask = tweak_.encrypt(Bytes(nonce.begin(), nonce.end()));
      }
      for (std::size_t i = 0; i < 16; ++i) block[i] = in[at + i] ^ mask[i];
      block = one_block(block);
      for (std::size_t i = 0; i < 16; ++i) out[at + i] = block[i] ^ mask[i];
      unsigned carry = 0;
      for (std::uint8_t& byte : mask) {
        const unsigned doubled = byte * 2U + carry;
        byte = static_cast<std::uint8_t>(doubled);
        carry = doubled >> 8;
      }
      if (carry != 0) mask[0] ^= 0x87;
    }
    return out;
  }

  KuznyechikReference data_;
  KuznyechikReference tweak_;
  std::size_t unit_size_;
};

class OpensslOracle final : public XtsOracle {
 public:
  OpensslOracle(const Bytes& keys, DataUnit unit) : keys_(keys), unit_size_(bytes_of(unit)) {}
  Bytes encrypt(std::uint64_t first_unit, const Bytes& plain) override {
    return run(1, first_unit, plain);
  }
  Bytes decrypt(std::uint64_t first_unit, const Bytes& cipher) override {
    return run(0, first_unit, cipher);
  }

 private:
  Bytes run(int direction, std::uint64_t unit, const Bytes& in) const {
    const std::unique_ptr<EVP_CIPHER_CTX, void (*)(EVP_CIPHER_CTX*)> context(EVP_CIPHER_CTX_new(),
                                                                             EVP_CIPHER_CTX_free);
    const EVP_CIPHER* cipher = keys_.size() == 64 ? EVP_aes_256_xts() : EVP_aes_128_xts();
    Bytes out(in.size());
    for (std::size_t at = 0; at < in.size(); at += unit_size_, ++unit) {
      int length = 0;
      if (EVP_CipherInit_ex(context.get(), cipher, nullptr, keys_.data(), nonce_of(unit).data(),
                            direction) != 1 ||
          EVP_CipherUpdate(context.get(), out.data() + at, &length, in.data() + at,
                           static_cast<int>(unit_size_)) != 1) {
        throw std::runtime_error("OpenSSL refused");
      }
    }
    return out;
  }

  Bytes keys_;
  std::size_t unit_size_;
};

}  // namespace

std::unique_ptr<XtsOracle> xts_oracle(CipherId cipher, const Bytes& keys, DataUnit unit) {
  if (cipher == CipherId::kuznyechik) return std::make_unique<KuznyechikOracle>(keys, unit);
  const std::string name = botan_name(cipher) + "/XTS";
  auto enc = Botan::Cipher_Mode::create_or_throw(name, Botan::ENCRYPTION);
  auto dec = Botan::Cipher_Mode::create_or_throw(name, Botan::DECRYPTION);
  enc->set_key(keys.data(), keys.size());
  dec->set_key(keys.data(), keys.size());
  return std::make_unique<BotanOracle>(std::move(enc), std::move(dec), unit);
}

std::unique_ptr<XtsOracle> openssl_aes_oracle(const Bytes& keys, DataUnit unit) {
  return std::make_unique<OpensslOracle>(keys, unit);
}

Bytes oracle_encrypt_block(CipherId cipher, const Bytes& key, const Bytes& block) {
  if (cipher == CipherId::kuznyechik) return KuznyechikReference(key).encrypt(block);
  const auto object = Botan::BlockCipher::create_or_throw(botan_name(cipher));
  object->set_key(key.data(), key.size());
  Bytes out(block.size());
  object->encrypt(block.data(), out.data());
  return out;
}

}  // namespace volt
