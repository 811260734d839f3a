// One XTS implementation of one cipher on one instruction set.
#pragma once

#include <cstddef>
#include <cstdint>

#include "crypto/ciphers/cipher_id.h"

namespace volt {

// Enough for every kernel's schedule (data key and tweak key together, any tables included).
inline constexpr std::size_t max_schedule_bytes = 16384;
inline constexpr std::size_t schedule_alignment = 64;

// A row of the kernel table. Plain function pointers: kernel files are compiled with flags that the
// rest of the program must not see, so they share no inline code with it.
//
// The grain is XTS data units of 512 or 4096 bytes (IEEE 1619-2007, 5.1: the tweak is the unit
// number as 16 little-endian bytes, encrypted with the tweak key, then multiplied by alpha from
// block to block), each size with functions of its own: one schedule serves both. Unit number
// `first_unit + i` wraps modulo 2^64 (the upper 8 bytes of the tweak are always zero).
//
// Thread contract: after `expand` a schedule is read only; the unit functions may run on it from
// any number of threads. `in == out` is allowed; otherwise they must not overlap. No alignment is
// required of in and out. `units` may be 0. Nothing outside the stated bytes is read or written.
struct XtsKernel {
  CipherId cipher;
  const char* name;                 // instruction set: "vaes", "aesni", "avx2", "portable"
  std::uint32_t required_features;  // set of CpuFeature
  bool constant_time;               // no branch or address depends on key or data
  std::size_t schedule_bytes;       // at most max_schedule_bytes

  // Expands both keys, cipher_key_bytes(cipher) each, into `schedule` (schedule_bytes, aligned to
  // schedule_alignment).
  void (*expand)(const std::uint8_t* data_key, const std::uint8_t* tweak_key, void* schedule);
  // Releases what expand may have allocated outside the schedule; null where there is nothing.
  // The owner wipes the schedule bytes themselves.
  void (*destroy)(void* schedule);

  using UnitsFunction = void (*)(const void* schedule, std::uint64_t first_unit,
                                 const std::uint8_t* in, std::uint8_t* out, std::size_t units);
  struct UnitsFunctions {
    UnitsFunction encrypt;
    UnitsFunction decrypt;
  };
  UnitsFunctions units512;
  UnitsFunctions units4096;

  // Whether the library that the row stands on has the cipher; null where it needs none.
  bool (*available)();
};

}  // namespace volt
