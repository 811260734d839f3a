// Which of several headers that fit a password wins, and what could still win over one.
#pragma once

#include <cstddef>

#include "blockdev/formats/veracrypt/kdf_table.h"
#include "blockdev/formats/veracrypt/volume_geometry.h"

namespace volt {

// Where a header stands in the order of preference. How soon a key was derived is no part of it.
struct UnlockRank {
  const KdfSpec* kdf = nullptr;
  HeaderPlace place = HeaderPlace::primary;
  bool spare = false;      // stands in for another header (see UnlockPlan)
  std::size_t header = 0;  // in the order of the places
  std::size_t turn = 0;    // of the task in its plan that completes the key
};

// True where `a` wins over `b`:
//   1. a volume's own header before those that stand in for one, whatever format and PRF;
//   2. TrueCrypt before VeraCrypt;
//   3. under the same PRF the outer volume before the hidden one;
//   4. under different PRFs what the plan derives first.
// One header fits under one key only, so two ranks of one place never meet, and a hit in the best
// place waits for nothing but tasks that were begun before its own. (3 and 4 make an order because
// a plan of several steps has at most two own headers, and two that stand in.)
constexpr bool wins_over(const UnlockRank& a, const UnlockRank& b) noexcept {
  if (a.place == b.place) return false;
  if (a.spare != b.spare) return b.spare;
  if (a.kdf->format != b.kdf->format) return a.kdf->format < b.kdf->format;
  if (a.kdf == b.kdf) return a.header < b.header;
  return a.turn < b.turn;
}

}  // namespace volt
