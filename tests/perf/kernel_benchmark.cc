// Throughput of every XTS kernel on a run of data units, beside Botan and OpenSSL. The arguments
// are bytes of one call and direction.
#include <string>
#include <vector>

#include <benchmark/benchmark.h>
#include <botan/cipher_mode.h>
#include <openssl/evp.h>

#include "crypto/base/cpu_features.h"
#include "crypto/modes/cascade.h"
#include "crypto/modes/kernel_table.h"

namespace volt {
namespace {

using Bytes = std::vector<std::uint8_t>;

void report(benchmark::State& state, std::size_t bytes) {
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) *
                          static_cast<std::int64_t>(bytes));
}

void kernel_run(benchmark::State& state, const XtsKernel* kernel, DataUnit unit_size,
                bool encrypting) {
  const auto bytes = static_cast<std::size_t>(state.range(0));
  auto schedule = SecureBuffer::create(kernel->schedule_bytes);
  if (!schedule.ok()) return state.SkipWithError("no memory");
  const Bytes keys(2 * cipher_key_bytes(kernel->cipher), 0x42);
  kernel->expand(keys.data(), keys.data() + keys.size() / 2, schedule->data());
  Bytes data(bytes);
  const XtsKernel::UnitsFunctions& functions = units_functions(*kernel, unit_size);
  const auto run = encrypting ? functions.encrypt : functions.decrypt;
  const std::size_t units = bytes / bytes_of(unit_size);
  std::uint64_t unit = 0;
  for (auto _ : state) {
    run(schedule->data(), unit, data.data(), data.data(), units);
    unit += units;
  }
  if (kernel->destroy != nullptr) kernel->destroy(schedule->data());
  report(state, bytes);
}

void key_expansion(benchmark::State& state, const XtsKernel* kernel) {
  auto schedule = SecureBuffer::create(kernel->schedule_bytes);
  if (!schedule.ok()) return state.SkipWithError("no memory");
  const Bytes keys(2 * cipher_key_bytes(kernel->cipher), 0x42);
  for (auto _ : state) {
    kernel->expand(keys.data(), keys.data() + keys.size() / 2, schedule->data());
    if (kernel->destroy != nullptr) kernel->destroy(schedule->data());
  }
}

void cascade_run(benchmark::State& state, const CascadeSpec* spec) {
  const auto bytes = static_cast<std::size_t>(state.range(0));
  const auto cipher = CascadeCipher::create(*spec, Bytes(spec->xts_key_bytes(), 0x42));
  if (!cipher.ok()) return state.SkipWithError("no cipher");
  Bytes data(bytes);
  for (auto _ : state) {
    (*cipher.value()).decrypt_units(7, data.data(), data.data(), bytes / unit_bytes);
  }
  report(state, bytes);
}

void botan_run(benchmark::State& state, const char* name, bool encrypting) {
  const auto bytes = static_cast<std::size_t>(state.range(0));
  const auto mode =
      Botan::Cipher_Mode::create_or_throw(name, encrypting ? Botan::ENCRYPTION : Botan::DECRYPTION);
  const Bytes keys(64, 0x42);
  mode->set_key(keys.data(), keys.size());
  Bytes nonce(16);
  Bytes data(bytes);
  for (auto _ : state) {
    for (std::size_t at = 0; at < bytes; at += unit_bytes) {
      mode->start(nonce.data(), nonce.size());
      mode->process(data.data() + at, unit_bytes);
      mode->reset();
    }
  }
  report(state, bytes);
}

void openssl_run(benchmark::State& state) {
  const auto bytes = static_cast<std::size_t>(state.range(0));
  EVP_CIPHER_CTX* context = EVP_CIPHER_CTX_new();
  Bytes keys(64, 0x42);
  keys[0] = 1;  // OpenSSL refuses two equal keys
  Bytes nonce(16);
  Bytes data(bytes);
  EVP_EncryptInit_ex(context, EVP_aes_256_xts(), nullptr, keys.data(), nonce.data());
  for (auto _ : state) {
    for (std::size_t at = 0; at < bytes; at += unit_bytes) {
      int length = 0;
      EVP_EncryptInit_ex(context, nullptr, nullptr, nullptr, nonce.data());
      EVP_EncryptUpdate(context, data.data() + at, &length, data.data() + at,
                        static_cast<int>(unit_bytes));
    }
  }
  EVP_CIPHER_CTX_free(context);
  report(state, bytes);
}

void with_sizes(benchmark::internal::Benchmark* made) {
  for (const std::int64_t bytes : {512, 4096, 65536, 1048576}) made->Arg(bytes);
}

void register_all() {
  for (const XtsKernel* kernel : all_kernels()) {
    if ((kernel->required_features & ~cpu_features()) != 0) continue;
    const std::string name = std::string(cipher_name(kernel->cipher)) + "/" + kernel->name;
    for (const DataUnit unit : {DataUnit::bytes512, DataUnit::bytes4096}) {
      const std::string row = unit == DataUnit::bytes512 ? name : name + "/units4096";
      for (const bool encrypting : {true, false}) {
        const std::string full = (encrypting ? "encrypt/" : "decrypt/") + row;
        auto* made =
            benchmark::RegisterBenchmark(full.c_str(), kernel_run, kernel, unit, encrypting);
        if (unit == DataUnit::bytes512) made->Arg(512);
        for (const std::int64_t bytes : {4096, 65536, 1048576}) made->Arg(bytes);
      }
    }
    benchmark::RegisterBenchmark(("expand/" + name).c_str(), key_expansion, kernel);
  }
  for (const CascadeSpec& spec : all_cascades()) {
    if (spec.legacy || spec.layers == 1) continue;
    with_sizes(benchmark::RegisterBenchmark((std::string("cascade/") + spec.name).c_str(),
                                            cascade_run, &spec));
  }
  for (const char* name : {"AES-256/XTS", "Serpent/XTS", "Twofish/XTS", "Camellia-256/XTS"}) {
    with_sizes(benchmark::RegisterBenchmark((std::string("encrypt/botan/") + name).c_str(),
                                            botan_run, name, true));
    with_sizes(benchmark::RegisterBenchmark((std::string("decrypt/botan/") + name).c_str(),
                                            botan_run, name, false));
  }
  with_sizes(benchmark::RegisterBenchmark("openssl/aes-256-xts", openssl_run));
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
