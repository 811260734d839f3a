#include "crypto/cpu_features.h"
#include "crypto/kernels/kuznyechik_xts.inl.h"

namespace volt {

using V8x64 = std::uint64_t __attribute__((vector_size(64)));

extern constinit const XtsKernel kernel_kuznyechik_avx512 =
    KuzXts<V8x64>::row("avx512", cpu_avx512f, kuznyechik_expand);

}  // namespace volt
