// A volume format that exists in tests only: a magic, a length, and data under a key of one's own.
// It shows that a format is one folder and one row.
//
// Layout of a container, all numbers little-endian:
//      0  16 bytes "volt raw key  1\n", then u64 bytes of encrypted data (whole data units)
//   4096  4096 bytes that are not encrypted: the label
//   8192  the data: AES-256-XTS, data units numbered by their place in the container
// The volume is the data, then the label (read only), then 4096 zeros.
#pragma once

#include "blockdev/formats/format.h"

namespace volt {

const Format& raw_key_format() noexcept;

}  // namespace volt
