// voltest seq, voltest rand: the tests of one order of access on one target.
#include <memory>
#include <string>

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
  std::string target;
};

void run_command(State& state, AccessOrder order, const char* name, int* status) {
  finish_bench_options(state.options);
  check_outputs(state.output);
  const auto tests = profile_tests(state.profile, order);
  const Session session = run_session({state.target}, tests, state.options);
  emit_session(session, {}, state.options, state.output, name);
  *status = session_status(session);
}

CommandState add_command(CLI::App& app, AccessOrder order, const char* name,
                         const char* description, int* status) {
  auto state = std::make_shared<State>();
  CLI::App* command = app.add_subcommand(name, description);
  command
      ->add_option("TARGET", state->target,
                   "voltd mount point, folder, file, block device, composed container, or null:")
      ->required();
  add_target_options(*command, state->options);
  add_bench_options(*command, state->options);
  add_profile_options(*command, state->profile);
  add_output_options(*command, state->output);
  command->callback([state, order, name, status] { run_command(*state, order, name, status); });
  return state;
}

}  // namespace

CommandState add_seq_command(CLI::App& app, int* status) {
  return add_command(app, AccessOrder::sequential, "seq",
                     "Sequential throughput: 1 MiB blocks at depth 8 and 1", status);
}

CommandState add_rand_command(CLI::App& app, int* status) {
  return add_command(app, AccessOrder::random, "rand",
                     "Random throughput: 4 KiB blocks at depth 32 and 1", status);
}

}  // namespace volt
