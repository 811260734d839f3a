#include "blockdev/crypto_pool.h"

#include <algorithm>
#include <array>
#include <ctime>
#include <utility>

#include "crypto/secure_buffer.h"

namespace volt {

namespace {

// A part: long enough that taking it is nothing, short enough that all finish together.
constexpr std::size_t part_units = 64;
constexpr std::size_t largest_request_units = 2048;

std::uint64_t thread_cpu_ns() noexcept {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1000000000 +
         static_cast<std::uint64_t>(now.tv_nsec);
}

// Cost of one part in this thread: the median of a few, so that one interruption does not count.
std::uint64_t part_cost_ns(const UnitCipher& cipher, MutableByteSpan memory) noexcept {
  std::array<std::uint64_t, 5> costs{};
  for (std::uint64_t& cost : costs) {
    const std::uint64_t start_ns = thread_cpu_ns();
    cipher.decrypt_units(0, memory.data(), memory.data(), part_units);
    cost = thread_cpu_ns() - start_ns;
  }
  std::sort(costs.begin(), costs.end());
  return std::max<std::uint64_t>(costs[costs.size() / 2], 1);
}

}  // namespace

Result<std::unique_ptr<CryptoPool>> CryptoPool::create(const UnitCipher& cipher, unsigned helpers,
                                                       std::uint64_t worth_sharing_ns) {
  if (helpers == 0) return std::unique_ptr<CryptoPool>();
  auto memory = SecureBuffer::create(part_units * unit_bytes);
  if (!memory.ok()) return memory.error();
  const std::uint64_t cost_ns = part_cost_ns(cipher, memory->span());
  const std::uint64_t parts = worth_sharing_ns / cost_ns + 1;
  if (parts > largest_request_units / part_units) return std::unique_ptr<CryptoPool>();
  const std::size_t shared_units = std::max<std::size_t>(parts, 2) * part_units;
  auto pool = HelperPool::create(helpers, helpers + 1);
  if (!pool.ok()) return pool.error();
  return std::unique_ptr<CryptoPool>(new CryptoPool(*std::move(pool), shared_units));
}

void CryptoPool::encrypt(const UnitCipher& cipher, std::uint64_t first_unit, const std::uint8_t* in,
                         std::uint8_t* out, std::size_t units) noexcept {
  if (units < shared_units_) return cipher.encrypt_units(first_unit, in, out, units);
  const auto work = [&](std::size_t part) {
    const std::size_t begin = part * part_units;
    cipher.encrypt_units(first_unit + begin, in + begin * unit_bytes, out + begin * unit_bytes,
                         std::min(part_units, units - begin));
  };
  helpers_->run((units + part_units - 1) / part_units, work);
}

void CryptoPool::decrypt(const UnitCipher& cipher, std::uint64_t first_unit, const std::uint8_t* in,
                         std::uint8_t* out, std::size_t units) noexcept {
  if (units < shared_units_) return cipher.decrypt_units(first_unit, in, out, units);
  const auto work = [&](std::size_t part) {
    const std::size_t begin = part * part_units;
    cipher.decrypt_units(first_unit + begin, in + begin * unit_bytes, out + begin * unit_bytes,
                         std::min(part_units, units - begin));
  };
  helpers_->run((units + part_units - 1) / part_units, work);
}

}  // namespace volt
