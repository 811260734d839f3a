#include "tools/voltest/report/comparison.h"

#include <gtest/gtest.h>

namespace volt {
namespace {

// A session of null targets whose runs have the given MB/s.
Session session_of(const std::vector<std::vector<double>>& rates_of_target) {
  Session session;
  for (std::size_t i = 0; i < rates_of_target.size(); ++i) {
    session.targets.emplace_back();
    session.targets.back().path = "t" + std::to_string(i);
    session.targets.back().direct = DirectState::honoured;
    TestRow row;
    row.test = {make_workload(AccessOrder::random, 4096, 1, 1), BenchOp::read};
    row.target = i;
    for (const double rate : rates_of_target[i]) {
      RunResult run;
      run.bytes = static_cast<std::uint64_t>(rate * 1e6);
      run.elapsed_ns = 1'000'000'000;
      run.latency = std::make_shared<LatencyHistogram>();
      row.runs.push_back(std::move(run));
    }
    session.rows.push_back(std::move(row));
  }
  return session;
}

TEST(Comparison, SaysSlower) {
  const Session session = session_of({{100, 101, 99, 102, 98}, {50, 51, 49, 52, 48}});
  const auto rows = compare_session(session, 1);
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].verdict, Verdict::slower);
  EXPECT_NEAR(rows[0].ratio.ratio, 0.5, 0.01);
  EXPECT_LT(rows[0].ratio.high, 1);
  EXPECT_EQ(rows[0].cause, "");
}

TEST(Comparison, SaysNoDifferenceWhereTheIntervalHoldsOne) {
  const Session session = session_of({{100, 103, 99, 102, 98}, {101, 100, 101, 101, 99}});
  const auto rows = compare_session(session, 1);
  EXPECT_EQ(rows[0].verdict, Verdict::no_difference);
  EXPECT_LE(rows[0].ratio.low, 1);
  EXPECT_GE(rows[0].ratio.high, 1);
}

TEST(Comparison, FasterIsNeverAWin) {
  Session session = session_of({{100, 101, 99, 102, 98}, {150, 151, 149, 152, 148}});
  const auto rows = compare_session(session, 1);
  EXPECT_EQ(rows[0].verdict, Verdict::faster);
  EXPECT_NE(rows[0].cause, "");
  const std::string text = comparison_table(session, rows).text(500);
  EXPECT_NE(text.find("faster, but no gain"), std::string::npos) << text;
  const auto notes = comparison_notes(session, rows);
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_NE(notes[0].find("which is no gain: " + rows[0].cause), std::string::npos) << notes[0];
}

TEST(Comparison, CausesAreToldApart) {
  Session session = session_of({{1}, {1}});
  BenchTarget& base = session.targets[0];
  BenchTarget& target = session.targets[1];
  base.storage.device = target.storage.device = "/dev/sda1";
  target.direct = DirectState::not_honoured;
  EXPECT_NE(likely_cause(base, target, BenchOp::read).find("page cache answers"),
            std::string::npos);
  EXPECT_NE(likely_cause(base, target, BenchOp::write).find("gathers writes"), std::string::npos);
  target.direct = DirectState::honoured;
  target.storage.device = "/dev/sdb1";
  EXPECT_NE(likely_cause(base, target, BenchOp::read).find("different devices"), std::string::npos);
  target.storage.device = "/dev/sda1";
  target.storage.in_memory = true;
  EXPECT_NE(likely_cause(base, target, BenchOp::read).find("memory"), std::string::npos);
  target.storage.in_memory = false;
  EXPECT_NE(likely_cause(base, target, BenchOp::read), "");
}

TEST(Comparison, UnmeasuredRowsAreTold) {
  const Session session = session_of({{100, 101}, {}, {90, 91}});
  const auto rows = compare_session(session, 1);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].verdict, Verdict::not_measured);
  const auto json = comparisons_json(session, rows);
  EXPECT_TRUE(json[0].at("ratio").is_null());
  EXPECT_FALSE(json[0].at("difference").get<bool>());
  EXPECT_EQ(json[1].at("baseline"), "t0");
  EXPECT_EQ(json[1].at("target"), "t2");
  EXPECT_EQ(json[1].at("interval_95").size(), 2U);
}

}  // namespace
}  // namespace volt
