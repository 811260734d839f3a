// How near the AES-XTS kernels come to what the processor's AES units can do, and how far they are
// ahead of OpenSSL. One thread; every figure is the mean of encryption and decryption, the median
// of five; all are measured in turn within one run, so their ratios mean something on a noisy
// machine.
#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>
#include <openssl/evp.h>

#include "crypto/base/cpu_features.h"
#include "crypto/base/secure_buffer.h"
#include "crypto/modes/kernel_table.h"

namespace volt {
namespace {

using Bytes = std::vector<std::uint8_t>;

void report(benchmark::State& state, std::size_t bytes_per_iteration) {
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(bytes_per_iteration));
}

// The limit: 14 rounds on twelve registers again and again, without loads, mode or stores. Twelve
// registers are more than the rounds' latency needs. Instructions are written out, since this file
// is compiled for every processor.
constexpr int limit_registers = 12;
constexpr int limit_repeats = 64;

#define ROUNDS(instruction, width)                                                            \
  ".rept 14\n"                                                                                \
  ".irp n,0,1,2,3,4,5,6,7,8,9,10,11\n" instruction " %%" width "15, %%" width "\\n, %%" width \
  "\\n\n"                                                                                     \
  ".endr\n"                                                                                   \
  ".endr\n"
#define LEGACY_ROUNDS(instruction)                 \
  ".rept 14\n"                                     \
  ".irp n,0,1,2,3,4,5,6,7,8,9,10,11\n" instruction \
  " %%xmm15, %%xmm\\n\n"                           \
  ".endr\n"                                        \
  ".endr\n"
#define RUN(code)                                                                                \
  __asm__ volatile(code code ::                                                                  \
                       : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", \
                         "xmm9", "xmm10", "xmm11")

void limit_128(benchmark::State& state) {
  for (auto _ : state) {
    for (int i = 0; i < limit_repeats; ++i) {
      RUN(LEGACY_ROUNDS("aesenc"));
      RUN(LEGACY_ROUNDS("aesdec"));
    }
  }
  report(state, std::size_t{limit_registers} * limit_repeats * 4 * 16);
}

void limit_256(benchmark::State& state) {
  for (auto _ : state) {
    for (int i = 0; i < limit_repeats; ++i) {
      RUN(ROUNDS("vaesenc", "ymm"));
      RUN(ROUNDS("vaesdec", "ymm"));
    }
    __asm__ volatile("vzeroupper");
  }
  report(state, std::size_t{limit_registers} * limit_repeats * 4 * 32);
}

void limit_512(benchmark::State& state) {
  for (auto _ : state) {
    for (int i = 0; i < limit_repeats; ++i) {
      RUN(ROUNDS("vaesenc", "zmm"));
      RUN(ROUNDS("vaesdec", "zmm"));
    }
    __asm__ volatile("vzeroupper");
  }
  report(state, std::size_t{limit_registers} * limit_repeats * 4 * 64);
}

void kernel_run(benchmark::State& state, const XtsKernel* kernel) {
  const auto bytes = static_cast<std::size_t>(state.range(0));
  auto schedule = SecureBuffer::create(kernel->schedule_bytes);
  if (!schedule.ok()) return state.SkipWithError("no memory");
  const Bytes keys(64, 0x42);
  kernel->expand(keys.data(), keys.data() + 32, schedule->data());
  Bytes data(bytes);
  for (auto _ : state) {
    const std::size_t units = bytes / unit_bytes;
    kernel->units512.encrypt(schedule->data(), 7, data.data(), data.data(), units);
    kernel->units512.decrypt(schedule->data(), 7, data.data(), data.data(), units);
  }
  if (kernel->destroy != nullptr) kernel->destroy(schedule->data());
  report(state, 2 * bytes);
}

// One call of OpenSSL's XTS on the whole block, which suits it best.
void openssl_run(benchmark::State& state) {
  const auto bytes = static_cast<std::size_t>(state.range(0));
  Bytes keys(64, 0x42);
  keys[0] = 1;  // OpenSSL refuses two equal keys
  const Bytes nonce(16);
  Bytes data(bytes);
  EVP_CIPHER_CTX* contexts[2] = {EVP_CIPHER_CTX_new(), EVP_CIPHER_CTX_new()};
  for (int encrypting = 0; encrypting < 2; ++encrypting) {
    EVP_CipherInit_ex(contexts[encrypting], EVP_aes_256_xts(), nullptr, keys.data(), nullptr,
                      encrypting);
  }
  for (auto _ : state) {
    for (EVP_CIPHER_CTX* context : contexts) {
      int length = 0;
      EVP_CipherInit_ex(context, nullptr, nullptr, nullptr, nonce.data(), -1);
      EVP_CipherUpdate(context, data.data(), &length, data.data(), static_cast<int>(bytes));
    }
  }
  for (EVP_CIPHER_CTX* context : contexts) EVP_CIPHER_CTX_free(context);
  report(state, 2 * bytes);
}

// Shows medians as they come and keeps them for the ratios.
class MedianReporter : public benchmark::ConsoleReporter {
 public:
  void ReportRuns(const std::vector<Run>& runs) override {
    ConsoleReporter::ReportRuns(runs);
    for (const Run& run : runs) {
      const auto rate = run.counters.find("bytes_per_second");
      if (run.aggregate_name != "median" || rate == run.counters.end()) continue;
      medians_[run.run_name.str()] = rate->second.value;
    }
  }
  double rate(const std::string& name) const {
    const auto found = medians_.find(name);
    return found == medians_.end() ? 0 : found->second;
  }

 private:
  std::map<std::string, double> medians_;
};

struct Row {
  const XtsKernel* kernel;
  const char* limit;
};

std::vector<Row> runnable_rows() {
  std::vector<Row> rows;
  for (const auto& [name, limit] : {std::pair{"aesni", "limit/128"}, std::pair{"vaes", "limit/256"},
                                    std::pair{"vaes512", "limit/512"}}) {
    const XtsKernel* kernel = find_kernel(CipherId::aes, name);
    if (kernel == nullptr || (kernel->required_features & ~cpu_features()) != 0) continue;
    rows.push_back({kernel, limit});
  }
  return rows;
}

void register_all(const std::vector<Row>& rows) {
  using Function = void (*)(benchmark::State&);
  const std::map<std::string, Function> limits{
      {"limit/128", limit_128}, {"limit/256", limit_256}, {"limit/512", limit_512}};
  std::vector<benchmark::internal::Benchmark*> all;
  for (const Row& row : rows) {
    all.push_back(benchmark::RegisterBenchmark(row.limit, limits.at(row.limit)));
    auto* made = benchmark::RegisterBenchmark(row.kernel->name, kernel_run, row.kernel);
    for (const std::int64_t bytes : {512, 4096, 16384, 1 << 20}) made->Arg(bytes);
    all.push_back(made);
  }
  all.push_back(benchmark::RegisterBenchmark("openssl", openssl_run)->Arg(16384));
  for (auto* made : all) made->Repetitions(5)->ReportAggregatesOnly()->MinTime(0.02);
}

void print_ratios(const std::vector<Row>& rows, const MedianReporter& results) {
  std::printf("\n%-8s %10s %10s %14s %14s\n", "kernel", "MB/s 16K", "of limit", "of OpenSSL 16K",
              "4K to 1M");
  for (const Row& row : rows) {
    const std::string name = row.kernel->name;
    const double rate = results.rate(name + "/16384/min_time:0.020/repeats:5");
    const double limit = results.rate(std::string(row.limit) + "/min_time:0.020/repeats:5");
    const double openssl = results.rate("openssl/16384/min_time:0.020/repeats:5");
    const double small = results.rate(name + "/4096/min_time:0.020/repeats:5");
    const double big = results.rate(name + "/1048576/min_time:0.020/repeats:5");
    std::printf("%-8s %10.0f %10.2f %14.2f %14.2f\n", name.c_str(), rate / 1e6, rate / limit,
                rate / openssl, small / big);
  }
}

}  // namespace
}  // namespace volt

int main(int argc, char** argv) {
  // All rows and repetitions in a random order, so that a slow second does not fall on one row.
  std::vector<char*> arguments(argv, argv + argc);
  char interleaved[] = "--benchmark_enable_random_interleaving=true";
  arguments.insert(arguments.begin() + 1, interleaved);
  argc = static_cast<int>(arguments.size());
  benchmark::Initialize(&argc, arguments.data());
  volt::apply_cpu_environment();
  const auto rows = volt::runnable_rows();
  volt::register_all(rows);
  volt::MedianReporter reporter;
  benchmark::RunSpecifiedBenchmarks(&reporter);
  volt::print_ratios(rows, reporter);
  return 0;
}
