// Blocks that say what they are, so that what comes back can be told apart from what should.
#pragma once

#include <cstdint>
#include <string>

#include "crypto/bytes.h"
#include "crypto/result.h"

namespace volt {

inline constexpr std::size_t verify_block_bytes = 4096;
inline constexpr std::size_t verify_sector_bytes = 512;  // each describes itself

struct BlockLabel {
  std::uint64_t run = 0;         // never the same twice: what an older run left is not ours
  std::uint64_t block = 0;       // its place
  std::uint32_t generation = 0;  // 1 the first write, 2 the next; 0: not written
};

// A number for BlockLabel::run that no other run has: random, whatever seed the run works with.
// Errors: those of random_bytes.
Result<std::uint64_t> new_verify_run() noexcept;

// A run's number as people and results are told it: 16 hexadecimal digits.
std::string verify_run_name(std::uint64_t run);

// Fills a block: in each sector a magic number, the run, the sector's own offset in bytes, the
// generation, noise that follows from all of them, and a checksum.
void fill_verify_block(MutableByteSpan block, const BlockLabel& label) noexcept;

enum class BlockState : std::uint8_t {
  good,
  stale,      // an earlier generation of this very block
  lost,       // nothing of this run: the write never arrived, or was undone
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
  std::uint64_t found_run = 0;  // lost: the run whose block stands there; 0: no block at all
};

// What a block that should carry `expected` is.
BlockFinding examine_verify_block(ByteSpan block, const BlockLabel& expected) noexcept;

}  // namespace volt
