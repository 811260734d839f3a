#include "crypto/kernels/kernel_table.h"

#include <array>

#include "crypto/kernels/kernel_rows.h"
#include "crypto/same_name.h"

namespace volt {
namespace {

#define X(name) &kernel_##name,
constexpr std::array kernels{VOLT_SIMD_KERNELS VOLT_PORTABLE_KERNELS};
#undef X

}  // namespace

std::span<const XtsKernel* const> all_kernels() noexcept {
  return kernels;
}

const XtsKernel* select_kernel(CipherId cipher, std::uint32_t features) noexcept {
  const XtsKernel* variable_time = nullptr;
  for (const XtsKernel* kernel : kernels) {
    if (kernel->cipher != cipher) continue;
    if ((kernel->required_features & ~features) != 0) continue;
    if (kernel->constant_time) return kernel;
    if (variable_time == nullptr) variable_time = kernel;
  }
  return variable_time;
}

const XtsKernel* find_kernel(CipherId cipher, const char* name) noexcept {
  for (const XtsKernel* kernel : kernels) {
    if (kernel->cipher == cipher && same_name(kernel->name, name)) return kernel;
  }
  return nullptr;
}

}  // namespace volt
