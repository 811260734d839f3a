// Serpent's S-boxes and their inverses as three-input logic (one vpternlog a step), seven or eight
// steps a box.
//
// Found by a program: boxes 0 to 2 by exhaustive search, which found nothing with six steps; the
// others by a beam search over sets of functions, ranked by how many of the 16 inputs each missing
// output still gets wrong as a function of the best three of the set. Of sequences of equal length
// one that needs no more than six live values was taken: four sets of blocks then fit 32 registers.
// lookup<table>(a, b, c) gives bit 4a + 2b + c of the table.
// tests/serpent_sboxes_test.cc checks all entries.
#pragma once

#include "crypto/isa/words.inl.h"

namespace volt::serpent {

template <class W>
VOLT_INLINE void box0_ternary(W& x0, W& x1, W& x2, W& x3) {
  const W t0 = W::template lookup<0x36>(x3, x1, x0);
  const W t1 = W::template lookup<0xE2>(x3, x1, x0);
  const W t2 = W::template lookup<0x96>(x3, x2, x0);
  const W t3 = W::template lookup<0x3C>(t0, x2, x0);
  const W t4 = W::template lookup<0x6A>(t1, t2, t0);
  const W t5 = W::template lookup<0x27>(t1, t2, t3);
  const W t6 = W::template lookup<0x1B>(t1, t2, t3);
  x0 = t5;
  x1 = t6;
  x2 = t4;
  x3 = t3;
}

template <class W>
VOLT_INLINE void box1_ternary(W& x0, W& x1, W& x2, W& x3) {
  const W t0 = W::template lookup<0x5C>(x3, x1, x0);
  const W t1 = W::template lookup<0xB4>(x2, x1, x0);
  const W t2 = W::template lookup<0xCA>(x3, x1, x0);
  const W t3 = W::template lookup<0xC3>(t1, x3, x0);
  const W t4 = W::template lookup<0x27>(t2, t1, t0);
  const W t5 = W::template lookup<0xA9>(t2, t1, t0);
  const W t6 = W::template lookup<0x95>(t2, t1, t0);
  x0 = t4;
  x1 = t5;
  x2 = t3;
  x3 = t6;
}

template <class W>
VOLT_INLINE void box2_ternary(W& x0, W& x1, W& x2, W& x3) {
  const W t0 = W::template lookup<0x36>(x3, x1, x0);
  const W t1 = W::template lookup<0x78>(x3, x2, x0);
  const W t2 = W::template lookup<0x96>(x2, x1, x0);
  const W t3 = W::template lookup<0x96>(t1, x2, x1);
  const W t4 = W::template lookup<0x72>(t2, t1, t0);
  const W t5 = W::template lookup<0x6C>(t2, t1, t0);
  const W t6 = W::template lookup<0x87>(t2, t1, x1);
  x0 = t3;
  x1 = t4;
  x2 = t5;
  x3 = t6;
}

template <class W>
VOLT_INLINE void box3_ternary(W& x0, W& x1, W& x2, W& x3) {
  const W t0 = W::template lookup<0x38>(x3, x2, x0);
  const W t1 = W::template lookup<0x52>(x2, x1, x0);
  const W t2 = W::template lookup<0xA2>(x3, x2, x1);
  const W t3 = W::template lookup<0x1E>(t2, t0, x0);
  const W t4 = W::template lookup<0x46>(x3, x1, x0);
  const W t5 = W::template lookup<0x16>(t1, t0, x1);
  const W t6 = W::template lookup<0x96>(t0, t4, x3);
  const W t7 = W::template lookup<0xD2>(t1, t4, x3);
  x0 = t3;
  x1 = t6;
  x2 = t7;
  x3 = t5;
}

template <class W>
VOLT_INLINE void box4_ternary(W& x0, W& x1, W& x2, W& x3) {
  const W t0 = W::template lookup<0x96>(x3, x1, x0);
  const W t1 = W::template lookup<0x94>(t0, x3, x2);
  const W t2 = W::template lookup<0x6C>(t0, x2, x1);
  const W t3 = W::template lookup<0x4B>(t2, x3, x0);
  const W t4 = W::template lookup<0x1E>(t1, x3, x1);
  const W t5 = W::template lookup<0x1C>(t2, t1, t0);
  const W t6 = W::template lookup<0xC9>(t3, t0, x1);
  x0 = t3;
  x1 = t4;
  x2 = t5;
  x3 = t6;
}

template <class W>
VOLT_INLINE void box5_ternary(W& x0, W& x1, W& x2, W& x3) {
  const W t0 = W::template lookup<0x96>(x3, x1, x0);
  const W t1 = W::template lookup<0x6A>(t0, x3, x2);
  const W t2 = W::template lookup<0x4B>(t1, x1, x0);
  const W t3 = W::template lookup<0x9E>(t0, x2, x0);
  const W t4 = W::template lookup<0x43>(t3, t1, t0);
  const W t5 = W::template lookup<0x36>(t2, t0, x3);
  const W t6 = W::template lookup<0x2D>(t3, x3, x0);
  x0 = t2;
  x1 = t5;
  x2 = t4;
  x3 = t6;
}

template <class W>
VOLT_INLINE void box6_ternary(W& x0, W& x1, W& x2, W& x3) {
  const W t0 = W::template lookup<0x96>(x3, x2, x1);
  const W t1 = W::template lookup<0x4B>(t0, x3, x0);
  const W t2 = W::template lookup<0x36>(t0, x2, x0);
  const W t3 = W::template lookup<0x5C>(t0, x3, x0);
  const W t4 = W::template lookup<0x59>(t3, t2, t0);
  const W t5 = W::template lookup<0xC9>(t3, t2, x1);
  const W t6 = W::template lookup<0xA6>(t5, t4, t3);
  x0 = t4;
  x1 = t1;
  x2 = t5;
  x3 = t6;
}

template <class W>
VOLT_INLINE void box7_ternary(W& x0, W& x1, W& x2, W& x3) {
  const W t0 = W::template lookup<0xB6>(x2, x1, x0);
  const W t1 = W::template lookup<0x78>(t0, x3, x0);
  const W t2 = W::template lookup<0x94>(x3, x2, x0);
  const W t3 = W::template lookup<0x94>(x3, x2, x1);
  const W t4 = W::template lookup<0x8A>(t2, t3, t0);
  const W t5 = W::template lookup<0x3D>(t4, t3, x1);
  const W t6 = W::template lookup<0x78>(t2, t1, x1);
  const W t7 = W::template lookup<0x96>(t4, t2, x2);
  x0 = t5;
  x1 = t6;
  x2 = t7;
  x3 = t1;
}

template <class W>
VOLT_INLINE void inverse0_ternary(W& x0, W& x1, W& x2, W& x3) {
  const W t0 = W::template lookup<0x96>(x3, x1, x0);
  const W t1 = W::template lookup<0x1E>(x2, x1, x0);
  const W t2 = W::template lookup<0x5C>(x3, x1, x0);
  const W t3 = W::template lookup<0xC3>(t1, x3, x0);
  const W t4 = W::template lookup<0xA9>(t2, t1, t0);
  const W t5 = W::template lookup<0x8E>(t2, t1, t0);
  const W t6 = W::template lookup<0x95>(t2, t1, t0);
  x0 = t4;
  x1 = t5;
  x2 = t3;
  x3 = t6;
}

template <class W>
VOLT_INLINE void inverse1_ternary(W& x0, W& x1, W& x2, W& x3) {
  const W t0 = W::template lookup<0x9A>(x3, x1, x0);
  const W t1 = W::template lookup<0x3C>(t0, x2, x0);
  const W t2 = W::template lookup<0x96>(x3, x2, x1);
  const W t3 = W::template lookup<0x4E>(x3, x1, x0);
  const W t4 = W::template lookup<0x1B>(t3, t2, t1);
  const W t5 = W::template lookup<0x95>(t3, t2, t0);
  const W t6 = W::template lookup<0xD8>(t3, t2, t1);
  x0 = t4;
  x1 = t6;
  x2 = t5;
  x3 = t1;
}

template <class W>
VOLT_INLINE void inverse2_ternary(W& x0, W& x1, W& x2, W& x3) {
  const W t0 = W::template lookup<0xD8>(x3, x2, x1);
  const W t1 = W::template lookup<0x9A>(x2, x1, x0);
  const W t2 = W::template lookup<0x3A>(x3, x2, x1);
  const W t3 = W::template lookup<0xD2>(t1, x3, x1);
  const W t4 = W::template lookup<0x59>(t2, t1, t0);
  const W t5 = W::template lookup<0x69>(t4, t2, x0);
  const W t6 = W::template lookup<0x47>(t2, t3, t0);
  x0 = t3;
  x1 = t5;
  x2 = t4;
  x3 = t6;
}

template <class W>
VOLT_INLINE void inverse3_ternary(W& x0, W& x1, W& x2, W& x3) {
  const W t0 = W::template lookup<0x94>(x3, x2, x1);
  const W t1 = W::template lookup<0xD2>(t0, x3, x0);
  const W t2 = W::template lookup<0x68>(x3, x1, x0);
  const W t3 = W::template lookup<0x86>(x2, x1, x0);
  const W t4 = W::template lookup<0xAE>(t3, t2, t0);
  const W t5 = W::template lookup<0x92>(t4, t2, x1);
  const W t6 = W::template lookup<0xD2>(t2, t1, x2);
  const W t7 = W::template lookup<0x2C>(t4, t3, x2);
  x0 = t1;
  x1 = t5;
  x2 = t6;
  x3 = t7;
}

template <class W>
VOLT_INLINE void inverse4_ternary(W& x0, W& x1, W& x2, W& x3) {
  const W t0 = W::template lookup<0x94>(x3, x2, x0);
  const W t1 = W::template lookup<0x78>(t0, x1, x0);
  const W t2 = W::template lookup<0x1E>(x2, x1, x0);
  const W t3 = W::template lookup<0x6A>(t1, x3, x0);
  const W t4 = W::template lookup<0x96>(t2, t3, x3);
  const W t5 = W::template lookup<0x87>(t2, t3, t1);
  const W t6 = W::template lookup<0x65>(t4, t5, t3);
  x0 = t5;
  x1 = t1;
  x2 = t6;
  x3 = t4;
}

template <class W>
VOLT_INLINE void inverse5_ternary(W& x0, W& x1, W& x2, W& x3) {
  const W t0 = W::template lookup<0x34>(x2, x1, x0);
  const W t1 = W::template lookup<0x87>(t0, x3, x0);
  const W t2 = W::template lookup<0x9C>(x3, x2, x0);
  const W t3 = W::template lookup<0x9A>(t1, x1, x0);
  const W t4 = W::template lookup<0x69>(t2, t3, x1);
  const W t5 = W::template lookup<0x87>(t2, t3, t1);
  const W t6 = W::template lookup<0x65>(t5, t4, t3);
  x0 = t4;
  x1 = t5;
  x2 = t6;
  x3 = t1;
}

template <class W>
VOLT_INLINE void inverse6_ternary(W& x0, W& x1, W& x2, W& x3) {
  const W t0 = W::template lookup<0xC6>(x2, x1, x0);
  const W t1 = W::template lookup<0x3C>(t0, x3, x0);
  const W t2 = W::template lookup<0x5C>(x3, x2, x0);
  const W t3 = W::template lookup<0x69>(t1, x2, x0);
  const W t4 = W::template lookup<0x1B>(t2, t1, x1);
  const W t5 = W::template lookup<0x95>(t2, t3, t0);
  const W t6 = W::template lookup<0x27>(t2, t1, x1);
  x0 = t4;
  x1 = t3;
  x2 = t5;
  x3 = t6;
}

template <class W>
VOLT_INLINE void inverse7_ternary(W& x0, W& x1, W& x2, W& x3) {
  const W t0 = W::template lookup<0xA4>(x3, x2, x1);
  const W t1 = W::template lookup<0xE6>(x3, x1, x0);
  const W t2 = W::template lookup<0xF8>(x2, x1, x0);
  const W t3 = W::template lookup<0x78>(t2, t1, x3);
  const W t4 = W::template lookup<0x38>(x3, x2, x0);
  const W t5 = W::template lookup<0x69>(t1, t0, x2);
  const W t6 = W::template lookup<0xC9>(t4, t0, x0);
  const W t7 = W::template lookup<0x96>(t4, t1, x0);
  x0 = t5;
  x1 = t6;
  x2 = t7;
  x3 = t3;
}

struct TernaryBoxes {
  template <int box, class W>
  static VOLT_INLINE void forward(W& x0, W& x1, W& x2, W& x3) {
    if constexpr (box == 0) box0_ternary(x0, x1, x2, x3);
    if constexpr (box == 1) box1_ternary(x0, x1, x2, x3);
    if constexpr (box == 2) box2_ternary(x0, x1, x2, x3);
    if constexpr (box == 3) box3_ternary(x0, x1, x2, x3);
    if constexpr (box == 4) box4_ternary(x0, x1, x2, x3);
    if constexpr (box == 5) box5_ternary(x0, x1, x2, x3);
    if constexpr (box == 6) box6_ternary(x0, x1, x2, x3);
    if constexpr (box == 7) box7_ternary(x0, x1, x2, x3);
  }
  template <int box, class W>
  static VOLT_INLINE void inverse(W& x0, W& x1, W& x2, W& x3) {
    if constexpr (box == 0) inverse0_ternary(x0, x1, x2, x3);
    if constexpr (box == 1) inverse1_ternary(x0, x1, x2, x3);
    if constexpr (box == 2) inverse2_ternary(x0, x1, x2, x3);
    if constexpr (box == 3) inverse3_ternary(x0, x1, x2, x3);
    if constexpr (box == 4) inverse4_ternary(x0, x1, x2, x3);
    if constexpr (box == 5) inverse5_ternary(x0, x1, x2, x3);
    if constexpr (box == 6) inverse6_ternary(x0, x1, x2, x3);
    if constexpr (box == 7) inverse7_ternary(x0, x1, x2, x3);
  }
};

}  // namespace volt::serpent
