// How fast ciphers run in memory.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "crypto/base/result.h"
#include "crypto/modes/cascade.h"
#include "crypto/modes/cascade_spec.h"
#include "tools/voltest/measure/stats.h"

namespace volt {

// One thing to measure.
struct CpuCase {
  const CascadeSpec* cascade = nullptr;
  KernelChoice kernels{};
  unsigned threads = 1;
  std::uint64_t buffer_bytes = 1 << 20;  // a multiple of the data unit
  DataUnit unit = DataUnit::bytes512;
};

struct CpuFigures {
  CpuCase what;
  std::string kernel;          // "vaes", "vaes+avx2+avx2"
  bool selected = false;       // what the programs use on this machine
  bool constant_time = false;  // no kernel of it depends on key or data
  Spread encrypt_mb_per_s;     // of the samples
  Spread decrypt_mb_per_s;
  // As TrueCrypt's benchmark has it: the mean of both medians.
  double mean_mb_per_s() const noexcept {
    return (encrypt_mb_per_s.median + decrypt_mb_per_s.median) / 2;
  }
};

struct CpuSettings {
  unsigned samples = 5;
  std::uint64_t sample_ns = 10'000'000;
};

// Largest buffer that each thread has for itself; a larger one is shared out among the threads.
inline constexpr std::uint64_t max_own_buffer_bytes = std::uint64_t{16} << 20;

// Bytes over wall time, all threads together, in place, keys random. Errors: not_supported (no
// such kernel for the cipher), no_memory, invalid_argument (buffer smaller than a data unit for
// each thread, or no multiple of it).
Result<CpuFigures> measure_cpu(const CpuCase& what, const CpuSettings& settings);

// The names of the kernels for `cascade` that this processor can run and that can be forced, best
// first: for a cascade only names that every layer has.
std::vector<const char*> runnable_kernels(const CascadeSpec& cascade, std::uint32_t features);

}  // namespace volt
