// A short, repeatable run of the header fuzzer, and garbage as whole containers.
#include "tests/fuzz/volume_header_fuzz.h"

#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "blockdev/backing/memory_device.h"
#include "blockdev/formats/veracrypt/volume_unlock.h"

namespace volt {
namespace {

std::vector<std::uint8_t> garbage(std::mt19937_64* random, std::size_t size) {
  std::vector<std::uint8_t> bytes(size);
  for (std::size_t at = 0; at < size; at += 8) {
    const std::uint64_t word = (*random)();
    for (std::size_t i = 0; i < 8 && at + i < size; ++i) {
      bytes[at + i] = static_cast<std::uint8_t>(word >> (8 * i));
    }
  }
  return bytes;
}

TEST(VolumeHeaderFuzz, RandomBytesBreakNothing) {
  constexpr unsigned seed = 42;
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  for (int i = 0; i < 3000; ++i) {
    auto bytes = garbage(&random, random() % 600);
    // Half of them sparse, so that fields are small or zero.
    if (i % 2 == 0) {
      for (auto& byte : bytes) byte = random() % 4 == 0 ? byte : std::uint8_t{0};
    }
    fuzz_header(bytes.data(), bytes.size());
    EXPECT_FALSE(header_fuzz_opens(bytes.data(), bytes.size()));
  }
}

TEST(VolumeHeaderFuzz, GarbageContainersNeverOpen) {
  constexpr unsigned seed = 43;
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  const std::string password = "password";
  for (const std::size_t size : {512U, 2048U, 19456U, 66048U, 262144U, 299008U}) {
    auto device = MemoryDevice::create(size);
    ASSERT_TRUE(device.ok());
    ASSERT_TRUE((*device)->write(0, garbage(&random, size)).ok());
    UnlockRequest request;
    request.password = {reinterpret_cast<const std::uint8_t*>(password.data()), password.size()};
    request.format = VolumeFormat::truecrypt;
    const auto opened = unlock_volume(**device, request, nullptr);
    ASSERT_FALSE(opened.ok()) << size;
    EXPECT_EQ(opened.error().code, ErrorCode::bad_password_or_header) << size;
  }
}

}  // namespace
}  // namespace volt
