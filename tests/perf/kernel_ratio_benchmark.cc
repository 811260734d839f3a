// How many times faster one way of using a kernel is than another: AES-128 beside AES-256, data
// units of 4096 bytes beside units of 512. Both sides take short turns, and the median over the
// turns of the ratio of their rates is told, so that other programs on the machine slow both alike.
//
// usage: kernel_ratio_benchmark [TURNS]     default 2000
#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <system_error>
#include <vector>

#include "crypto/base/cpu_features.h"
#include "crypto/base/secure_buffer.h"
#include "crypto/modes/kernel_table.h"

namespace volt {
namespace {

constexpr std::size_t most_bytes = 65536;
constexpr double turn_ns = 50000;

double now_ns() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<double>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

// A keyed kernel with one size of data units.
class Side {
 public:
  Side(const XtsKernel& kernel, DataUnit unit)
      : kernel_(kernel),
        functions_(units_functions(kernel, unit)),
        unit_size_(bytes_of(unit)),
        schedule_(SecureBuffer::create(kernel.schedule_bytes).value()),
        data_(most_bytes) {
    const std::vector<std::uint8_t> keys(2 * cipher_key_bytes(kernel.cipher), 0x42);
    kernel.expand(keys.data(), keys.data() + keys.size() / 2, schedule_.data());
  }
  Side(const Side&) = delete;
  Side& operator=(const Side&) = delete;
  ~Side() {
    if (kernel_.destroy != nullptr) kernel_.destroy(schedule_.data());
  }

  // Nanoseconds for so many bytes in calls of `call_bytes`, encryption and decryption by turns.
  double time_ns(std::size_t call_bytes, std::size_t calls) {
    const double start = now_ns();
    for (std::size_t i = 0; i < calls; ++i) {
      const auto run = i % 2 == 0 ? functions_.encrypt : functions_.decrypt;
      run(schedule_.data(), i, data_.data(), data_.data(), call_bytes / unit_size_);
    }
    return now_ns() - start;
  }

 private:
  const XtsKernel& kernel_;
  const XtsKernel::UnitsFunctions& functions_;
  std::size_t unit_size_;
  SecureBuffer schedule_;
  std::vector<std::uint8_t> data_;
};

// The median of how many times faster `b` is than `a`.
double ratio(Side& a, Side& b, std::size_t call_bytes, int turns) {
  a.time_ns(call_bytes, 20);
  const double once_ns = a.time_ns(call_bytes, 20) / 20;
  const auto calls = std::max<std::size_t>(2, static_cast<std::size_t>(turn_ns / once_ns)) & ~1U;
  std::vector<double> ratios;
  for (int i = 0; i < turns; ++i) {
    const bool a_first = i % 2 == 0;
    const double first = (a_first ? a : b).time_ns(call_bytes, calls);
    const double second = (a_first ? b : a).time_ns(call_bytes, calls);
    ratios.push_back(a_first ? first / second : second / first);
  }
  std::nth_element(ratios.begin(), ratios.begin() + turns / 2, ratios.end());
  return ratios[static_cast<std::size_t>(turns / 2)];
}

void compare_units(const XtsKernel& kernel, int turns) {
  Side small(kernel, DataUnit::bytes512);
  Side large(kernel, DataUnit::bytes4096);
  std::printf("%-12s %-10s units of 4096 to 512 bytes: %.3f at 4 KiB, %.3f at 64 KiB\n",
              cipher_name(kernel.cipher), kernel.name, ratio(small, large, 4096, turns),
              ratio(small, large, most_bytes, turns));
}

void compare_keys(const XtsKernel& aes256, const XtsKernel& aes128, DataUnit unit, int turns) {
  Side slow(aes256, unit);
  Side fast(aes128, unit);
  std::printf("%-12s %-10s AES-128 to AES-256, units of %zu: %.3f at 4 KiB, %.3f at 64 KiB\n", "",
              aes256.name, bytes_of(unit), ratio(slow, fast, 4096, turns),
              ratio(slow, fast, most_bytes, turns));
}

void run(int turns) {
  for (const XtsKernel* kernel : all_kernels()) {
    if ((kernel->required_features & ~cpu_features()) != 0) continue;
    compare_units(*kernel, turns);
    if (kernel->cipher != CipherId::aes) continue;
    const XtsKernel* shorter = find_kernel(CipherId::aes128, kernel->name);
    if (shorter == nullptr) continue;
    for (const DataUnit unit : {DataUnit::bytes512, DataUnit::bytes4096}) {
      compare_keys(*kernel, *shorter, unit, turns);
    }
  }
}

}  // namespace
}  // namespace volt

int main(int argc, char** argv) {
  volt::apply_cpu_environment();
  int turns = 2000;
  if (argc > 1) {
    const char* end = argv[1] + std::strlen(argv[1]);
    const auto [rest, error] = std::from_chars(argv[1], end, turns);
    if (error != std::errc() || rest != end || turns < 1) {
      std::fputs("usage: kernel_ratio_benchmark [TURNS]\n", stderr);
      return 1;
    }
  }
  volt::run(turns);
  return 0;
}
