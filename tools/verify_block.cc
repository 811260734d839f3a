#include "tools/verify_block.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "tools/bench_workload.h"

namespace volt {
namespace {

constexpr std::uint64_t magic = 0x566F6C7456667931;  // "VoltVfy1"
constexpr std::size_t header_words = 5;
constexpr std::size_t words = verify_sector_bytes / 8;

struct SectorLabel {
  BlockLabel label;
  std::uint64_t sector = 0;
};

std::uint64_t noise_seed(const SectorLabel& what) {
  std::uint64_t state = what.label.seed;
  state ^= next_random(state) + what.label.block;
  state ^= next_random(state) + what.label.generation;
  state ^= next_random(state) + what.sector;
  return state;
}

std::uint64_t checksum(const std::uint8_t* sector) {
  std::uint64_t sum = magic;
  for (std::size_t i = 0; i + 1 < words; ++i) {
    sum = (sum ^ load_le<std::uint64_t>(sector + 8 * i)) * 0x9E3779B97F4A7C15U;
    sum ^= sum >> 29;
  }
  return sum;
}

void fill_sector(std::uint8_t* sector, const SectorLabel& what) {
  store_le<std::uint64_t>(sector, magic);
  store_le<std::uint64_t>(sector + 8, what.label.seed);
  store_le<std::uint64_t>(sector + 16, what.label.block);
  store_le<std::uint64_t>(sector + 24, what.label.generation);
  store_le<std::uint64_t>(sector + 32, what.sector);
  std::uint64_t state = noise_seed(what);
  for (std::size_t i = header_words; i + 1 < words; ++i) {
    store_le<std::uint64_t>(sector + 8 * i, next_random(state));
  }
  store_le<std::uint64_t>(sector + 8 * (words - 1), checksum(sector));
}

enum class SectorState : std::uint8_t { good, stale, foreign, misplaced, corrupt };

struct SectorFinding {
  SectorState state = SectorState::good;
  std::uint64_t block = 0;
  std::uint32_t generation = 0;
};

SectorFinding examine_sector(const std::uint8_t* sector, const SectorLabel& expected) {
  SectorFinding finding;
  finding.block = load_le<std::uint64_t>(sector + 16);
  finding.generation = static_cast<std::uint32_t>(load_le<std::uint64_t>(sector + 24));
  const bool ours = load_le<std::uint64_t>(sector) == magic &&
                    load_le<std::uint64_t>(sector + 8) == expected.label.seed;
  const bool whole = load_le<std::uint64_t>(sector + 8 * (words - 1)) == checksum(sector);
  if (ours && whole) {
    if (finding.block != expected.label.block ||
        load_le<std::uint64_t>(sector + 32) != expected.sector) {
      finding.state = SectorState::misplaced;
    } else if (finding.generation != expected.label.generation) {
      finding.state = SectorState::stale;
    }
    return finding;
  }
  // A flipped bit leaves nearly everything as it should be; another content, nearly nothing.
  std::array<std::uint8_t, verify_sector_bytes> should;
  std::size_t same = 0;
  fill_sector(should.data(), expected);
  for (std::size_t i = 0; i < verify_sector_bytes; ++i) same += should[i] == sector[i] ? 1 : 0;
  finding.state = same > verify_sector_bytes / 2 ? SectorState::corrupt : SectorState::foreign;
  return finding;
}

}  // namespace

void fill_verify_block(MutableByteSpan block, const BlockLabel& label) noexcept {
  for (std::size_t i = 0; i < verify_block_bytes / verify_sector_bytes; ++i) {
    fill_sector(block.data() + i * verify_sector_bytes, {label, i});
  }
}

const char* block_state_name(BlockState state) noexcept {
  static constexpr std::array<const char*, block_states> names = {"good",      "stale", "lost",
                                                                  "misplaced", "torn",  "corrupt"};
  return names[static_cast<std::size_t>(state)];
}

BlockFinding examine_verify_block(ByteSpan block, const BlockLabel& expected) noexcept {
  constexpr std::size_t sectors = verify_block_bytes / verify_sector_bytes;
  std::array<std::size_t, 5> counts{};
  BlockFinding finding;
  bool bad_seen = false;
  for (std::size_t i = 0; i < sectors; ++i) {
    const SectorFinding sector =
        examine_sector(block.data() + i * verify_sector_bytes, {expected, i});
    ++counts[static_cast<std::size_t>(sector.state)];
    if (sector.state == SectorState::good || bad_seen) continue;
    bad_seen = true;
    finding.first_bad_sector = static_cast<std::uint32_t>(i);
    finding.found_block = sector.block;
    finding.found_generation = sector.generation;
  }
  const auto count = [&](SectorState state) { return counts[static_cast<std::size_t>(state)]; };
  if (!bad_seen) return finding;
  // A bit that flipped in a sector of noise leaves the rest as it was.
  if (count(SectorState::corrupt) > 0) {
    finding.state = BlockState::corrupt;
  } else if (count(SectorState::misplaced) > 0) {
    finding.state = BlockState::misplaced;
  } else if (count(SectorState::stale) == sectors) {
    finding.state = BlockState::stale;
  } else if (count(SectorState::foreign) == sectors) {
    finding.state = BlockState::lost;
  } else {
    finding.state = BlockState::torn;
  }
  return finding;
}

}  // namespace volt
