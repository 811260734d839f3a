// VeraCrypt and TrueCrypt volumes, as one row of the formats.
#pragma once

#include "blockdev/formats/format.h"

namespace volt {

const Format& veracrypt_format() noexcept;

}  // namespace volt
