// Serpent's S-boxes and their inverses as two-input gates, for bit-sliced kernels.
//
// Found by a beam search over the Boolean functions of four variables that gates make of the inputs
// and of one another; a set of functions is the better, the fewer gates separate it from the four
// outputs. Among the shortest sequences found, those of small depth and few live values were
// taken. Every function is held with f(0) = 0, so that inversions cost nothing: a box gives
// S(x) ^ S(0), and the next round key takes the constant back (serpent_schedule.cc). 13 to 16 gates
// a box. tests/serpent_sboxes_test.cc checks all entries.
#pragma once

#include "crypto/isa/words.inl.h"

namespace volt::serpent {

template <class W>
VOLT_INLINE void box0(W& x0, W& x1, W& x2, W& x3) {
  const W t0 = x3 ^ x0;
  const W t1 = x3 & x0;
  const W t2 = t0 ^ x2;
  const W t3 = t0 & x1;
  const W t4 = t2 ^ x1;
  const W t5 = t3 ^ x0;
  const W t6 = t1 ^ t4;
  const W t7 = t5 | x2;
  const W t8 = t7 ^ t4;
  const W t9 = t5 ^ t2;
  const W t10 = t9 & t6;
  const W t11 = t10 ^ t5;
  const W t12 = t10 ^ t2;
  x0 = t11;
  x1 = t12;
  x2 = t8;
  x3 = t6;
}

template <class W>
VOLT_INLINE void box1(W& x0, W& x1, W& x2, W& x3) {
  const W t0 = x1 ^ x0;
  const W t1 = and_not(x1, x0);
  const W t2 = t1 ^ x2;
  const W t3 = t2 ^ x3;
  const W t4 = and_not(x3, t0);
  const W t5 = t4 ^ x1;
  const W t6 = t3 ^ t0;
  const W t7 = t6 ^ t5;
  const W t8 = t7 | t2;
  const W t9 = t8 ^ t6;
  const W t10 = t8 ^ t5;
  const W t11 = and_not(t6, t5);
  const W t12 = t11 ^ t2;
  x0 = t12;
  x1 = t10;
  x2 = t3;
  x3 = t9;
}

template <class W>
VOLT_INLINE void box2(W& x0, W& x1, W& x2, W& x3) {
  const W t0 = x2 & x0;
  const W t1 = x2 ^ x1;
  const W t2 = t0 ^ x3;
  const W t3 = x3 | x0;
  const W t4 = t1 ^ x0;
  const W t5 = t2 ^ t1;
  const W t6 = t3 ^ x1;
  const W t7 = t2 & x1;
  const W t8 = t7 ^ t4;
  const W t9 = t4 & t6;
  const W t10 = t9 ^ t2;
  const W t11 = t8 ^ t6;
  const W t12 = t11 ^ t10;
  x0 = t5;
  x1 = t12;
  x2 = t10;
  x3 = t8;
}

template <class W>
VOLT_INLINE void box3(W& x0, W& x1, W& x2, W& x3) {
  const W t0 = and_not(x0, x2);
  const W t1 = x3 ^ x2;
  const W t2 = and_not(x3, x0);
  const W t3 = x1 ^ x0;
  const W t4 = and_not(x1, t0);
  const W t5 = t4 | t2;
  const W t6 = t3 ^ t1;
  const W t7 = and_not(t4, t2);
  const W t8 = t7 ^ t6;
  const W t9 = t5 & t1;
  const W t10 = t9 ^ t3;
  const W t11 = t8 | t2;
  const W t12 = t10 & t8;
  const W t13 = t12 ^ t5;
  const W t14 = t11 ^ t3;
  const W t15 = t14 ^ t0;
  x0 = t10;
  x1 = t13;
  x2 = t8;
  x3 = t15;
}

template <class W>
VOLT_INLINE void box4(W& x0, W& x1, W& x2, W& x3) {
  const W t0 = x3 ^ x0;
  const W t1 = x3 ^ x1;
  const W t2 = and_not(t1, t0);
  const W t3 = t2 ^ x2;
  const W t4 = t3 ^ x3;
  const W t5 = t4 | x1;
  const W t6 = t4 & x0;
  const W t7 = t5 ^ t0;
  const W t8 = t6 ^ t1;
  const W t9 = t5 | t0;
  const W t10 = t9 ^ t8;
  const W t11 = t8 | t7;
  const W t12 = t11 ^ t3;
  x0 = t4;
  x1 = t12;
  x2 = t10;
  x3 = t7;
}

template <class W>
VOLT_INLINE void box5(W& x0, W& x1, W& x2, W& x3) {
  const W t0 = and_not(x0, x1);
  const W t1 = x3 ^ x0;
  const W t2 = t0 ^ x2;
  const W t3 = t1 ^ x1;
  const W t4 = and_not(x0, x2);
  const W t5 = t4 | t3;
  const W t6 = t5 ^ x0;
  const W t7 = t1 & t2;
  const W t8 = and_not(t5, t7);
  const W t9 = t3 | x3;
  const W t10 = t9 ^ t2;
  const W t11 = t6 ^ t2;
  const W t12 = and_not(t10, x3);
  const W t13 = t12 ^ t3;
  x0 = t10;
  x1 = t13;
  x2 = t8;
  x3 = t11;
}

template <class W>
VOLT_INLINE void box6(W& x0, W& x1, W& x2, W& x3) {
  const W t0 = x3 & x0;
  const W t1 = x3 ^ x0;
  const W t2 = t0 ^ x2;
  const W t3 = t2 ^ x1;
  const W t4 = and_not(t3, t1);
  const W t5 = t1 ^ t3;
  const W t6 = t4 ^ x3;
  const W t7 = and_not(t2, t6);
  const W t8 = and_not(t6, t2);
  const W t9 = t7 ^ t5;
  const W t10 = t8 ^ t5;
  const W t11 = and_not(t10, t9);
  const W t12 = t11 ^ t6;
  x0 = t9;
  x1 = t3;
  x2 = t10;
  x3 = t12;
}

template <class W>
VOLT_INLINE void box7(W& x0, W& x1, W& x2, W& x3) {
  const W t0 = and_not(x2, x1);
  const W t1 = t0 ^ x3;
  const W t2 = x3 | x2;
  const W t3 = x2 ^ x1;
  const W t4 = and_not(x0, t1);
  const W t5 = t4 ^ t3;
  const W t6 = and_not(t4, t3);
  const W t7 = t6 ^ t1;
  const W t8 = t2 ^ x0;
  const W t9 = and_not(t8, t5);
  const W t10 = t9 ^ t1;
  const W t11 = t7 ^ x1;
  const W t12 = t11 ^ x0;
  const W t13 = and_not(t5, t8);
  const W t14 = t13 ^ t7;
  x0 = t10;
  x1 = t12;
  x2 = t14;
  x3 = t5;
}

template <class W>
VOLT_INLINE void inverse0(W& x0, W& x1, W& x2, W& x3) {
  const W t0 = x1 ^ x0;
  const W t1 = x1 | x0;
  const W t2 = t1 ^ x2;
  const W t3 = t2 ^ x3;
  const W t4 = and_not(x3, t0);
  const W t5 = t3 ^ t0;
  const W t6 = t4 ^ x1;
  const W t7 = t6 ^ t2;
  const W t8 = and_not(t6, t2);
  const W t9 = t8 ^ t5;
  const W t10 = t7 | t5;
  const W t11 = t10 ^ t6;
  const W t12 = t9 ^ t7;
  x0 = t9;
  x1 = t11;
  x2 = t3;
  x3 = t12;
}

template <class W>
VOLT_INLINE void inverse1(W& x0, W& x1, W& x2, W& x3) {
  const W t0 = x3 ^ x1;
  const W t1 = and_not(x3, x1);
  const W t2 = t1 ^ x0;
  const W t3 = t0 | x0;
  const W t4 = t3 ^ x3;
  const W t5 = t2 ^ x2;
  const W t6 = t0 ^ x2;
  const W t7 = t6 & t4;
  const W t8 = t7 ^ t2;
  const W t9 = t6 ^ t4;
  const W t10 = t9 & t5;
  const W t11 = t10 ^ t4;
  const W t12 = t10 ^ t6;
  x0 = t12;
  x1 = t11;
  x2 = t8;
  x3 = t5;
}

template <class W>
VOLT_INLINE void inverse2(W& x0, W& x1, W& x2, W& x3) {
  const W t0 = x2 ^ x1;
  const W t1 = x3 ^ x0;
  const W t2 = and_not(x3, t0);
  const W t3 = t2 ^ x1;
  const W t4 = t0 ^ x3;
  const W t5 = t4 | x1;
  const W t6 = t3 | t1;
  const W t7 = t6 ^ t0;
  const W t8 = t5 ^ t1;
  const W t9 = t7 ^ x0;
  const W t10 = t9 ^ t3;
  const W t11 = and_not(t8, t7);
  const W t12 = t11 ^ t3;
  x0 = t8;
  x1 = t10;
  x2 = t7;
  x3 = t12;
}

template <class W>
VOLT_INLINE void inverse3(W& x0, W& x1, W& x2, W& x3) {
  const W t0 = and_not(x1, x2);
  const W t1 = x3 ^ x2;
  const W t2 = t0 ^ x0;
  const W t3 = x1 | x0;
  const W t4 = t1 ^ x1;
  const W t5 = and_not(t2, x3);
  const W t6 = t5 ^ t4;
  const W t7 = t3 ^ x3;
  const W t8 = t4 | x3;
  const W t9 = and_not(t8, t2);
  const W t10 = t9 ^ t1;
  const W t11 = and_not(t4, t7);
  const W t12 = t11 ^ t2;
  const W t13 = and_not(t7, t6);
  const W t14 = t13 ^ t9;
  x0 = t6;
  x1 = t14;
  x2 = t10;
  x3 = t12;
}

template <class W>
VOLT_INLINE void inverse4(W& x0, W& x1, W& x2, W& x3) {
  const W t0 = x3 | x1;
  const W t1 = x3 & x2;
  const W t2 = t0 & x0;
  const W t3 = t1 ^ x1;
  const W t4 = t2 ^ x2;
  const W t5 = t4 ^ t3;
  const W t6 = t2 | t1;
  const W t7 = and_not(x0, t3);
  const W t8 = t7 ^ x3;
  const W t9 = t8 ^ t5;
  const W t10 = t8 | t5;
  const W t11 = t10 ^ t6;
  const W t12 = and_not(t9, x0);
  const W t13 = t12 ^ t3;
  x0 = t9;
  x1 = t13;
  x2 = t11;
  x3 = t5;
}

template <class W>
VOLT_INLINE void inverse5(W& x0, W& x1, W& x2, W& x3) {
  const W t0 = and_not(x2, x1);
  const W t1 = x3 & x1;
  const W t2 = t0 ^ x3;
  const W t3 = t2 ^ x2;
  const W t4 = and_not(x0, t1);
  const W t5 = t4 ^ t3;
  const W t6 = t4 | t0;
  const W t7 = t2 & x0;
  const W t8 = t7 ^ x1;
  const W t9 = t8 ^ t5;
  const W t10 = and_not(t9, x0);
  const W t11 = t10 ^ t2;
  const W t12 = t8 & t5;
  const W t13 = t12 ^ t6;
  x0 = t5;
  x1 = t9;
  x2 = t13;
  x3 = t11;
}

template <class W>
VOLT_INLINE void inverse6(W& x0, W& x1, W& x2, W& x3) {
  const W t0 = and_not(x2, x0);
  const W t1 = and_not(x0, x2);
  const W t2 = t0 ^ x3;
  const W t3 = t1 ^ x3;
  const W t4 = and_not(t3, t2);
  const W t5 = t4 ^ x2;
  const W t6 = t5 | x1;
  const W t7 = t5 ^ x1;
  const W t8 = t2 ^ x1;
  const W t9 = t6 ^ t3;
  const W t10 = t7 ^ t9;
  const W t11 = t7 | t9;
  const W t12 = t11 ^ t2;
  x0 = t10;
  x1 = t8;
  x2 = t12;
  x3 = t9;
}

template <class W>
VOLT_INLINE void inverse7(W& x0, W& x1, W& x2, W& x3) {
  const W t0 = x3 ^ x2;
  const W t1 = t0 | x0;
  const W t2 = and_not(t1, x2);
  const W t3 = t1 ^ x3;
  const W t4 = and_not(x3, x1);
  const W t5 = x1 ^ x0;
  const W t6 = t4 | t5;
  const W t7 = t6 ^ t2;
  const W t8 = t7 ^ t4;
  const W t9 = t0 & t5;
  const W t10 = and_not(t7, t9);
  const W t11 = and_not(t3, t5);
  const W t12 = t11 ^ t9;
  const W t13 = t10 ^ x0;
  const W t14 = and_not(t3, t9);
  const W t15 = t14 ^ t4;
  x0 = t13;
  x1 = t15;
  x2 = t8;
  x3 = t12;
}

struct GateBoxes {
  template <int box, class W>
  static VOLT_INLINE void forward(W& x0, W& x1, W& x2, W& x3) {
    if constexpr (box == 0) box0(x0, x1, x2, x3);
    if constexpr (box == 1) box1(x0, x1, x2, x3);
    if constexpr (box == 2) box2(x0, x1, x2, x3);
    if constexpr (box == 3) box3(x0, x1, x2, x3);
    if constexpr (box == 4) box4(x0, x1, x2, x3);
    if constexpr (box == 5) box5(x0, x1, x2, x3);
    if constexpr (box == 6) box6(x0, x1, x2, x3);
    if constexpr (box == 7) box7(x0, x1, x2, x3);
  }
  template <int box, class W>
  static VOLT_INLINE void inverse(W& x0, W& x1, W& x2, W& x3) {
    if constexpr (box == 0) inverse0(x0, x1, x2, x3);
    if constexpr (box == 1) inverse1(x0, x1, x2, x3);
    if constexpr (box == 2) inverse2(x0, x1, x2, x3);
    if constexpr (box == 3) inverse3(x0, x1, x2, x3);
    if constexpr (box == 4) inverse4(x0, x1, x2, x3);
    if constexpr (box == 5) inverse5(x0, x1, x2, x3);
    if constexpr (box == 6) inverse6(x0, x1, x2, x3);
    if constexpr (box == 7) inverse7(x0, x1, x2, x3);
  }
};

}  // namespace volt::serpent
