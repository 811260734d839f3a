#include "blockdev/crypto_pool.h"

#include <algorithm>
#include <array>
#include <ctime>
#include <utility>

#include "crypto/secure_buffer.h"

namespace volt {

namespace {

// A part: long enough that taking it is nothing, short enough that all finish together.
constexpr std::size_t part_bytes = 32768;
constexpr std::size_t largest_request_bytes = 1048576;

std::uint64_t thread_cpu_ns() noexcept {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1000000000 +
         static_cast<std::uint64_t>(now.tv_nsec);
}

// Cost of one part in this thread: the median of a few, so that one interruption does not count.
std::uint64_t part_cost_ns(const UnitCipher& cipher, MutableByteSpan memory) noexcept {
  const std::size_t units = memory.size() / cipher.data_unit_bytes();
  std::array<std::uint64_t, 5> costs{};
  for (std::uint64_t& cost : costs) {
    const std::uint64_t start_ns = thread_cpu_ns();
    cipher.decrypt_units(0, memory.data(), memory.data(), units);
    cost = thread_cpu_ns() - start_ns;
  }
  std::sort(costs.begin(), costs.end());
  return std::max<std::uint64_t>(costs[costs.size() / 2], 1);
}

}  // namespace

Result<std::unique_ptr<CryptoPool>> CryptoPool::create(const UnitCipher& cipher, unsigned helpers,
                                                       std::uint64_t worth_sharing_ns) {
  if (helpers == 0) return std::unique_ptr<CryptoPool>();
  auto memory = SecureBuffer::create(part_bytes);
  if (!memory.ok()) return memory.error();
  const std::uint64_t cost_ns = part_cost_ns(cipher, memory->span());
  const std::uint64_t parts = worth_sharing_ns / cost_ns + 1;
  if (parts > largest_request_bytes / part_bytes) return std::unique_ptr<CryptoPool>();
  const std::size_t part_units = part_bytes / cipher.data_unit_bytes();
  auto pool = HelperPool::create(helpers, helpers + 1);
  if (!pool.ok()) return pool.error();
  return std::unique_ptr<CryptoPool>(
      new CryptoPool(*std::move(pool), part_units, std::max<std::size_t>(parts, 2) * part_units));
}

void CryptoPool::encrypt(const UnitCipher& cipher, std::uint64_t first_unit, const std::uint8_t* in,
                         std::uint8_t* out, std::size_t units) noexcept {
  if (units < shared_units_) return cipher.encrypt_units(first_unit, in, out, units);
  const auto work = [&](std::size_t part) {
    const std::size_t begin = part * part_units_;
    const std::size_t skip = part * part_bytes;
    cipher.encrypt_units(first_unit + begin, in + skip, out + skip,
                         std::min(part_units_, units - begin));
  };
  helpers_->run((units + part_units_ - 1) / part_units_, work);
}

void CryptoPool::decrypt(const UnitCipher& cipher, std::uint64_t first_unit, const std::uint8_t* in,
                         std::uint8_t* out, std::size_t units) noexcept {
  if (units < shared_units_) return cipher.decrypt_units(first_unit, in, out, units);
  const auto work = [&](std::size_t part) {
    const std::size_t begin = part * part_units_;
    const std::size_t skip = part * part_bytes;
    cipher.decrypt_units(first_unit + begin, in + skip, out + skip,
                         std::min(part_units_, units - begin));
  };
  helpers_->run((units + part_units_ - 1) / part_units_, work);
}

}  // namespace volt
