// Errors of the layers below as the errno that the caller of read(2), write(2), fsync(2) sees.
#pragma once

#include "crypto/base/result.h"

namespace volt {

int errno_of(const Error& error) noexcept;

}  // namespace volt
