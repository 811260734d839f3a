// voltest report: results of earlier runs as one page.
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "blockdev/exit_status.h"
#include "tools/bench_failure.h"
#include "tools/bench_output.h"
#include "tools/report_page.h"
#include "tools/voltest_commands.h"

namespace volt {
namespace {

struct State {
  std::vector<std::string> inputs;
  std::string output;
};

}  // namespace

CommandState add_report_command(CLI::App& app, int* status) {
  auto state = std::make_shared<State>();
  CLI::App* command =
      app.add_subcommand("report", "Results (JSON) as one self-contained page with charts");
  command->add_option("RESULT", state->inputs, "Files written with --json")->required();
  command->add_option("-o,--output", state->output, "The page (-: stdout)")->required();
  command->callback([state, status] {
    check_outputs({.json_path = state->output, .csv_path = "", .markdown_path = ""});
    for (const std::string& path : state->inputs) {
      std::error_code absent;
      if (!std::filesystem::equivalent(path, state->output, absent)) continue;
      throw BenchFailure(state->output, "is one of the results; the page would overwrite it",
                         exit_wrong_parameters);
    }
    std::vector<ReportInput> inputs;
    for (const std::string& path : state->inputs) inputs.push_back(read_report_input(path));
    write_text(report_page(inputs), state->output);
    *status = exit_done;
  });
  return state;
}

}  // namespace volt
