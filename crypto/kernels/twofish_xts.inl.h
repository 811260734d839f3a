// Twofish-XTS over data units of 512 bytes on the byte-sliced rounds.
#pragma once

#include <cstdint>

#include "crypto/cipher_id.h"
#include "crypto/isa/words.inl.h"
#include "crypto/kernels/sliced_xts.inl.h"
#include "crypto/kernels/twofish_rounds.inl.h"
#include "crypto/kernels/twofish_schedule.h"

namespace volt::twofish {

template <class Isa, class Boxes>
struct Cipher : Rounds<Isa, Boxes> {
  using Key = typename Boxes::Key;
  static constexpr CipherId id = CipherId::twofish;
  static constexpr int most_sets = 2;
  static constexpr bool cheaper_halves = true;

  static void expand_key(const std::uint8_t* bytes, Key& key) {
    TwofishKey expanded;
    expand_twofish_key(bytes, expanded);
    Boxes::lay_out(expanded, key);
    for (int i = 0; i < 40; ++i) key.subkey[i] = expanded.subkey[i];
    wipe(&expanded, sizeof expanded);
  }
};

template <class Isa, class Boxes>
using Xts = byteslice::Xts<Isa, Cipher<Isa, Boxes>>;

}  // namespace volt::twofish
