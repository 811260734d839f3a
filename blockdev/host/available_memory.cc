#include "blockdev/host/available_memory.h"

#include <algorithm>
#include <fstream>
#include <optional>

namespace volt {
namespace {

// The files of one version of control groups.
struct GroupFiles {
  const char* mount;  // where the memory controller's tree stands
  const char* limit;
  const char* usage;
  const char* cache;  // the line of memory.stat that can be given up
};
constexpr GroupFiles version_1 = {"/sys/fs/cgroup/memory", "memory.limit_in_bytes",
                                  "memory.usage_in_bytes", "total_inactive_file"};
constexpr GroupFiles version_2 = {"/sys/fs/cgroup", "memory.max", "memory.current",
                                  "inactive_file"};

// Nothing where the file is absent, or says "max".
std::optional<std::uint64_t> read_number(const std::string& path) {
  std::ifstream file(path);
  std::uint64_t value = 0;
  if (file >> value) return value;
  return std::nullopt;
}

// The number after a name, in files of such lines.
std::optional<std::uint64_t> read_line_of(const std::string& path, const std::string& name) {
  std::ifstream file(path);
  std::string word;
  std::string rest;
  while (file >> word) {
    std::uint64_t value = 0;
    if (word == name && file >> value) return value;
    std::getline(file, rest);
  }
  return std::nullopt;
}

std::uint64_t left_in_group(const std::string& folder, const GroupFiles& files) {
  const auto limit = read_number(folder + "/" + files.limit);
  const auto usage = read_number(folder + "/" + files.usage);
  if (!limit || !usage) return UINT64_MAX;
  const std::uint64_t cache = read_line_of(folder + "/memory.stat", files.cache).value_or(0);
  const std::uint64_t held = *usage - std::min(*usage, cache);
  return *limit - std::min(*limit, held);
}

// A group's limit holds for all groups in it, so those above count as well.
std::uint64_t left_in_groups(const std::string& root, std::string group, const GroupFiles& files) {
  std::uint64_t left = UINT64_MAX;
  while (true) {
    left = std::min(left, left_in_group(root + files.mount + group, files));
    const std::size_t slash = group.rfind('/');
    if (slash == std::string::npos) return left;
    group.erase(slash);
  }
}

}  // namespace

std::uint64_t available_memory_bytes(const std::string& root) {
  std::uint64_t available = UINT64_MAX;
  const auto kib = read_line_of(root + "/proc/meminfo", "MemAvailable:");
  if (kib && *kib < UINT64_MAX / 1024) available = *kib * 1024;
  // Lines "ID:CONTROLLERS:GROUP"; version 2 names no controllers.
  std::ifstream groups(root + "/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    std::string controllers(",");
    controllers.append(line, first + 1, second - first - 1).append(",");
    const std::string group = line.substr(second + 1);
    if (controllers == ",,") {
      available = std::min(available, left_in_groups(root, group, version_2));
    } else if (controllers.find(",memory,") != std::string::npos) {
      available = std::min(available, left_in_groups(root, group, version_1));
    }
  }
  return available;
}

}  // namespace volt
