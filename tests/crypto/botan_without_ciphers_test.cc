// A Botan that was built without the block ciphers: the rows that stand on it are not there, and
// nothing aborts.
#include <cstring>
#include <memory>
#include <string>

#include <botan/block_cipher.h>
#include <gtest/gtest.h>

#include "crypto/ciphers/legacy/botan_block.h"
#include "crypto/modes/cascade.h"
#include "crypto/modes/kernel_table.h"

namespace Botan {

// Takes the place of the library's function for the whole program.
#if BOTAN_VERSION_MAJOR >= 3
std::unique_ptr<BlockCipher> BlockCipher::create(std::string_view, std::string_view) {
#else
std::unique_ptr<BlockCipher> BlockCipher::create(const std::string&, const std::string&) {
#endif
  return nullptr;
}

}  // namespace Botan

namespace volt {
namespace {

TEST(BotanWithoutCiphers, ItsRowsAreNotThere) {
  for (const CipherId cipher : {CipherId::serpent, CipherId::twofish, CipherId::camellia}) {
    EXPECT_EQ(find_kernel(cipher, "portable"), nullptr) << cipher_name(cipher);
    EXPECT_EQ(select_kernel(cipher, 0), nullptr) << cipher_name(cipher);
  }
  for (const CipherId cipher : {CipherId::aes, CipherId::aes128, CipherId::kuznyechik}) {
    EXPECT_NE(select_kernel(cipher, 0), nullptr) << cipher_name(cipher);
  }
}

TEST(BotanWithoutCiphers, CiphersThatNeedItAreRefused) {
  for (const char* name : {"twofish", "serpent", "camellia", "aes-twofish-serpent"}) {
    const CascadeSpec& spec = *find_cascade(name);
    const std::vector<std::uint8_t> keys(spec.xts_key_bytes(), 0x42);
    const auto cipher = CascadeCipher::create(spec, keys, {0, nullptr});
    ASSERT_FALSE(cipher.ok()) << name;
    EXPECT_EQ(cipher.error().code, ErrorCode::not_supported) << name;
  }
  const std::vector<std::uint8_t> key(56, 0x42);
  EXPECT_FALSE(BotanBlock::create(CipherId::blowfish, key).ok());
}

}  // namespace
}  // namespace volt
