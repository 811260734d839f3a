// The containers of VOLT_TEST_DATA/images/tcrypt.tar.xz, unpacked, with what tcrypt.tsv says.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/temp_folder.h"
#include "tests/support/test_data.h"

namespace volt {

struct TcryptImage {
  std::string file;
  std::string password;
  std::vector<std::string> keyfiles;  // names in the unpacked folder
  std::uint32_t pim = 0;
  std::string uuid;
  std::string hidden_password;
  std::string hidden_uuid;
  bool system = false;

  // "vc_1-sha512-xts-aes-hidden" -> {"vc_1", "sha512", "xts", "aes", "hidden"}.
  std::vector<std::string> name_parts() const {
    std::vector<std::string> parts;
    std::istringstream text(file);
    for (std::string part; std::getline(text, part, '-');) parts.push_back(part);
    return parts;
  }
};

// All of them, unpacked into a folder that lives as long as the process. Empty without test data.
class TcryptImages {
 public:
  static const TcryptImages& get() {
    static const TcryptImages images;
    return images;
  }

  const std::vector<TcryptImage>& list() const { return list_; }
  std::filesystem::path path_of(const std::string& name) const {
    return folder_.path() / "tcrypt" / name;
  }

 private:
  TcryptImages() {
    const auto data = test_data_dir();
    if (!data) return;
    const auto archive = *data / "images" / "tcrypt.tar.xz";
    if (!std::filesystem::exists(archive) || !unpack(archive)) return;
    std::ifstream table(*data / "images" / "tcrypt.tsv");
    std::string line;
    std::getline(table, line);  // the names of the columns
    while (std::getline(table, line)) list_.push_back(parse(line));
  }

  bool unpack(const std::filesystem::path& archive) const {
    const std::string command =
        "tar -xf '" + archive.string() + "' -C '" + folder_.path().string() + "'";
    FILE* pipe = popen(command.c_str(), "r");
    return pipe != nullptr && pclose(pipe) == 0;
  }

  static TcryptImage parse(const std::string& line) {
    std::vector<std::string> cells;
    std::istringstream text(line);
    for (std::string cell; std::getline(text, cell, '\t');) cells.push_back(cell);
    cells.resize(8);
    TcryptImage image;
    image.file = cells[0];
    image.password = cells[1];
    std::istringstream keyfiles(cells[2]);
    for (std::string name; std::getline(keyfiles, name, ',');) image.keyfiles.push_back(name);
    if (!cells[3].empty()) image.pim = static_cast<std::uint32_t>(std::stoul(cells[3]));
    image.uuid = cells[4];
    image.hidden_password = cells[5];
    image.hidden_uuid = cells[6];
    image.system = cells[7] == "yes";
    return image;
  }

  TempFolder folder_;
  std::vector<TcryptImage> list_;
};

}  // namespace volt
