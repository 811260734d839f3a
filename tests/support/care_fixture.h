// A small TrueCrypt-format container (cheap to derive) and secrets to care for it with.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "blockdev/backing/memory_device.h"
#include "blockdev/formats/veracrypt/volume_care.h"
#include "blockdev/formats/veracrypt/volume_format.h"
#include "crypto/base/random.h"

namespace volt {

class CareFixture : public ::testing::Test {
 public:
  static constexpr std::uint64_t container_bytes = 524288;

  static ByteSpan bytes_of(const std::string& text) {
    return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
  }
  static VolumeSecret secret(const std::string& password, PrfId prf) {
    return {bytes_of(password), nullptr, find_kdf(VolumeFormat::truecrypt, prf, false), 0};
  }
  static VolumeSecret old_secret() {
    static const std::string password = "old password";
    return secret(password, PrfId::sha512);
  }
  static VolumeSecret new_secret() {
    static const std::string password = "new password";
    return secret(password, PrfId::whirlpool);
  }
  static VolumeSecret hidden_secret() {
    static const std::string password = "hidden password";
    return secret(password, PrfId::sha512);
  }
  static UnlockRequest request_of(const VolumeSecret& secret) {
    UnlockRequest request;
    request.password = secret.password;
    request.format = secret.kdf->format;
    request.prf = secret.kdf->prf;
    request.cascade = find_cascade("aes");
    return request;
  }
  static FormatRequest format_request(const VolumeSecret& secret) {
    FormatRequest request;
    request.cascade = find_cascade("aes");
    request.kdf = secret.kdf;
    request.password = secret.password;
    return request;
  }
  static bool same_keys(const UnlockedVolume& a, const UnlockedVolume& b) {
    return std::equal(a.keys.span().begin(), a.keys.span().end(), b.keys.span().begin());
  }

 protected:
  void SetUp() override {
    auto device = MemoryDevice::create(container_bytes);
    ASSERT_TRUE(device.ok());
    device_ = std::move(*device);
    ASSERT_TRUE(format_volume(*device_, format_request(old_secret())).ok());
  }

  Result<UnlockedVolume> open(const VolumeSecret& secret) const {
    return unlock_volume(*device_, request_of(secret), nullptr);
  }
  void make_hidden() const {
    FormatRequest request = format_request(hidden_secret());
    request.hidden = true;
    request.hidden_bytes = 65536;
    ASSERT_TRUE(format_volume(*device_, request).ok());
  }
  // The same bytes in a larger container.
  void grow(std::uint64_t growth) {
    std::vector<std::uint8_t> bytes(device_->size());
    ASSERT_TRUE(device_->read(0, bytes).ok());
    auto larger = MemoryDevice::create(device_->size() + growth);
    ASSERT_TRUE(larger.ok());
    ASSERT_TRUE((*larger)->write(0, bytes).ok());
    device_ = std::move(*larger);
  }
  void wipe(std::uint64_t offset) const {
    std::array<std::uint8_t, 512> noise{};
    ASSERT_TRUE(random_bytes(noise).ok());
    ASSERT_TRUE(device_->write(offset, noise).ok());
  }

  DevicePtr device_;
};

}  // namespace volt
