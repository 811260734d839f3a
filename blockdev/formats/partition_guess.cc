#include "blockdev/formats/partition_guess.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string_view>
#include <variant>
#include <vector>

#include <blkid.h>

#include "blockdev/host/file_descriptor.h"

namespace volt {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t sector_bytes = 512;  // in which libblkid counts
constexpr std::size_t most_named = 16;       // partitions in one message
constexpr int ambiguous = -2;                // of blkid_do_safeprobe

struct ProbeDeleter {
  void operator()(blkid_probe probe) const noexcept { blkid_free_probe(probe); }
};
using Probe = std::unique_ptr<std::remove_pointer_t<blkid_probe>, ProbeDeleter>;

struct Known {
  std::string_view type;  // as libblkid names it
  const char* what;
};
constexpr std::array known_types{
    Known{"BitLocker", "a BitLocker volume"},
    Known{"crypto_LUKS", "a LUKS volume, which cryptsetup opens"},
    Known{"vfat", "a FAT file system, which is not encrypted"},
    Known{"ntfs", "an NTFS file system, which is not encrypted"},
    Known{"exfat", "an exFAT file system, which is not encrypted"},
    Known{"LVM2_member", "an LVM physical volume; open the logical volume in it"},
    Known{"linux_raid_member", "a member of a Linux RAID; open the assembled array"},
    Known{"swap", "swap space, which is not encrypted"},
};

std::string value_of(blkid_probe probe, const char* name) {
  const char* value = nullptr;
  if (blkid_probe_lookup_value(probe, name, &value, nullptr) != 0 || value == nullptr) return {};
  return value;
}

// What stands on a disk may be anything.
std::string printable(std::string_view text) {
  std::string out;
  for (const char character : text) {
    const auto byte = static_cast<unsigned char>(character);
    out += byte < 0x20 || byte == 0x7f ? '?' : character;
  }
  return out;
}

// The node of a partition of the disk that `fd` is, as the kernel has it: "/dev/sdb1".
std::string node_of(int fd, int number) {
  struct stat info {};
  if (fstat(fd, &info) != 0 || !S_ISBLK(info.st_mode)) return {};
  const std::string disk = "/sys/dev/block/" + std::to_string(major(info.st_rdev)) + ":" +
                           std::to_string(minor(info.st_rdev));
  std::error_code error;
  for (fs::directory_iterator entry(disk, error), end; !error && entry != end;
       entry.increment(error)) {
    int found = 0;
    if (std::ifstream(entry->path() / "partition") >> found && found == number) {
      return "/dev/" + entry->path().filename().string();
    }
  }
  return {};
}

std::string partition_text(int fd, blkid_partition partition) {
  const int number = blkid_partition_get_partno(partition);
  const std::string node = node_of(fd, number);
  std::string text = node.empty() ? std::to_string(number) : node;
  const char* name = blkid_partition_get_name(partition);
  if (name != nullptr && *name != '\0') text += " \"" + printable(name) + "\"";
  const auto start = static_cast<std::uint64_t>(blkid_partition_get_start(partition));
  const auto size = static_cast<std::uint64_t>(blkid_partition_get_size(partition));
  return text + " (" + std::to_string(size * sector_bytes) + " bytes at " +
         std::to_string(start * sector_bytes) + ")";
}

std::optional<ContentGuess> guess_partitions(int fd, blkid_probe probe) {
  const blkid_partlist list = blkid_probe_get_partitions(probe);
  if (list == nullptr) return std::nullopt;
  std::string named;
  std::size_t count = 0;
  for (int i = 0; i < blkid_partlist_numof_partitions(list); ++i) {
    const blkid_partition partition = blkid_partlist_get_partition(list, i);
    if (partition == nullptr || blkid_partition_is_extended(partition) != 0) continue;
    if (++count > most_named) continue;
    named += (named.empty() ? "" : ", ") + partition_text(fd, partition);
  }
  if (count == 0) return std::nullopt;
  if (count > most_named) named += " and " + std::to_string(count - most_named) + " more";
  const blkid_parttable table = blkid_partlist_get_table(list);
  const char* type = table != nullptr ? blkid_parttable_get_type(table) : nullptr;
  std::string kind = type != nullptr ? type : "unknown";
  if (kind == "gpt") kind = "GPT";
  if (kind == "dos") kind = "MBR";
  return ContentGuess{"it is a whole disk with a partition table (" + kind +
                          "); open one of its partitions: " + named,
                      true, true};
}

ContentGuess guess_type(const std::string& type, const std::string& usage) {
  for (const Known& known : known_types) {
    if (known.type == type) return {std::string("it looks like ") + known.what, true, false};
  }
  const bool file_system = usage == "filesystem";
  return {"it looks like " + printable(type) +
              (file_system ? ", a file system that is not encrypted" : ""),
          true, false};
}

std::optional<ContentGuess> guess_descriptor(int fd) {
  const Probe probe(blkid_new_probe());
  if (probe == nullptr || blkid_probe_set_device(probe.get(), fd, 0, 0) != 0) return std::nullopt;
  blkid_probe_enable_superblocks(probe.get(), 1);
  blkid_probe_set_superblocks_flags(probe.get(), BLKID_SUBLKS_TYPE | BLKID_SUBLKS_USAGE);
  blkid_probe_enable_partitions(probe.get(), 1);
  int found = blkid_do_safeprobe(probe.get());
  if (found == ambiguous) {  // the first of several will do
    blkid_reset_probe(probe.get());
    found = blkid_do_probe(probe.get());
  }
  if (found != 0) return std::nullopt;
  const std::string type = value_of(probe.get(), "TYPE");
  if (!value_of(probe.get(), "PTTYPE").empty()) {
    if (auto guess = guess_partitions(fd, probe.get())) return guess;
  }
  if (type.empty()) return std::nullopt;
  return guess_type(type, value_of(probe.get(), "USAGE"));
}

}  // namespace

std::optional<ContentGuess> guess_by_libblkid(const std::string& path) {
  const FileDescriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
  if (!fd) return std::nullopt;
  return guess_descriptor(fd.get());
}

}  // namespace volt
