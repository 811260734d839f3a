// Time of the PBKDF2 kernels (nanoseconds for one iteration of all lanes, and of one lane) and of
// whole header derivations.
#include <array>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "blockdev/formats/veracrypt/kdf_table.h"
#include "crypto/base/cpu_features.h"
#include "crypto/kdf/hashes/hash.h"
#include "crypto/kdf/kdf.h"
#include "crypto/kdf/pbkdf2/pbkdf2_table.h"

namespace volt {
namespace {

using Bytes = std::vector<std::uint8_t>;

void kernel_iterations(benchmark::State& state, const Pbkdf2Kernel* kernel) {
  const HashRow& row = *find_hash(kernel->prf);
  const Bytes password(12, 'a');
  const HmacKey key(row, password);
  Bytes u(row.digest_bytes * kernel->lanes, 1);
  Bytes t(u.size(), 2);
  constexpr std::uint32_t count = 1000;
  for (auto _ : state) kernel->iterate(&key.inner, &key.outer, u.data(), t.data(), count);
  const auto iterations = static_cast<double>(state.iterations()) * count;
  using benchmark::Counter;
  state.counters["s/iteration"] = Counter(iterations, Counter::kIsRate | Counter::kInvert);
  state.counters["s/lane"] =
      Counter(iterations * kernel->lanes, Counter::kIsRate | Counter::kInvert);
}

// Headers of one password: `headers` salts, `key_bytes` each.
void derivation(benchmark::State& state, const KdfSpec* spec) {
  const auto headers = static_cast<std::size_t>(state.range(0));
  const auto key_bytes = static_cast<std::size_t>(state.range(1));
  const Bytes password(12, 'a');
  std::vector<Bytes> salts(headers, Bytes(header_salt_bytes));
  std::vector<Bytes> keys(headers, Bytes(key_bytes));
  std::vector<KdfJob> jobs;
  for (std::size_t i = 0; i < headers; ++i) {
    salts[i][0] = static_cast<std::uint8_t>(i);
    jobs.push_back({salts[i], keys[i]});
  }
  for (auto _ : state) {
    if (!derive_keys(kdf_parameters(*spec, 0), password, jobs).ok())
      state.SkipWithError("derivation failed");
  }
}

void register_all() {
  for (const Pbkdf2Kernel* kernel : all_pbkdf2_kernels()) {
    if ((kernel->required_features & ~cpu_features()) != 0) continue;
    const std::string name = std::string("pbkdf2/") + prf_name(kernel->prf) + "/" + kernel->name +
                             "/lanes:" + std::to_string(kernel->lanes);
    benchmark::RegisterBenchmark(name.c_str(), kernel_iterations, kernel);
  }
  for (const KdfSpec& spec : all_kdfs()) {
    if (spec.format != VolumeFormat::veracrypt || spec.system) continue;
    benchmark::RegisterBenchmark((std::string("derive/") + spec.name).c_str(), derivation, &spec)
        ->ArgNames({"headers", "bytes"})
        ->Args({1, 64})
        ->Args({1, 192})
        ->Args({2, 192})
        ->Unit(benchmark::kMillisecond)
        ->Iterations(1);
  }
}

}  // namespace
}  // namespace volt

int main(int argc, char** argv) {
  volt::apply_cpu_environment();
  volt::register_all();
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
