// What the kernel tells a program of the processor (getauxval(3), "ARM64 ELF hwcaps").
#include <asm/hwcap.h>
#include <sys/auxv.h>

#include "crypto/isa/feature_bits.h"

namespace volt {

std::uint32_t probe_cpu_features() noexcept {
  const unsigned long told = getauxval(AT_HWCAP);
  std::uint32_t features = 0;
  if ((told & HWCAP_ASIMD) != 0) features |= cpu_neon;
  if ((told & HWCAP_AES) != 0) features |= cpu_armv8_aes;
  return features;
}

std::string probe_cpu_brand() {
  return "unknown";
}

}  // namespace volt
