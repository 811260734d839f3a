// Shows under valgrind's memcheck that no branch and no address of a kernel depends on keys or
// data: these are marked undefined, and memcheck reports every decision that undefined bits have a
// part in. (The idea is A. Langley's "ctgrind".)
//
// usage: valgrind constant_time_check kernels          every constant-time row it can run
//        valgrind constant_time_check leaking-samples  two samples that must be reported
// Exits 0 where all is as it should be, 1 where not, 77 without valgrind.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include <valgrind/memcheck.h>

#include "crypto/base/cpu_features.h"
#include "crypto/base/secure_buffer.h"
#include "crypto/modes/kernel_table.h"

namespace volt {
namespace {

using Bytes = std::vector<std::uint8_t>;

void make_secret(Bytes& bytes) {
  static_cast<void>(VALGRIND_MAKE_MEM_UNDEFINED(bytes.data(), bytes.size()));
}

void make_public(void* bytes, std::size_t size) {
  static_cast<void>(VALGRIND_MAKE_MEM_DEFINED(bytes, size));
}

// Keys and data secret, both directions, numbers of units that take every path. False: not used,
// for want of memory.
bool use_kernel(const XtsKernel& kernel) {
  auto schedule = SecureBuffer::create(kernel.schedule_bytes);
  if (!schedule.ok()) return false;
  Bytes keys(2 * cipher_key_bytes(kernel.cipher), 0x42);
  make_secret(keys);
  kernel.expand(keys.data(), keys.data() + keys.size() / 2, schedule->data());
  for (const DataUnit unit : {DataUnit::bytes512, DataUnit::bytes4096}) {
    const XtsKernel::UnitsFunctions& functions = units_functions(kernel, unit);
    for (const std::size_t units : {1, 3, 8, 21}) {
      Bytes data(units * bytes_of(unit), 0x17);
      make_secret(data);
      functions.encrypt(schedule->data(), 5, data.data(), data.data(), units);
      functions.decrypt(schedule->data(), 5, data.data(), data.data(), units);
    }
  }
  make_public(schedule->data(), schedule->size());
  if (kernel.destroy != nullptr) kernel.destroy(schedule->data());
  return true;
}

int check_kernels() {
  int checked = 0;
  int leaking = 0;
  for (const XtsKernel* kernel : all_kernels()) {
    const std::string name = std::string(cipher_name(kernel->cipher)) + "/" + kernel->name;
    const std::uint32_t missing = kernel->required_features & ~cpu_features();
    if (!kernel->constant_time) {
      std::printf("%-24s is not said to be constant-time\n", name.c_str());
      continue;
    }
    if (missing != 0) {
      std::printf("%-24s not here: no %s\n", name.c_str(), cpu_feature_names(missing).c_str());
      continue;
    }
    const auto before = VALGRIND_COUNT_ERRORS;
    if (!use_kernel(*kernel)) {
      std::printf("%-24s not checked: no memory\n", name.c_str());
      return 1;
    }
    const auto errors = VALGRIND_COUNT_ERRORS - before;
    std::printf("%-24s %s\n", name.c_str(), errors == 0 ? "constant-time" : "DEPENDS ON SECRETS");
    ++checked;
    leaking += errors == 0 ? 0 : 1;
  }
  return leaking == 0 && checked > 0 ? 0 : 1;
}

// A table look-up by a secret byte, as most software ciphers do it.
std::uint8_t leak_by_address(const Bytes& secret) {
  static const Bytes table(256, 3);
  return table[secret[0]];
}

// Early exit of a comparison.
bool leak_by_branch(const Bytes& secret) {
  return std::find(secret.begin(), secret.end(), std::uint8_t{0x17}) != secret.end();
}

volatile std::uint8_t sink;

int check_leaking_samples() {
  Bytes secret(16, 0x16);
  make_secret(secret);
  const auto before = VALGRIND_COUNT_ERRORS;
  sink = leak_by_address(secret);
  const auto after_address = VALGRIND_COUNT_ERRORS;
  sink = leak_by_branch(secret) ? 1 : 0;
  const auto after_branch = VALGRIND_COUNT_ERRORS;
  std::printf("secret address: %s\nsecret branch: %s\n",
              after_address > before ? "reported" : "MISSED",
              after_branch > after_address ? "reported" : "MISSED");
  return after_address > before && after_branch > after_address ? 0 : 1;
}

}  // namespace
}  // namespace volt

int main(int argc, char** argv) {
  if (RUNNING_ON_VALGRIND == 0) {
    std::fputs("constant_time_check: run me under valgrind\n", stderr);
    return 77;
  }
  if (argc == 2 && std::strcmp(argv[1], "kernels") == 0) return volt::check_kernels();
  if (argc == 2 && std::strcmp(argv[1], "leaking-samples") == 0) {
    return volt::check_leaking_samples();
  }
  std::fputs("usage: constant_time_check kernels|leaking-samples\n", stderr);
  return 1;
}
