#include "tools/verify_block.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "crypto/random.h"
#include "tools/bench_workload.h"

namespace volt {
namespace {

constexpr std::uint64_t magic = 0x566F6C7456667932;  // "VoltVfy2"
// Words of a sector: magic number, run, offset, generation, noise, and the checksum last.
constexpr std::size_t run_at = 8;
constexpr std::size_t offset_at = 16;
constexpr std::size_t generation_at = 24;
constexpr std::size_t header_words = 4;
constexpr std::size_t words = verify_sector_bytes / 8;

struct SectorLabel {
  std::uint64_t run = 0;
  std::uint64_t offset = 0;  // in bytes, of the sector itself
  std::uint64_t generation = 0;
};

SectorLabel label_of_sector(const BlockLabel& block, std::size_t sector) {
  return {block.run, block.block * verify_block_bytes + sector * verify_sector_bytes,
          block.generation};
}

std::uint64_t noise_seed(const SectorLabel& what) {
  std::uint64_t state = what.run;
  state ^= next_random(state) + what.offset;
  state ^= next_random(state) + what.generation;
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
  store_le<std::uint64_t>(sector + run_at, what.run);
  store_le<std::uint64_t>(sector + offset_at, what.offset);
  store_le<std::uint64_t>(sector + generation_at, what.generation);
  std::uint64_t state = noise_seed(what);
  for (std::size_t i = header_words; i + 1 < words; ++i) {
    store_le<std::uint64_t>(sector + 8 * i, next_random(state));
  }
  store_le<std::uint64_t>(sector + 8 * (words - 1), checksum(sector));
}

enum class SectorState : std::uint8_t { good, stale, foreign, misplaced, corrupt };

struct SectorFinding {
  SectorState state = SectorState::good;
  SectorLabel found;  // what the sector says of itself; all zeros where it says nothing
};

SectorFinding examine_sector(const std::uint8_t* sector, const SectorLabel& expected) {
  SectorFinding finding;
  const bool whole = load_le<std::uint64_t>(sector) == magic &&
                     load_le<std::uint64_t>(sector + 8 * (words - 1)) == checksum(sector);
  if (whole) {
    finding.found = {load_le<std::uint64_t>(sector + run_at),
                     load_le<std::uint64_t>(sector + offset_at),
                     load_le<std::uint64_t>(sector + generation_at)};
    if (finding.found.run != expected.run) {
      finding.state = SectorState::foreign;
    } else if (finding.found.offset != expected.offset) {
      finding.state = SectorState::misplaced;
    } else if (finding.found.generation != expected.generation) {
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

Result<std::uint64_t> new_verify_run() noexcept {
  std::array<std::uint8_t, 8> bytes;
  VOLT_TRY(random_bytes(bytes));
  return load_le<std::uint64_t>(bytes.data());
}

std::string verify_run_name(std::uint64_t run) {
  return fmt::format("{:016x}", run);
}

void fill_verify_block(MutableByteSpan block, const BlockLabel& label) noexcept {
  for (std::size_t i = 0; i < verify_block_bytes / verify_sector_bytes; ++i) {
    fill_sector(block.data() + i * verify_sector_bytes, label_of_sector(label, i));
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
        examine_sector(block.data() + i * verify_sector_bytes, label_of_sector(expected, i));
    ++counts[static_cast<std::size_t>(sector.state)];
    if (sector.state == SectorState::good || bad_seen) continue;
    bad_seen = true;
    finding.first_bad_sector = static_cast<std::uint32_t>(i);
    finding.found_run = sector.found.run;
    finding.found_block = sector.found.offset / verify_block_bytes;
    finding.found_generation = static_cast<std::uint32_t>(sector.found.generation);
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
