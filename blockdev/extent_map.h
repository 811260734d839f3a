// Which part of a volume lies where in its container, and as what. Pure: no I/O, no keys.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "crypto/result.h"

namespace volt {

enum class ExtentKind : std::uint8_t {
  encrypted,
  plain,
  zero,  // reads as zeros, lies nowhere
};

// A range of the volume. Where `source` is not `offset` it has been moved. All numbers are bytes.
struct Extent {
  ExtentKind kind = ExtentKind::encrypted;
  std::uint64_t offset = 0;  // in the volume
  std::uint64_t length = 0;
  std::uint64_t source = 0;        // in the container
  std::uint64_t tweak_offset = 0;  // encrypted: of the data unit that its first one is numbered as
  bool writable = false;

  std::uint64_t end() const noexcept { return offset + length; }

  // Numbered by its place in the container.
  static Extent encrypted(std::uint64_t offset, std::uint64_t length, std::uint64_t source,
                          bool writable) noexcept {
    return {ExtentKind::encrypted, offset, length, source, source, writable};
  }
  static Extent plain(std::uint64_t offset, std::uint64_t length, std::uint64_t source,
                      bool writable) noexcept {
    return {ExtentKind::plain, offset, length, source, 0, writable};
  }
  static Extent zeros(std::uint64_t offset, std::uint64_t length) noexcept {
    return {ExtentKind::zero, offset, length, 0, 0, false};
  }
  friend bool operator==(const Extent&, const Extent&) = default;
};

// The whole of a volume: extents sorted, none overlapping, none missing. Neighbours that go on
// where the one before ends are one extent, so that a request seldom meets two. Immutable.
class ExtentMap {
 public:
  // In any order. Errors, all invalid_argument with the volume's offset as detail: no extents, an
  // empty one, numbers that wrap, overlap, a gap, zeros that are writable, a part of the container
  // that two extents share and one may write.
  static Result<ExtentMap> create(std::vector<Extent> extents);

  std::uint64_t size_bytes() const noexcept { return extents_.back().end(); }
  std::span<const Extent> extents() const noexcept { return extents_; }
  // The extent that holds the byte at `offset`, which must be inside. O(log n).
  const Extent& find(std::uint64_t offset) const noexcept;
  bool has_encrypted() const noexcept { return has_encrypted_; }
  bool has_writable() const noexcept { return has_writable_; }

  // What requests must be aligned to, over a container in such blocks with data units of
  // `unit_length` (powers of two).
  std::uint32_t alignment_bytes(std::uint32_t block_bytes, std::size_t unit_length) const noexcept;
  // Whether such a container of `container_bytes` can hold it. Extents are whole blocks and whole
  // data units, and no shorter than 512 bytes even where nothing is encrypted: what BlockDevice
  // promises not to tear must not lie in two. Errors, with the volume's offset as detail:
  // out_of_range (an extent lies past its end), misaligned.
  Status check_container(std::uint64_t container_bytes, std::uint32_t block_bytes,
                         std::size_t unit_length) const noexcept;

 private:
  explicit ExtentMap(std::vector<Extent> extents) noexcept;

  std::vector<Extent> extents_;
  bool has_encrypted_ = false;
  bool has_writable_ = false;
};

}  // namespace volt
