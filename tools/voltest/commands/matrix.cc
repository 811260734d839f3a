// voltest matrix: plain and encrypted, at several fill levels, beside published rows.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "blockdev/host/command_line.h"
#include "crypto/base/cpu_features.h"
#include "tools/common/interrupt.h"
#include "tools/voltest/commands/voltest_commands.h"
#include "tools/voltest/measure/cpu_speed.h"
#include "tools/voltest/measure/failure.h"
#include "tools/voltest/measure/host.h"
#include "tools/voltest/measure/matrix_stand.h"
#include "tools/voltest/report/matrix_report.h"
#include "tools/voltest/report/output.h"
#include "tools/voltest/report/report_text.h"
#include "tools/voltest/report/result.h"

namespace volt {
namespace {

constexpr std::uint64_t mebibyte = std::uint64_t{1} << 20;

struct State {
  BenchOptions options;
  std::string dir;
  std::vector<std::string> stripe;
  std::vector<std::string> ciphers;
  std::vector<double> fill;
  std::string disk_model;
  OutputOptions output;
  bool published_only = false;
  bool one_by_one = false;
};

std::string veracrypt_cipher_names() {
  std::string names;
  for (const CascadeSpec& spec : all_cascades()) {
    if (spec.veracrypt) names += (names.empty() ? "" : ", ") + std::string(spec.name);
  }
  return names;
}

std::vector<const CascadeSpec*> chosen_ciphers(const State& state) {
  std::vector<std::string> names = state.ciphers;
  if (names.empty()) names = {"aes", "serpent", "twofish", "aes-twofish-serpent"};
  std::vector<const CascadeSpec*> specs;
  for (const std::string& name : names) {
    const CascadeSpec* spec = find_cascade(name);
    if (spec == nullptr || !spec->veracrypt) {
      throw BenchFailure("--ciphers",
                         "no such cipher: '" + name + "'; there are " + veracrypt_cipher_names(),
                         exit_wrong_parameters);
    }
    if (std::find(specs.begin(), specs.end(), spec) == specs.end()) specs.push_back(spec);
  }
  return specs;
}

// On a real disk the measured part lies behind the filled one, in one container; a modelled disk is
// moved below the container instead.
std::uint64_t container_bytes(const State& state) {
  double most = 0;
  if (state.disk_model.empty()) most = *std::max_element(state.fill.begin(), state.fill.end());
  constexpr std::uint64_t around_data = std::uint64_t{1}
                                        << 18;  // headers and their backups, at most
  const double data =
      static_cast<double>(state.options.target.size_bytes) / (1 - most / 100) + mebibyte;
  const auto bytes = static_cast<std::uint64_t>(data) + around_data;
  return (bytes + 2 * mebibyte - 1) / (2 * mebibyte) * (2 * mebibyte);
}

std::vector<TestCase> matrix_tests() {
  return test_cases({make_workload(AccessOrder::sequential, 1 << 20, 8, 1),
                     make_workload(AccessOrder::random, 4096, 32, 1),
                     make_workload(AccessOrder::random, 4096, 1, 1)},
                    {BenchOp::read, BenchOp::write});
}

std::vector<CipherSpeed> cipher_speeds(const std::vector<const CascadeSpec*>& ciphers) {
  const auto cores = static_cast<unsigned>(std::clamp(::sysconf(_SC_NPROCESSORS_ONLN), 1L, 1024L));
  std::vector<CipherSpeed> speeds;
  for (const CascadeSpec* cipher : ciphers) {
    const auto figures = measure_cpu({cipher, {cpu_features(), nullptr}, cores, 1 << 20}, {});
    if (figures) speeds.push_back({cipher->name, figures->mean_mb_per_s()});
  }
  return speeds;
}

MatrixLevel measure_level(MatrixStand& stand, const State& state, double fill_percent) {
  MatrixLevel level;
  level.fill_percent = fill_percent;
  level.systems = stand.open_all(fill_percent);
  BenchOptions options = state.options;
  options.target.destructive = true;  // our own containers
  if (state.disk_model.empty()) options.target.fill_percent = fill_percent;
  std::vector<std::string> paths;
  for (const StandMount& mount : level.systems) paths.push_back(mount.mount_point);
  level.session = run_session(paths, matrix_tests(), options);
  level.comparisons = compare_session(level.session, options.seed);
  // A mount in use cannot be closed.
  for (std::size_t i = 0; i < level.systems.size(); ++i) {
    level.session.targets[i].fd.reset();
    level.session.targets[i].path = level.systems[i].name;
  }
  stand.close_all();
  return level;
}

void print_matrix(const State& state, const std::vector<MatrixLevel>& levels,
                  const std::vector<CipherSpeed>& speeds, std::FILE* out) {
  const std::size_t width = text_width(out);
  const auto say = [&](const std::string& text) { print_sentence(out, text); };
  say(host_line());
  fmt::print(out, "\n");
  say("Measured, MB/s (in brackets: share of plain, which goes through voltd as well)" +
      (state.disk_model.empty() ? "" : ", on a model of the disk: " + state.disk_model));
  fmt::print(out, "{}", matrix_table(levels, speeds).text(width));
  say("published: CrystalDiskMark on RAID0 of two 4 TB disks of 5400 rpm");
  fmt::print(out, "\n");
  for (const std::string& line : limits_seen(levels, speeds)) say(line);
  for (const MatrixLevel& level : levels) {
    fmt::print(out, "\nAgainst plain, {:g} % full\n{}", level.fill_percent,
               comparison_table(level.session, level.comparisons).text(width));
    for (const std::string& note : comparison_notes(level.session, level.comparisons)) {
      say("note: " + note);
    }
    print_notes(level.session, out);
  }
}

void check_options(State& state) {
  finish_bench_options(state.options);
  check_outputs(state.output);
  if (state.dir.empty() == state.stripe.empty()) {
    throw BenchFailure("--dir", "either --dir DIR or --stripe A,B", exit_wrong_parameters);
  }
  if (state.fill.empty()) state.fill = {0};
  for (const double percent : state.fill) {
    if (!(percent >= 0 && percent <= 95)) {
      throw BenchFailure("--fill", "percentages from 0 to 95", exit_wrong_parameters);
    }
  }
}

// What has been measured when it is interrupted is told.
std::vector<MatrixLevel> measure_levels(const State& state, const StandOptions& stand_options) {
  std::vector<MatrixLevel> levels;
  try {
    MatrixStand stand(stand_options);
    for (const double percent : state.fill) levels.push_back(measure_level(stand, state, percent));
  } catch (const Interrupted&) {
    if (levels.empty()) throw;
  }
  return levels;
}

void run_matrix(State& state, int* status) {
  if (state.published_only) {
    fmt::print("RAID0 of two 4 TB disks of 5400 rpm, MB/s\n{}",
               published_raid_table().text(text_width(stdout)));
    return;
  }
  check_options(state);
  const auto ciphers = chosen_ciphers(state);
  StandOptions stand_options;
  stand_options.folders = state.stripe.empty() ? std::vector<std::string>{state.dir} : state.stripe;
  stand_options.container_bytes = container_bytes(state);
  stand_options.ciphers = ciphers;
  stand_options.one_by_one = state.one_by_one;
  stand_options.disk_model = disk_model_spec(state.disk_model);
  const std::vector<CipherSpeed> speeds = cipher_speeds(ciphers);
  const std::vector<MatrixLevel> levels = measure_levels(state, stand_options);
  print_matrix(state, levels, speeds, text_stream(state.output));
  write_outputs(matrix_json(levels, speeds, state.options), matrix_csv(levels),
                matrix_markdown(levels, speeds), state.output);
  *status = exit_done;
  for (const MatrixLevel& level : levels)
    *status = std::max(*status, session_status(level.session));
  if (interrupted()) *status = exit_status_of(ErrorCode::cancelled);
}

// The published comparison's: what makes the model come out at its figures
// (docs/reference/disk-model.md).
void use_model_defaults(State& state) {
  if (state.disk_model.empty()) return;
  BenchOptions& options = state.options;
  if (!options.size_given) options.size_text.assign("256M");
  if (!options.runtime_given) options.runtime_text.assign(1, '5');
  if (!options.loops_given) options.loops = 3;
  if (state.ciphers.empty()) state.ciphers = {"aes"};
}

}  // namespace

void add_matrix_command(Command& program) {
  auto state = std::make_shared<State>();
  Command& command = program.add_command(
      "matrix", "Plain and encrypted containers side by side, at several fill levels");
  command.add("--dir", &state->dir, "Where the containers are made, and removed again");
  command.add("--stripe", &state->stripe, "Two or more folders instead: RAID0 over them")
      .separated_by_commas();
  command
      .add("--ciphers", &state->ciphers,
           "Separated by commas [aes,serpent,twofish,aes-twofish-serpent]")
      .separated_by_commas();
  command.add("--fill", &state->fill, "Fill levels in percent, separated by commas [0]")
      .separated_by_commas();
  command.add("--disk-model", &state->disk_model,
              "Play a disk: hdd-5400-raid0 is the published comparison's, with its"
              " defaults [--size 256M --runtime 5 --loops 3 --ciphers aes]");
  command.add("--one-by-one", &state->one_by_one,
              "Beside each cipher a volume whose daemon hands on one request at a time");
  command.add("--published", &state->published_only, "Only print the published table");
  add_bench_options(command, state->options);
  add_output_options(command, state->output);
  command.runs([state] {
    use_model_defaults(*state);
    int status = exit_done;
    run_matrix(*state, &status);
    return status;
  });
}

}  // namespace volt
