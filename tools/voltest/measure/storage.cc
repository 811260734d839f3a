#include "tools/voltest/measure/storage.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <fstream>
#include <sstream>

namespace volt {
namespace {

// mountinfo writes space, tab, newline and backslash as three octal digits.
std::string unescaped(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 3 < text.size()) {
      int value = 0;
      for (std::size_t digit = i + 1; digit <= i + 3; ++digit)
        value = value * 8 + text[digit] - '0';
      out += static_cast<char>(value);
      i += 3;
    } else {
      out += text[i];
    }
  }
  return out;
}

bool contains(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

void add_device_facts(unsigned major_number, unsigned minor_number, StorageFacts* facts) {
  const std::string folder =
      "/sys/dev/block/" + std::to_string(major_number) + ":" + std::to_string(minor_number);
  for (const char* up : {"/", "/../"}) {  // a partition's queue is its parent's
    const std::string rotational = first_line_of(folder + up + "queue/rotational");
    if (rotational.empty()) continue;
    facts->rotational = rotational == "1" ? 1 : 0;
    facts->device_model = first_line_of(folder + up + "device/model");
    return;
  }
}

}  // namespace

std::string first_line_of(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

bool parse_mount_line(const std::string& line, std::uint64_t* id, StorageFacts* facts) {
  std::istringstream words(line);
  std::string parent;
  std::string numbers;
  std::string root;
  std::string mount_point;
  std::string options;
  if (!(words >> *id >> parent >> numbers >> root >> mount_point >> options)) return false;
  std::string word;
  while (words >> word && word != "-") {  // optional fields
  }
  std::string type;
  std::string source;
  std::string super_options;
  if (word != "-" || !(words >> type >> source)) return false;
  words >> super_options;
  facts->file_system = type;
  facts->mount_point = unescaped(mount_point);
  facts->device = unescaped(source);
  facts->mount_options = super_options.empty() ? options : options + "," + super_options;
  facts->in_memory = type == "tmpfs" || type == "ramfs";
  facts->compresses = contains(facts->mount_options, "compress") || type == "zfs" ||
                      type == "squashfs" || type == "bcachefs";
  return true;
}

StorageFacts storage_facts(const std::string& path) {
  StorageFacts facts;
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return facts;
  if (S_ISBLK(info.st_mode)) {
    facts.device = path;
    add_device_facts(major(info.st_rdev), minor(info.st_rdev), &facts);
    return facts;
  }
  struct statx wide {};
  if (::statx(AT_FDCWD, path.c_str(), 0, STATX_MNT_ID, &wide) != 0) return facts;
  std::ifstream mounts("/proc/self/mountinfo");
  std::string line;
  while (std::getline(mounts, line)) {
    std::uint64_t id = 0;
    StorageFacts row;
    if (parse_mount_line(line, &id, &row) && id == wide.stx_mnt_id) {
      facts = row;
      break;
    }
  }
  // Inherited by what is made in a folder; set by chattr +c and by btrfs properties.
  if ((wide.stx_attributes & STATX_ATTR_COMPRESSED) != 0) facts.compresses = true;
  struct stat device {};
  if (!facts.device.empty() && facts.device[0] == '/' &&
      ::stat(facts.device.c_str(), &device) == 0 && S_ISBLK(device.st_mode)) {
    add_device_facts(major(device.st_rdev), minor(device.st_rdev), &facts);
  } else {
    add_device_facts(major(info.st_dev), minor(info.st_dev), &facts);
  }
  return facts;
}

std::string describe_storage(const StorageFacts& facts) {
  std::string text = facts.file_system;
  if (!facts.device.empty() && facts.device != facts.file_system) {
    text += (text.empty() ? "" : " on ") + facts.device;
  }
  if (facts.rotational == 1) text += " (rotating)";
  return text;
}

}  // namespace volt
