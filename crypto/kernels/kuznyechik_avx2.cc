#include "crypto/cpu_features.h"
#include "crypto/kernels/kuznyechik_xts.inl.h"

namespace volt {

using V4x64 = std::uint64_t __attribute__((vector_size(32)));

extern constinit const XtsKernel kernel_kuznyechik_avx2 =
    KuzXts<V4x64>::row("avx2", cpu_avx2, kuznyechik_expand);

}  // namespace volt
