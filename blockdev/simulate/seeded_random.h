// Repeatable pseudo-randomness for models, faults and tests; never for keys.
#pragma once

#include <cstdint>

namespace volt {

// SplitMix64 (Steele, Lea, Flood 2014): advances the state and returns 64 well mixed bits.
constexpr std::uint64_t next_random(std::uint64_t* state) noexcept {
  *state += 0x9E3779B97F4A7C15U;
  std::uint64_t z = *state;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
  return z ^ (z >> 31);
}

}  // namespace volt
