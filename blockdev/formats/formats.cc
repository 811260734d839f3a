#include "blockdev/formats/formats.h"

#include <array>

#include "blockdev/formats/veracrypt/veracrypt_format.h"

namespace volt {

std::span<const Format* const> all_formats() noexcept {
  static const std::array<const Format*, 1> rows = {&veracrypt_format()};
  return rows;
}

}  // namespace volt
