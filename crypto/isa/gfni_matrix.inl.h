// Affine maps of bytes in the form that gf2p8affineqb takes them.
#pragma once

#include <cstdint>

namespace volt {
namespace {

// The matrix of a linear map with the images of the eight bits: byte 7 - i of the result tells
// which input bits make output bit i.
constexpr long long gfni_matrix(const std::uint8_t (&images)[8]) {
  std::uint64_t matrix = 0;
  for (unsigned input = 0; input < 8; ++input) {
    for (unsigned output = 0; output < 8; ++output) {
      const std::uint64_t bit = (images[input] >> output) & 1U;
      matrix |= bit << (8 * (7 - output) + input);
    }
  }
  return static_cast<long long>(matrix);
}

}  // namespace
}  // namespace volt
