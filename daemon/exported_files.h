// The files below the mount point: numbers, names, attributes.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "daemon/served_volume.h"

namespace volt {

enum FileNumber : std::uint64_t {
  root_file = 1,
  volume_file = 2,
  status_file = 3,
  container_file = 4
};

struct ExportedFile {
  FileNumber number;
  const char* name;
};

// The files in the root folder, as they are listed. Beside them there is `.container`, which is
// not: the container itself, encrypted as it is, to be copied by who opened it.
std::span<const ExportedFile> exported_files() noexcept;
std::optional<FileNumber> find_exported_file(std::string_view name) noexcept;

// Attributes; owner is this process' user. False where there is no such file.
bool file_attributes(const ServedVolume& volume, std::uint64_t number, struct stat* out);

}  // namespace volt
