// Block ciphers of TrueCrypt's older modes, from Botan.
#pragma once

#include <cstddef>
#include <memory>

#include "crypto/base/bytes.h"
#include "crypto/base/result.h"
#include "crypto/ciphers/cipher_id.h"

namespace volt {

// One keyed cipher, block by block (ECB), as TrueCrypt has it: Blowfish reads its two words in
// little-endian order there. Not for new volumes: Blowfish, CAST5, Triple DES and IDEA have blocks
// of 64 bits, and Botan's table lookups are not constant in time.
// Thread contract: immutable after keying; any number of threads.
class BotanBlock {
 public:
  // `key` has cipher_key_bytes(cipher). Errors: not_supported (not in this Botan), no_memory.
  static Result<BotanBlock> create(CipherId cipher, ByteSpan key);
  BotanBlock(BotanBlock&& other) noexcept;
  BotanBlock& operator=(BotanBlock&& other) noexcept;
  ~BotanBlock();

  std::size_t block_bytes() const noexcept { return block_bytes_; }
  // In place; `data` holds `blocks` * block_bytes().
  void encrypt(std::uint8_t* data, std::size_t blocks) const noexcept;
  void decrypt(std::uint8_t* data, std::size_t blocks) const noexcept;

 private:
  struct Keyed;
  BotanBlock(std::unique_ptr<Keyed> keyed, std::size_t block_bytes, bool swap_words) noexcept;

  std::unique_ptr<Keyed> keyed_;
  std::size_t block_bytes_;
  bool swap_words_;
};

}  // namespace volt
