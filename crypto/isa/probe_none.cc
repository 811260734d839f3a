// Families of processors that no instruction set of this folder belongs to.
#include "crypto/isa/feature_bits.h"

namespace volt {

std::uint32_t probe_cpu_features() noexcept {
  return 0;
}

std::string probe_cpu_brand() {
  return "unknown";
}

}  // namespace volt
