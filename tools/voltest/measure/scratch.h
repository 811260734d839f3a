// The tester's own file in somebody's folder.
#pragma once

#include "tools/voltest/measure/target.h"

namespace volt {

// Makes a new file without a name (O_TMPFILE), or one that loses its name at once, and allocates
// target.range_bytes: options.size_bytes, or what nine tenths of the free space allow. Throws
// BenchFailure.
void open_scratch(BenchTarget& target, const TargetOptions& options);

}  // namespace volt
