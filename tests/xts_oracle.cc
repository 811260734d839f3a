#include "tests/xts_oracle.h"

#include <array>
#include <stdexcept>

#include <botan/block_cipher.h>
#include <botan/cipher_mode.h>
#include <openssl/evp.h>

namespace volt {
namespace {

std::string botan_name(CipherId cipher) {
  switch (cipher) {
    case CipherId::aes:
      return "AES-256";
    case CipherId::serpent:
      return "Serpent";
    case CipherId::twofish:
      return "Twofish";
    case CipherId::camellia:
      return "Camellia-256";
    case CipherId::kuznyechik:
      return "Kuznyechik";
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
  BotanOracle(std::unique_ptr<Botan::Cipher_Mode> enc, std::unique_ptr<Botan::Cipher_Mode> dec)
      : encrypt_(std::move(enc)), decrypt_(std::move(dec)) {}
  Bytes encrypt(std::uint64_t first_unit, const Bytes& plain) override {
    return run(*encrypt_, first_unit, plain);
  }
  Bytes decrypt(std::uint64_t first_unit, const Bytes& cipher) override {
    return run(*decrypt_, first_unit, cipher);
  }

 private:
  static Bytes run(Botan::Cipher_Mode& mode, std::uint64_t unit, const Bytes& in) {
    Bytes out;
    for (std::size_t at = 0; at < in.size(); at += unit_bytes, ++unit) {
      const auto nonce = nonce_of(unit);
      mode.start(nonce.data(), nonce.size());
      Botan::secure_vector<std::uint8_t> buffer(in.data() + at, in.data() + at + unit_bytes);
      mode.finish(buffer);
      out.insert(out.end(), buffer.begin(), buffer.end());
    }
    return out;
  }

  std::unique_ptr<Botan::Cipher_Mode> encrypt_;
  std::unique_ptr<Botan::Cipher_Mode> decrypt_;
};

class OpensslOracle final : public XtsOracle {
 public:
  explicit OpensslOracle(const Bytes& keys) : keys_(keys) {}
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
    Bytes out(in.size());
    for (std::size_t at = 0; at < in.size(); at += unit_bytes, ++unit) {
      int length = 0;
      if (EVP_CipherInit_ex(context.get(), EVP_aes_256_xts(), nullptr, keys_.data(),
                            nonce_of(unit).data(), direction) != 1 ||
          EVP_CipherUpdate(context.get(), out.data() + at, &length, in.data() + at,
                           static_cast<int>(unit_bytes)) != 1) {
        throw std::runtime_error("OpenSSL refused");
      }
    }
    return out;
  }

  Bytes keys_;
};

}  // namespace

std::unique_ptr<XtsOracle> botan_oracle(CipherId cipher, const Bytes& keys) {
  const std::string name = botan_name(cipher) + "/XTS";
  auto enc = Botan::Cipher_Mode::create(name, Botan::ENCRYPTION);
  auto dec = Botan::Cipher_Mode::create(name, Botan::DECRYPTION);
  if (enc == nullptr || dec == nullptr) return nullptr;
  enc->set_key(keys.data(), keys.size());
  dec->set_key(keys.data(), keys.size());
  return std::make_unique<BotanOracle>(std::move(enc), std::move(dec));
}

std::unique_ptr<XtsOracle> openssl_aes_oracle(const Bytes& keys) {
  return std::make_unique<OpensslOracle>(keys);
}

std::optional<Bytes> botan_encrypt_block(CipherId cipher, const Bytes& key, const Bytes& block) {
  const auto object = Botan::BlockCipher::create(botan_name(cipher));
  if (object == nullptr) return std::nullopt;
  object->set_key(key.data(), key.size());
  Bytes out(block.size());
  object->encrypt(block.data(), out.data());
  return out;
}

}  // namespace volt
