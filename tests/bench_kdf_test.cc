// voltest kdf inside the process: what it measures and how it tells; nothing on time.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/temp_folder.h"
#include "tools/bench_failure.h"
#include "tools/voltest_commands.h"

namespace volt {
namespace {

// The table's work by the thousandth: what is measured and told stays the same.
KdfParameters thousandth(const KdfSpec& spec, std::uint32_t pim) {
  KdfParameters parameters = kdf_parameters(spec, pim);
  parameters.iterations /= 1000;
  return parameters;
}

int run(const std::string& arguments) {
  std::istringstream words("voltest " + arguments);
  std::vector<std::string> typed{std::istream_iterator<std::string>(words), {}};
  std::vector<const char*> argv;
  for (const std::string& word : typed) argv.push_back(word.c_str());
  Command program("voltest", "");
  add_kdf_command(program, thousandth);
  const auto parsed = parse_command_line(program, "", static_cast<int>(argv.size()), argv.data());
  return parsed.chosen == nullptr ? parsed.exit_status : parsed.chosen->action()();
}

TEST(BenchKdf, MeasuresWhatIsNamedAndNothingElse) {
  const TempFolder folder;
  const std::string path = folder.path() / "kdf.json";
  ASSERT_EQ(run("kdf --prf ripemd160 --prf sha256 --pim 1 --loops 1 --json " + path), 0);
  std::ifstream file(path);
  const auto json = nlohmann::json::parse(file);
  EXPECT_EQ(json["schema"], "voltest-kdf/1");
  EXPECT_EQ(json["interrupted"], false);
  EXPECT_EQ(json["wrong_password_nothing_named_ns"], 0);
  std::vector<std::string> rows;
  for (const auto& row : json["results"]) {
    rows.push_back(row["format"].get<std::string>() + " " + row["prf"].get<std::string>() + " " +
                   std::to_string(row["pim"].get<unsigned>()) + " " +
                   row["work"].get<std::string>());
    EXPECT_GT(row["derive_ns"], 0) << rows.back();
    EXPECT_GT(row["wrong_password_ns"], 0) << rows.back();
  }
  const std::vector<std::string> expected = {
      "truecrypt ripemd160 0 2 iterations",  "veracrypt sha256 0 500 iterations",
      "veracrypt sha256 1 16 iterations",    "veracrypt ripemd160 0 655 iterations",
      "veracrypt ripemd160 1 16 iterations",
  };
  EXPECT_EQ(rows, expected);
}

TEST(BenchKdf, RefusesWhatItDoesNotKnow) {
  EXPECT_THROW(run("kdf --prf md5"), BenchFailure);
  EXPECT_EQ(run("kdf --pim 0"), exit_wrong_parameters);
}

}  // namespace
}  // namespace volt
