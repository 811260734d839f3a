// The formats of the programs that this folder builds: blockdev/formats/formats.cc and one row
// more.
#include "blockdev/formats/formats.h"

#include <array>

#include "blockdev/formats/veracrypt/veracrypt_format.h"
#include "tests/formats/raw_key/raw_key_format.h"

namespace volt {

std::span<const Format* const> all_formats() noexcept {
  static const std::array<const Format*, 2> rows = {&veracrypt_format(), &raw_key_format()};
  return rows;
}

}  // namespace volt
