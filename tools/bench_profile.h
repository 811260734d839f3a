// Which tests are run: the standard ones, a named profile, or the user's own.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "blockdev/host/command_line.h"
#include "tools/bench_session.h"
#include "tools/bench_workload.h"

namespace volt {

struct ProfileOptions {
  std::string profile = "standard";  // "standard", "peak", "mixed"
  std::string block_text;            // any of these three set: one workload of the user's own
  unsigned depth = 0;
  unsigned threads = 0;
  std::vector<std::string> ops;  // "read", "write", "mixed"; empty: the profile's
};

void add_profile_options(Command& command, ProfileOptions& options);

// The tests for one order of access. Throws BenchFailure where a number is out of range.
//   standard  seq1m-q8t1, seq1m-q1t1 / rand4k-q32t1, rand4k-q1t1: read and write
//   peak      seq1m-q8t1 / rand4k-q32t16: read and write
//   mixed     seq1m-q8t1 / rand4k-q32t1: 70 % reads, 30 % writes
std::vector<TestCase> profile_tests(const ProfileOptions& options, AccessOrder order);

}  // namespace volt
