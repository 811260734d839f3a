// Published data that stands outside this repository: VOLT_TEST_DATA, else ../shared beside the
// source tree. Tests that need it say so where it is absent:
//   const auto dir = test_data_dir();
//   if (!dir) GTEST_SKIP() << no_test_data;
#pragma once

#include <cstdlib>
#include <filesystem>
#include <optional>

namespace volt {

inline constexpr const char* no_test_data =
    "no test data: set VOLT_TEST_DATA to the folder with vectors/ and images/";

inline std::optional<std::filesystem::path> test_data_dir() {
  std::filesystem::path dir;
  if (const char* named = std::getenv("VOLT_TEST_DATA")) {
    dir = named;
  } else if (const char* root = std::getenv("VOLT_SOURCE_ROOT")) {
    dir = std::filesystem::path(root).parent_path() / "shared";
  } else {
    dir = "../shared";
  }
  std::error_code error;
  if (!std::filesystem::is_directory(dir / "vectors", error)) return std::nullopt;
  return dir;
}

}  // namespace volt
