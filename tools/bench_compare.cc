// voltest compare: targets against a baseline, round by round.
#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "tools/bench_comparison.h"
#include "tools/bench_report_text.h"
#include "tools/bench_result.h"
#include "tools/bench_session.h"
#include "tools/voltest_commands.h"

namespace volt {
namespace {

struct State {
  BenchOptions options;
  std::string baseline;
  std::vector<std::string> targets;
};

void run_compare(State& state, int* status) {
  finish_bench_options(state.options);
  std::vector<Workload> workloads = standard_workloads(AccessOrder::sequential);
  for (const Workload& workload : standard_workloads(AccessOrder::random)) {
    workloads.push_back(workload);
  }
  std::vector<std::string> paths = {state.baseline};
  paths.insert(paths.end(), state.targets.begin(), state.targets.end());
  const Session session =
      run_session(paths, test_cases(workloads, {BenchOp::read, BenchOp::write}), state.options);
  const auto comparisons = compare_session(session, state.options.seed);

  std::FILE* out = state.options.json_path == "-" ? stderr : stdout;
  print_session(session, state.options, out);
  const std::size_t terminal = terminal_width(out);
  fmt::print(out, "\nBaseline {} (ratio: target over baseline, medians of paired rounds)\n{}",
             state.baseline,
             comparison_table(session, comparisons).text(terminal ? terminal : 200));
  if (!state.options.json_path.empty()) {
    auto document = session_json(session, state.options, "compare");
    document["baseline"] = state.baseline;
    document["comparisons"] = comparisons_json(session, comparisons);
    write_json(document, state.options.json_path);
  }
  *status = session_status(session);
}

}  // namespace

CommandState add_compare_command(CLI::App& app, int* status) {
  auto state = std::make_shared<State>();
  CLI::App* command = app.add_subcommand(
      "compare", "Targets against a baseline, interleaved, with ratios and their uncertainty");
  command->add_option("--baseline", state->baseline, "What the others are compared with")
      ->required();
  command->add_option("TARGET", state->targets, "What is compared")->required();
  add_bench_options(*command, state->options);
  command->callback([state, status] { run_compare(*state, status); });
  return state;
}

}  // namespace volt
