#include "crypto/modes/kernel_table.h"

#include <array>

#include "crypto/base/same_name.h"
#include "crypto/modes/kernel_rows.h"

namespace volt {
namespace {

#define X(name) &kernel_##name,
constexpr std::array compiled{VOLT_SIMD_KERNELS VOLT_PORTABLE_KERNELS};
#undef X

// The rows that can be had.
struct Rows {
  std::array<const XtsKernel*, compiled.size()> row{};
  std::size_t count = 0;

  Rows() noexcept {
    for (const XtsKernel* kernel : compiled) {
      if (kernel->available == nullptr || kernel->available()) row[count++] = kernel;
    }
  }
};

}  // namespace

std::span<const XtsKernel* const> all_kernels() noexcept {
  static const Rows rows;
  return {rows.row.data(), rows.count};
}

const XtsKernel* select_kernel(CipherId cipher, std::uint32_t features) noexcept {
  const XtsKernel* variable_time = nullptr;
  for (const XtsKernel* kernel : all_kernels()) {
    if (kernel->cipher != cipher) continue;
    if ((kernel->required_features & ~features) != 0) continue;
    if (kernel->constant_time) return kernel;
    if (variable_time == nullptr) variable_time = kernel;
  }
  return variable_time;
}

const XtsKernel* find_kernel(CipherId cipher, const char* name) noexcept {
  for (const XtsKernel* kernel : all_kernels()) {
    if (kernel->cipher == cipher && same_name(kernel->name, name)) return kernel;
  }
  return nullptr;
}

const XtsKernel::UnitsFunctions& units_functions(const XtsKernel& kernel, DataUnit unit) noexcept {
  return unit == DataUnit::bytes512 ? kernel.units512 : kernel.units4096;
}

}  // namespace volt
