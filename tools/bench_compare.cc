// voltest compare: targets against a baseline, round by round.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "blockdev/host/command_line.h"
#include "tools/bench_comparison.h"
#include "tools/bench_output.h"
#include "tools/bench_profile.h"
#include "tools/bench_session.h"
#include "tools/voltest_commands.h"

namespace volt {
namespace {

struct State {
  BenchOptions options;
  ProfileOptions profile;
  OutputOptions output;
  std::vector<std::string> orders;
  std::string baseline;
  std::vector<std::string> targets;
};

std::vector<TestCase> chosen_tests(const State& state) {
  std::vector<TestCase> tests;
  for (const AccessOrder order : {AccessOrder::sequential, AccessOrder::random}) {
    const char* name = order == AccessOrder::sequential ? "seq" : "rand";
    const auto& orders = state.orders;
    if (!orders.empty() && std::find(orders.begin(), orders.end(), name) == orders.end()) continue;
    for (TestCase& test : profile_tests(state.profile, order)) tests.push_back(std::move(test));
  }
  return tests;
}

void run_compare(State& state, int* status) {
  finish_bench_options(state.options);
  check_outputs(state.output);
  std::vector<std::string> paths = {state.baseline};
  paths.insert(paths.end(), state.targets.begin(), state.targets.end());
  const Session session = run_session(paths, chosen_tests(state), state.options);
  const auto comparisons = compare_session(session, state.options.seed);
  emit_session(session, comparisons, state.options, state.output, "compare");
  *status = session_status(session);
}

}  // namespace

void add_compare_command(Command& program) {
  auto state = std::make_shared<State>();
  Command& command = program.add_command(
      "compare", "Targets against a baseline, interleaved, with ratios and their uncertainty");
  command.add("--baseline", &state->baseline, "What the others are compared with").needed();
  command.add("TARGET", &state->targets, "What is compared").needed();
  command.add("--order", &state->orders, "seq, rand, separated by commas [both]")
      .separated_by_commas()
      .among({"seq", "rand"});
  add_target_options(command, state->options);
  add_bench_options(command, state->options);
  add_profile_options(command, state->profile);
  add_output_options(command, state->output);
  command.runs([state] {
    int status = exit_done;
    run_compare(*state, &status);
    return status;
  });
}

}  // namespace volt
