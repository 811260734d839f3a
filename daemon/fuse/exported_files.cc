#include "daemon/fuse/exported_files.h"

#include <unistd.h>

#include <array>

#include "daemon/serve/status_text.h"

namespace volt {
namespace {

// What the owner may, and of it what group and others may.
mode_t permissions(mode_t owner, mode_t for_others) {
  return owner | (for_others & (owner >> 3 | owner >> 6));
}

constexpr std::array files{ExportedFile{volume_file, "volume"},
                           ExportedFile{status_file, "status.json"}};
constexpr ExportedFile unlisted{container_file, ".container"};

}  // namespace

std::span<const ExportedFile> exported_files() noexcept {
  return files;
}

std::optional<FileNumber> find_exported_file(std::string_view name) noexcept {
  if (name == unlisted.name) return unlisted.number;
  for (const ExportedFile& file : files) {
    if (name == file.name) return file.number;
  }
  return std::nullopt;
}

bool file_attributes(const ServedVolume& volume, std::uint64_t number, struct stat* out) {
  *out = {};
  out->st_ino = number;
  out->st_nlink = 1;
  out->st_uid = ::geteuid();
  out->st_gid = ::getegid();
  out->st_blksize = 4096;
  out->st_mtim.tv_sec = volume.modified_at_s.load(std::memory_order_relaxed);
  out->st_atim = out->st_mtim;
  out->st_ctim = out->st_mtim;
  const mode_t others = volume.facts.for_others;
  switch (number) {
    case root_file:
      out->st_mode = S_IFDIR | permissions(0500, others);
      out->st_nlink = 2;
      return true;
    case volume_file:
      out->st_mode = S_IFREG | permissions(volume.facts.read_only ? 0400 : 0600, others);
      out->st_size = static_cast<off_t>(volume.size());
      out->st_blocks = static_cast<blkcnt_t>((volume.size() + 511) / 512);
      return true;
    case status_file:
      out->st_mode = S_IFREG | 0400;  // it tells of hidden volumes and PIM
      out->st_size = static_cast<off_t>(status_text(volume).size());
      return true;
    case container_file:
      out->st_mode = S_IFREG | 0400;  // nobody else, whatever they may do with the volume
      out->st_size = static_cast<off_t>(volume.container->size());
      out->st_blocks = static_cast<blkcnt_t>((volume.container->size() + 511) / 512);
      return true;
    default:
      return false;
  }
}

}  // namespace volt
