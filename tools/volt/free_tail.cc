#include "tools/volt/free_tail.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>

#include "crypto/base/bytes.h"
#include "crypto/base/secure_buffer.h"

namespace volt {
namespace {

// Geometry of a FAT file system, all in bytes but the counts.
struct FatLayout {
  std::uint64_t fat_offset_bytes = 0;
  std::uint64_t fat_bytes = 0;
  std::uint64_t data_offset_bytes = 0;
  std::uint64_t cluster_bytes = 0;
  std::uint64_t clusters = 0;
  unsigned entry_bits = 0;
};

Error absurd(const char* field, std::uint64_t value) {
  return {ErrorCode::bad_header, 0, field, value};
}

Result<FatLayout> parse_fat(ByteSpan boot, std::uint64_t volume_bytes) {
  if (boot[510] != 0x55 || boot[511] != 0xAA || (boot[0] != 0xEB && boot[0] != 0xE9) ||
      std::memcmp(&boot[3], "NTFS", 4) == 0 || std::memcmp(&boot[3], "EXFAT", 5) == 0) {
    return Error{ErrorCode::not_supported, 0, "not a FAT file system", 0};
  }
  const std::uint64_t sector_bytes = load_le<std::uint16_t>(&boot[11]);
  const std::uint64_t cluster_sectors = boot[13];
  const std::uint64_t reserved = load_le<std::uint16_t>(&boot[14]);
  const std::uint64_t fats = boot[16];
  const std::uint64_t root_entries = load_le<std::uint16_t>(&boot[17]);
  std::uint64_t sectors = load_le<std::uint16_t>(&boot[19]);
  if (sectors == 0) sectors = load_le<std::uint32_t>(&boot[32]);
  std::uint64_t fat_sectors = load_le<std::uint16_t>(&boot[22]);
  if (fat_sectors == 0) fat_sectors = load_le<std::uint32_t>(&boot[36]);
  if (sector_bytes < 512 || sector_bytes > 4096 || (sector_bytes & (sector_bytes - 1)) != 0) {
    return absurd("FAT: bytes per sector", sector_bytes);
  }
  if (cluster_sectors == 0 || (cluster_sectors & (cluster_sectors - 1)) != 0) {
    return absurd("FAT: sectors per cluster", cluster_sectors);
  }
  if (reserved == 0 || fats == 0 || fat_sectors == 0) return absurd("FAT: number of FATs", fats);
  const std::uint64_t root_sectors = (root_entries * 32 + sector_bytes - 1) / sector_bytes;
  const std::uint64_t data_sector = reserved + fats * fat_sectors + root_sectors;
  if (sectors <= data_sector || sectors > volume_bytes / sector_bytes) {
    return absurd("FAT: total sectors", sectors);
  }
  FatLayout layout;
  layout.fat_offset_bytes = reserved * sector_bytes;
  layout.fat_bytes = fat_sectors * sector_bytes;
  layout.data_offset_bytes = data_sector * sector_bytes;
  layout.cluster_bytes = cluster_sectors * sector_bytes;
  layout.clusters = (sectors - data_sector) / cluster_sectors;
  // The count of clusters alone decides the type.
  layout.entry_bits = layout.clusters < 4085 ? 12 : layout.clusters < 65525 ? 16 : 32;
  if ((layout.clusters + 2) * layout.entry_bits > layout.fat_bytes * 8) {
    return absurd("FAT: sectors per FAT", fat_sectors);
  }
  return layout;
}

// Entry `index` of a run of FAT bytes that starts at entry `first` (even, for FAT12's pairs).
bool entry_in_use(ByteSpan run, std::uint64_t first, std::uint64_t index, unsigned bits) {
  const std::uint64_t bit = (index - first) * bits;
  const std::uint8_t* at = &run[bit / 8];
  if (bits == 32) return (load_le<std::uint32_t>(at) & 0x0FFFFFFFU) != 0;
  const std::uint16_t pair = load_le<std::uint16_t>(at);
  if (bits == 16) return pair != 0;
  return ((bit % 8 == 0) ? (pair & 0x0FFFU) : (pair >> 4)) != 0;
}

// The highest cluster number in use, or 1 where none is. Reads the first FAT from its end.
Result<std::uint64_t> last_used_cluster(BlockDevice& volume, const FatLayout& layout) {
  constexpr std::uint64_t run_entries = 16384;  // even; at most 64 KiB of FAT
  auto buffer = SecureBuffer::create(run_entries * 4 + 4);
  if (!buffer.ok()) return buffer.error();
  const std::uint64_t entries = layout.clusters + 2;
  for (std::uint64_t first = (entries - 1) / run_entries * run_entries;; first -= run_entries) {
    const std::uint64_t count = std::min(run_entries, entries - first);
    const std::uint64_t begin = first * layout.entry_bits / 8;
    const std::uint64_t bytes =
        std::min((count * layout.entry_bits + 7) / 8 + 1, layout.fat_bytes - begin);
    MutableByteSpan run(buffer->data(), static_cast<std::size_t>(bytes));
    VOLT_TRY(volume.read(layout.fat_offset_bytes + begin, run));
    for (std::uint64_t index = first + count; index-- > std::max<std::uint64_t>(first, 2);) {
      if (entry_in_use(buffer->span(), first, index, layout.entry_bits)) return index;
    }
    if (first == 0) return std::uint64_t{1};
  }
}

}  // namespace

Result<std::uint64_t> free_tail_begin(BlockDevice& volume) {
  std::array<std::uint8_t, 512> boot{};
  if (volume.size() < boot.size()) return absurd("volume size", volume.size());
  VOLT_TRY(volume.read(0, boot));
  const auto layout = parse_fat(boot, volume.size());
  if (!layout.ok()) return layout.error();
  const auto last = last_used_cluster(volume, *layout);
  if (!last.ok()) return last.error();
  return layout->data_offset_bytes + (*last - 1) * layout->cluster_bytes;
}

}  // namespace volt
