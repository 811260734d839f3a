// Arithmetic of offsets and lengths. Pure: no I/O, no state.
#pragma once

#include <algorithm>
#include <cstdint>

namespace volt {

// `alignment` is a power of two in all of these.
constexpr bool is_power_of_two(std::uint64_t value) noexcept {
  return value != 0 && (value & (value - 1)) == 0;
}
constexpr std::uint64_t align_down(std::uint64_t value, std::uint64_t alignment) noexcept {
  return value & ~(alignment - 1);
}
// The caller knows that `value` is at least `alignment` below the top of its type.
constexpr std::uint64_t align_up(std::uint64_t value, std::uint64_t alignment) noexcept {
  return align_down(value + alignment - 1, alignment);
}

// A request cut at block borders: head (part of one block), middle (whole blocks), tail (part of
// one block). A request inside one block, touching neither or one of its borders, is all head.
struct AlignedSplit {
  std::uint64_t head_bytes;
  std::uint64_t middle_bytes;
  std::uint64_t tail_bytes;

  constexpr bool whole_blocks() const noexcept { return (head_bytes | tail_bytes) == 0; }
};

constexpr AlignedSplit split_aligned(std::uint64_t offset, std::uint64_t length,
                                     std::uint64_t alignment) noexcept {
  const std::uint64_t into_block = offset & (alignment - 1);
  const std::uint64_t to_border = into_block == 0 ? 0 : alignment - into_block;
  const std::uint64_t head = std::min(to_border, length);
  const std::uint64_t rest = length - head;
  if (head == 0 && rest < alignment) return {rest, 0, 0};
  return {head, align_down(rest, alignment), rest & (alignment - 1)};
}

// True if [a, a + a_length) and [b, b + b_length) share a byte; no sum may wrap.
constexpr bool ranges_overlap(std::uint64_t a, std::uint64_t a_length, std::uint64_t b,
                              std::uint64_t b_length) noexcept {
  return a < b + b_length && b < a + a_length;
}

}  // namespace volt
