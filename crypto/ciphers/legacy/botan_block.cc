#include "crypto/ciphers/legacy/botan_block.h"

#include <botan/block_cipher.h>

#include <algorithm>
#include <exception>
#include <new>
#include <string>
#include <utility>

namespace volt {
namespace {

const char* botan_name(CipherId cipher) noexcept {
  switch (cipher) {
    case CipherId::aes:
      return "AES-256";
    case CipherId::serpent:
      return "Serpent";
    case CipherId::twofish:
      return "Twofish";
    case CipherId::blowfish:
      return "Blowfish";
    case CipherId::cast5:
      return "CAST-128";
    case CipherId::des3:
      return "TripleDES";
    case CipherId::idea:
      return "IDEA";
    case CipherId::aes128:
    case CipherId::camellia:
    case CipherId::kuznyechik:
      break;  // not in the modes that this file is for
  }
  return "";
}

void reverse_words(std::uint8_t* data, std::size_t bytes) noexcept {
  for (std::size_t at = 0; at < bytes; at += 4) std::reverse(data + at, data + at + 4);
}

}  // namespace

struct BotanBlock::Keyed {
  std::unique_ptr<Botan::BlockCipher> cipher;
};

BotanBlock::BotanBlock(std::unique_ptr<Keyed> keyed, std::size_t block_bytes,
                       bool swap_words) noexcept
    : keyed_(std::move(keyed)), block_bytes_(block_bytes), swap_words_(swap_words) {}
BotanBlock::BotanBlock(BotanBlock&& other) noexcept = default;
BotanBlock& BotanBlock::operator=(BotanBlock&& other) noexcept = default;
BotanBlock::~BotanBlock() = default;

Result<BotanBlock> BotanBlock::create(CipherId cipher, ByteSpan key) {
  try {
    auto keyed = std::make_unique<Keyed>();
    keyed->cipher = Botan::BlockCipher::create(botan_name(cipher));
    if (keyed->cipher == nullptr) {
      return Error{ErrorCode::not_supported, 0, "this Botan lacks the cipher", 0};
    }
    keyed->cipher->set_key(key.data(), key.size());
    return BotanBlock(std::move(keyed), cipher_block_bytes(cipher), cipher == CipherId::blowfish);
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::no_memory, 0, "cipher key", 0};
  } catch (const std::exception&) {
    return Error{ErrorCode::not_supported, 0, "Botan refuses the cipher or its key", 0};
  }
}

void BotanBlock::encrypt(std::uint8_t* data, std::size_t blocks) const noexcept {
  if (swap_words_) reverse_words(data, blocks * block_bytes_);
  keyed_->cipher->encrypt_n(data, data, blocks);
  if (swap_words_) reverse_words(data, blocks * block_bytes_);
}

void BotanBlock::decrypt(std::uint8_t* data, std::size_t blocks) const noexcept {
  if (swap_words_) reverse_words(data, blocks * block_bytes_);
  keyed_->cipher->decrypt_n(data, data, blocks);
  if (swap_words_) reverse_words(data, blocks * block_bytes_);
}

}  // namespace volt
