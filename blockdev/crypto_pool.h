// Sharing the encryption of long requests among idle cores, where the cipher is slow enough.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "blockdev/helper_pool.h"
#include "crypto/cascade.h"
#include "crypto/result.h"

namespace volt {

// Thread contract: all from any threads at once.
class CryptoPool {
 public:
  // Several times the wake-up of a sleeping core.
  static constexpr std::uint64_t default_worth_sharing_ns = 200000;

  // Measures what the cipher costs here. Null (and no threads) where not even a request of 1 MiB
  // takes long enough to be worth sharing, or `helpers` is 0. Errors: as HelperPool.
  // `worth_sharing_ns` is what a request must cost before others are called.
  static Result<std::unique_ptr<CryptoPool>> create(
      const UnitCipher& cipher, unsigned helpers,
      std::uint64_t worth_sharing_ns = default_worth_sharing_ns);

  // As the cipher's own functions, of ciphers with data units of that length; shared if long
  // enough, and if cores are idle.
  void encrypt(const UnitCipher& cipher, std::uint64_t first_unit, const std::uint8_t* in,
               std::uint8_t* out, std::size_t units) noexcept;
  void decrypt(const UnitCipher& cipher, std::uint64_t first_unit, const std::uint8_t* in,
               std::uint8_t* out, std::size_t units) noexcept;
  std::size_t shared_units() const noexcept { return shared_units_; }

 private:
  CryptoPool(std::unique_ptr<HelperPool> helpers, std::size_t part_units,
             std::size_t shared_units) noexcept
      : helpers_(std::move(helpers)), part_units_(part_units), shared_units_(shared_units) {}

  std::unique_ptr<HelperPool> helpers_;
  std::size_t part_units_;    // what one of them takes at a time
  std::size_t shared_units_;  // requests from this length on are shared
};

}  // namespace volt
