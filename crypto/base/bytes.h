// Byte spans and big/little-endian loads and stores.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>

namespace volt {

using ByteSpan = std::span<const std::uint8_t>;
using MutableByteSpan = std::span<std::uint8_t>;

// Unaligned loads and stores in a stated byte order; `bytes` must hold sizeof(T).
template <class T>
constexpr T load_be(const std::uint8_t* bytes) noexcept {
  T value = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i) {
    value = static_cast<T>(static_cast<T>(value << 8) | bytes[i]);
  }
  return value;
}

template <class T>
constexpr void store_be(std::uint8_t* bytes, T value) noexcept {
  for (std::size_t i = sizeof(T); i-- > 0;) {
    bytes[i] = static_cast<std::uint8_t>(value & 0xFF);
    value = static_cast<T>(value >> 8);
  }
}

template <class T>
constexpr T load_le(const std::uint8_t* bytes) noexcept {
  T value = 0;
  for (std::size_t i = sizeof(T); i-- > 0;) {
    value = static_cast<T>(static_cast<T>(value << 8) | bytes[i]);
  }
  return value;
}

template <class T>
constexpr void store_le(std::uint8_t* bytes, T value) noexcept {
  for (std::size_t i = 0; i < sizeof(T); ++i) {
    bytes[i] = static_cast<std::uint8_t>(value & 0xFF);
    value = static_cast<T>(value >> 8);
  }
}

}  // namespace volt
