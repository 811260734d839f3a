#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tools/voltest/measure/failure.h"
#include "tools/voltest/measure/profile.h"
#include "tools/voltest/report/embedded_files.h"
#include "tools/voltest/report/output.h"
#include "tools/voltest/report/report_page.h"

namespace volt {
namespace {

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

std::string data_of(const std::string& page) {
  const std::string open = "id=\"data\">";
  const std::size_t start = page.find(open) + open.size();
  return page.substr(start, page.find("</script>", start) - start);
}

TEST(ReportPage, HoldsTheDataAndNothingFromOutside) {
  nlohmann::ordered_json document = {{"schema", "voltest/1"}, {"command", "seq"}};
  const std::string page = report_page({{"a.json", document}});
  const auto data = nlohmann::json::parse(data_of(page));
  EXPECT_EQ(data.at(0).at("name"), "a.json");
  EXPECT_EQ(data.at(0).at("document").at("schema"), "voltest/1");
  for (const char* mark : {"/*DATA*/", "/*STYLE*/", "/*SCRIPT*/", "/*CHARTS*/"}) {
    EXPECT_EQ(page.find(mark), std::string::npos) << mark;
  }
  for (const char* outside : {"src=\"", "@import", "url(http", "href=\"http"}) {
    EXPECT_EQ(page.find(outside), std::string::npos) << outside;
  }
  EXPECT_EQ(count_of(page, "<script"), 3U);
  EXPECT_EQ(count_of(page, "</script>"), 3U);
}

TEST(ReportPage, NothingInAResultIsMarkup) {
  const std::string evil = "</script><script>alert(1)</script><!-- /*CHARTS*/";
  nlohmann::ordered_json document = {{"schema", "voltest/1"}, {"target", {{"path", evil}}}};
  const std::string page = report_page({{evil, document}});
  EXPECT_EQ(count_of(page, "<script"), 3U);
  EXPECT_EQ(page.find("<!--"), std::string::npos);
  const auto data = nlohmann::json::parse(data_of(page));
  EXPECT_EQ(data.at(0).at("document").at("target").at("path"), evil);
}

TEST(ReportPage, RefusesWhatIsNoResult) {
  std::string folder = (std::filesystem::temp_directory_path() / "volt-report-XXXXXX").string();
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  for (const char* text : {"", "{", "[]", "{\"schema\": 1}", "{\"schema\": \"fio\"}"}) {
    std::ofstream(folder + "/x.json") << text;
    EXPECT_THROW(read_report_input(folder + "/x.json"), BenchFailure) << text;
  }
  EXPECT_THROW(read_report_input(folder + "/absent.json"), BenchFailure);
  std::filesystem::remove_all(folder);
}

TEST(Profile, StandardPeakAndOwn) {
  ProfileOptions options;
  EXPECT_EQ(profile_tests(options, AccessOrder::random).size(), 4U);
  options.profile = "peak";
  EXPECT_EQ(profile_tests(options, AccessOrder::random).at(0).workload.name, "rand4k-q32t16");
  options.profile = "mixed";
  ASSERT_EQ(profile_tests(options, AccessOrder::sequential).size(), 1U);
  EXPECT_EQ(profile_tests(options, AccessOrder::sequential).at(0).op, BenchOp::mixed);
  options = {};
  options.block_text = "16K";
  options.threads = 3;
  options.ops = {"write"};
  const auto own = profile_tests(options, AccessOrder::random);
  ASSERT_EQ(own.size(), 1U);
  EXPECT_EQ(own[0].workload.name, "rand16k-q32t3");
  EXPECT_EQ(own[0].op, BenchOp::write);
}

TEST(Profile, RefusesAbsurdNumbers) {
  for (const char* block : {"0", "1000", "128M", "lots"}) {
    ProfileOptions options;
    options.block_text = block;
    EXPECT_THROW(profile_tests(options, AccessOrder::random), BenchFailure) << block;
  }
  ProfileOptions options;
  options.block_text = "64M";
  options.depth = 1024;
  EXPECT_THROW(profile_tests(options, AccessOrder::random), BenchFailure);
}

TEST(RawTable, HasALineForEachRow) {
  Session session;
  session.targets.emplace_back();
  session.targets[0].path = "a,b";
  TestRow row;
  row.test = {make_workload(AccessOrder::random, 4096, 1, 1), BenchOp::read};
  row.left_out = "left out";
  session.rows.push_back(row);
  const std::string csv = raw_table(session).csv();
  EXPECT_EQ(count_of(csv, "\n"), 2U);
  EXPECT_NE(csv.find("\"a,b\",rand4k-q1t1,read,0,0,0.000000"), std::string::npos) << csv;
}

}  // namespace
}  // namespace volt
