#include "tools/voltest/measure/cpu_speed.h"

#include <algorithm>
#include <atomic>
#include <latch>
#include <thread>

#include "crypto/base/cpu_features.h"
#include "crypto/base/random.h"
#include "crypto/modes/kernel_table.h"
#include "tools/common/interrupt.h"
#include "tools/voltest/measure/clock.h"
#include "tools/voltest/measure/data.h"

namespace volt {
namespace {

constexpr std::uint64_t batch_ns = 100'000;  // the clock is read about this often

struct Slice {
  std::uint8_t* data = nullptr;
  std::size_t units = 0;
};

void run_cipher(const UnitCipher& cipher, bool encrypt, const Slice& slice) {
  if (encrypt) {
    cipher.encrypt_units(0, slice.data, slice.data, slice.units);
  } else {
    cipher.decrypt_units(0, slice.data, slice.data, slice.units);
  }
}

// Passes over the slice between two looks at the clock.
std::uint64_t passes_per_batch(const UnitCipher& cipher, bool encrypt, const Slice& slice) {
  std::uint64_t passes = 1;
  while (true) {
    const std::uint64_t start = now_ns();
    for (std::uint64_t i = 0; i < passes; ++i) run_cipher(cipher, encrypt, slice);
    if (now_ns() - start >= batch_ns || passes >= (1U << 20)) return passes;
    passes *= 2;
  }
}

struct Share {
  std::uint64_t bytes = 0;
  std::uint64_t end_ns = 0;
};

void work(const UnitCipher& cipher, bool encrypt, const Slice& slice, std::uint64_t passes,
          std::uint64_t end_ns, Share& share) {
  do {
    for (std::uint64_t i = 0; i < passes; ++i) run_cipher(cipher, encrypt, slice);
    share.bytes += passes * slice.units * cipher.data_unit_bytes();
    share.end_ns = now_ns();
  } while (share.end_ns < end_ns);
}

// MB/s of all slices together over the wall time until the last has finished.
double sample(const UnitCipher& cipher, bool encrypt, const std::vector<Slice>& slices,
              std::uint64_t passes, std::uint64_t sample_ns) {
  std::vector<Share> shares(slices.size());
  std::latch ready(static_cast<std::ptrdiff_t>(slices.size()) - 1);
  std::latch go(1);
  std::atomic<std::uint64_t> end_ns{0};
  std::uint64_t start = 0;
  {
    const SignalsBlocked blocked;
    std::vector<std::jthread> threads;
    for (std::size_t i = 1; i < slices.size(); ++i) {
      threads.emplace_back([&, i] {
        ready.count_down();
        go.wait();
        work(cipher, encrypt, slices[i], passes, end_ns.load(), shares[i]);
      });
    }
    ready.wait();
    start = now_ns();
    end_ns.store(start + sample_ns);
    go.count_down();
    work(cipher, encrypt, slices[0], passes, end_ns.load(), shares[0]);
  }
  std::uint64_t bytes = 0;
  std::uint64_t last = start + 1;
  for (const Share& share : shares) {
    bytes += share.bytes;
    last = std::max(last, share.end_ns);
  }
  return static_cast<double>(bytes) * 1e3 / static_cast<double>(last - start);
}

std::vector<Slice> slices_of(const CpuCase& what, std::uint8_t* memory) {
  const std::uint64_t unit_size = bytes_of(what.unit);
  const std::uint64_t own = what.buffer_bytes <= max_own_buffer_bytes
                                ? what.buffer_bytes
                                : what.buffer_bytes / what.threads / unit_size * unit_size;
  std::vector<Slice> slices;
  for (unsigned i = 0; i < what.threads; ++i) {
    slices.push_back({memory + own * i, static_cast<std::size_t>(own / unit_size)});
  }
  return slices;
}

Result<std::unique_ptr<CascadeCipher>> random_cipher(const CpuCase& what) {
  auto keys = SecureBuffer::create(what.cascade->xts_key_bytes());
  if (!keys) return keys.error();
  VOLT_TRY(random_bytes(keys->span()));
  return CascadeCipher::create(*what.cascade, keys->span(), what.kernels, what.unit);
}

}  // namespace

Result<CpuFigures> measure_cpu(const CpuCase& what, const CpuSettings& settings) {
  const std::uint64_t unit_size = bytes_of(what.unit);
  if (what.threads == 0 || what.buffer_bytes % unit_size != 0 ||
      what.buffer_bytes / unit_size < what.threads) {
    return Error{ErrorCode::invalid_argument, 0,
                 "the buffer must be a multiple of the data unit, one for each thread", 0};
  }
  auto cipher = random_cipher(what);
  if (!cipher) return cipher.error();
  const std::uint64_t whole = what.buffer_bytes <= max_own_buffer_bytes
                                  ? what.buffer_bytes * what.threads
                                  : what.buffer_bytes;
  auto memory = AlignedBuffer::create(static_cast<std::size_t>(whole));
  if (!memory) return memory.error();
  const std::vector<Slice> slices = slices_of(what, memory->data());

  CpuFigures figures;
  figures.what = what;
  figures.kernel = (*cipher)->kernel_names();
  figures.constant_time = (*cipher)->constant_time();
  for (const bool encrypt : {true, false}) {
    const std::uint64_t passes = passes_per_batch(**cipher, encrypt, slices[0]);
    std::vector<double> rates;
    for (unsigned i = 0; i < settings.samples && !interrupted(); ++i) {
      rates.push_back(sample(**cipher, encrypt, slices, passes, settings.sample_ns));
    }
    (encrypt ? figures.encrypt_mb_per_s : figures.decrypt_mb_per_s) = spread_of(rates);
  }
  if (interrupted()) return Error{ErrorCode::cancelled, 0, "interrupted", 0};
  return figures;
}

std::vector<const char*> runnable_kernels(const CascadeSpec& cascade, std::uint32_t features) {
  std::vector<const char*> names;
  for (const XtsKernel* kernel : all_kernels()) {
    if (kernel->cipher != cascade.encryption_order[0]) continue;
    bool everywhere = true;
    for (std::size_t layer = 0; layer < cascade.layers; ++layer) {
      const XtsKernel* row = find_kernel(cascade.encryption_order[layer], kernel->name);
      everywhere = everywhere && row != nullptr && (row->required_features & ~features) == 0;
    }
    if (everywhere) names.push_back(kernel->name);
  }
  return names;
}

}  // namespace volt
