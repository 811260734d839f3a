// Making a file system on a new volume with the system's own tools.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "blockdev/stack/credentials.h"

namespace volt {

// One row: a type of `--fs` and the program that makes it.
struct FileSystemSpec {
  const char* name;                    // "ext4"
  const char* program;                 // "mkfs.ext4", found in PATH, /sbin or /usr/sbin
  std::vector<const char*> arguments;  // before the path
};
std::span<const FileSystemSpec> all_file_systems();

// The row of that name, or null: `*known` tells "none" and "" from a name that does not exist.
const FileSystemSpec* find_file_system(std::string_view name, bool* known);

// True if the row's program can be found.
bool file_system_tool_exists(const FileSystemSpec& spec);

// Serves the volume through voltd on a temporary folder, runs the tool on it, and closes it.
// The container is `name` over these files, which may have no names yet. The options tell how the
// volume opens; `password` is handed over through a pipe. Returns a sentence where it failed.
std::optional<std::string> make_file_system(const FileSystemSpec& spec, const std::string& name,
                                            const std::vector<int>& files,
                                            const CredentialOptions& options, ByteSpan password);

}  // namespace volt
