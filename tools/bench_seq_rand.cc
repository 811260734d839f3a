// voltest seq, voltest rand: the tests of one order of access on one target.
#include <memory>
#include <string>

#include "blockdev/host/command_line.h"
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

void add_command(Command& program, AccessOrder order, const char* name, const char* description) {
  auto state = std::make_shared<State>();
  Command& command = program.add_command(name, description);
  command
      .add("TARGET", &state->target,
           "voltd mount point, folder, file, block device, composed container, or null:")
      .needed();
  add_target_options(command, state->options);
  add_bench_options(command, state->options);
  add_profile_options(command, state->profile);
  add_output_options(command, state->output);
  command.runs([state, order, name] {
    int status = exit_done;
    run_command(*state, order, name, &status);
    return status;
  });
}

}  // namespace

void add_seq_command(Command& program) {
  add_command(program, AccessOrder::sequential, "seq",
              "Sequential throughput: 1 MiB blocks at depth 8 and 1");
}

void add_rand_command(Command& program) {
  add_command(program, AccessOrder::random, "rand",
              "Random throughput: 4 KiB blocks at depth 32 and 1");
}

}  // namespace volt
