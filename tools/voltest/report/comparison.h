// Whether one target differs from another, and why an encrypted one may seem to be faster.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tools/voltest/measure/session.h"
#include "tools/voltest/measure/stats.h"
#include "tools/voltest/report/text_table.h"

namespace volt {

enum class Verdict : std::uint8_t { no_difference, slower, faster, not_measured };
const char* verdict_name(Verdict verdict) noexcept;  // "no difference seen", "slower" ...

// One test of one target against the same test of the baseline, which is target 0 of the session.
struct Comparison {
  TestCase test;
  std::size_t target = 1;
  std::size_t rounds = 0;  // pairs of runs
  double baseline_mb_per_s = 0;
  double target_mb_per_s = 0;
  Ratio ratio;
  Verdict verdict = Verdict::not_measured;
  std::string cause;  // where the target is faster: what the likely reason is
};

std::vector<Comparison> compare_session(const Session& session, std::uint64_t seed);

// Why `target` may be faster than `baseline`; never empty. Something that does more work on the
// same disk cannot be faster than the disk: a cache answers, or the disks are not the same.
std::string likely_cause(const BenchTarget& baseline, const BenchTarget& target, BenchOp op);

TextTable comparison_table(const Session& session, const std::vector<Comparison>& comparisons);
// Where targets seem faster than the baseline: the likely causes, each once, and the rows it is
// about.
std::vector<std::string> comparison_notes(const Session& session,
                                          const std::vector<Comparison>& comparisons);
nlohmann::ordered_json comparisons_json(const Session& session,
                                        const std::vector<Comparison>& comparisons);

}  // namespace volt
