// voltest report: results of earlier runs as one page.
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "blockdev/exit_status.h"
#include "blockdev/host/command_line.h"
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

void add_report_command(Command& program) {
  auto state = std::make_shared<State>();
  Command& command =
      program.add_command("report", "Results (JSON) as one self-contained page with charts");
  command.add("RESULT", &state->inputs, "Files written with --json").needed();
  command.add("-o,--output", &state->output, "The page (-: stdout)").needed();
  command.runs([state] {
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
    return exit_done;
  });
}

}  // namespace volt
