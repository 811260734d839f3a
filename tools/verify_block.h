// Blocks that say what they are, so that what comes back can be told apart from what should.
#pragma once

#include <cstdint>

#include "crypto/bytes.h"

namespace volt {

inline constexpr std::size_t verify_block_bytes = 4096;
inline constexpr std::size_t verify_sector_bytes = 512;  // each describes itself

struct BlockLabel {
  std::uint64_t seed = 0;        // of the whole run: older runs' blocks are not ours
  std::uint64_t block = 0;       // its place
  std::uint32_t generation = 0;  // 1 the first write, 2 the next; 0: not written
};

// Fills a block: in each sector a magic number, the label, the sector's place, noise that follows
// from all of them, and a checksum.
void fill_verify_block(MutableByteSpan block, const BlockLabel& label) noexcept;

enum class BlockState : std::uint8_t {
  good,
  stale,      // an earlier generation of this very block
  lost,       // nothing of this run: the write never arrived
  misplaced,  // a block of this run that belongs elsewhere
  torn,       // sectors of different generations, or some of this run and some not
  corrupt,    // of this run, but bytes differ
};
inline constexpr std::size_t block_states = 6;
const char* block_state_name(BlockState state) noexcept;

struct BlockFinding {
  BlockState state = BlockState::good;
  std::uint64_t found_block = 0;       // misplaced: where it belongs
  std::uint32_t found_generation = 0;  // stale
  std::uint32_t first_bad_sector = 0;
};

// What a block that should carry `expected` is.
BlockFinding examine_verify_block(ByteSpan block, const BlockLabel& expected) noexcept;

}  // namespace volt
