// voltest cpu: the ciphers in memory, without any disk.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "blockdev/host/command_line.h"
#include "crypto/base/cpu_features.h"
#include "crypto/base/same_name.h"
#include "crypto/modes/kernel_table.h"
#include "tools/common/interrupt.h"
#include "tools/common/progress_line.h"
#include "tools/common/size_text.h"
#include "tools/voltest/commands/voltest_commands.h"
#include "tools/voltest/measure/cpu_speed.h"
#include "tools/voltest/measure/failure.h"
#include "tools/voltest/measure/host.h"
#include "tools/voltest/report/cpu_report.h"
#include "tools/voltest/report/output.h"

namespace volt {
namespace {

constexpr std::uint64_t largest_buffer = std::uint64_t{1} << 30;

struct State {
  std::vector<std::string> ciphers;
  std::vector<std::string> buffers;
  std::vector<std::string> data_units;  // bytes; none: 512
  unsigned threads = 0;                 // 0: one, and all cores
  bool no_hw = false;
  bool published = false;
  bool selected_only = false;
  OutputOptions output;
  CpuSettings settings;
};

std::vector<const CascadeSpec*> chosen_ciphers(const State& state) {
  std::vector<const CascadeSpec*> specs;
  for (const std::string& name : state.ciphers) {
    const CascadeSpec* spec =
        same_name(name, aes128_spec().name) ? &aes128_spec() : find_cascade(name);
    if (spec == nullptr || spec->legacy) {
      throw BenchFailure("--cipher", "no such cipher: '" + name + "'", exit_wrong_parameters);
    }
    specs.push_back(spec);
  }
  if (specs.empty() && state.published) {
    for (const char* name : {"aes", "serpent", "twofish"}) specs.push_back(find_cascade(name));
  }
  if (!specs.empty()) return specs;
  for (const CascadeSpec& spec : all_cascades()) {
    if (!spec.legacy) specs.push_back(&spec);
  }
  return specs;
}

std::vector<DataUnit> chosen_units(const State& state) {
  std::vector<DataUnit> units;
  for (const std::string& bytes : state.data_units) {
    units.push_back(bytes == "4096" ? DataUnit::bytes4096 : DataUnit::bytes512);
  }
  if (units.empty()) units.push_back(DataUnit::bytes512);
  return units;
}

std::vector<std::uint64_t> chosen_buffers(const State& state) {
  std::size_t grain = unit_bytes;
  for (const DataUnit unit : chosen_units(state)) grain = std::max(grain, bytes_of(unit));
  std::vector<std::uint64_t> sizes;
  for (const std::string& text : state.buffers) {
    const auto size = parse_size(text);
    if (!size || *size % grain != 0 || *size == 0 || *size > largest_buffer) {
      throw BenchFailure("--buffer",
                         fmt::format("must be a multiple of {} bytes, at most 1G", grain),
                         exit_wrong_parameters);
    }
    sizes.push_back(*size);
  }
  if (sizes.empty()) sizes = {4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20};
  std::sort(sizes.begin(), sizes.end());
  return sizes;
}

std::vector<unsigned> chosen_threads(const State& state) {
  if (state.threads != 0) return {state.threads};
  const long cores = std::clamp(::sysconf(_SC_NPROCESSORS_ONLN), 1L, 1024L);
  if (cores == 1) return {1};
  return {1, static_cast<unsigned>(cores)};
}

struct PlannedCase {
  CpuCase what;
  bool selected = false;
};

// Kernels that can be forced and are not what is chosen anyway. The names are the table's own.
std::vector<const char*> other_kernels(const CascadeSpec& spec, std::uint32_t features) {
  std::vector<const char*> others;
  for (const char* name : runnable_kernels(spec, features)) {
    bool in_use = true;
    for (std::size_t layer = 0; layer < spec.layers; ++layer) {
      const XtsKernel* chosen = select_kernel(spec.encryption_order[layer], features);
      in_use = in_use && chosen != nullptr && std::strcmp(chosen->name, name) == 0;
    }
    if (!in_use) others.push_back(name);
  }
  return others;
}

// The kernel in use at every buffer size, the others at the largest.
std::vector<PlannedCase> plan(const State& state) {
  const std::uint32_t features = cpu_features();
  const std::vector<std::uint64_t> buffers = chosen_buffers(state);
  std::vector<PlannedCase> cases;
  for (const CascadeSpec* spec : chosen_ciphers(state)) {
    for (const unsigned threads : chosen_threads(state)) {
      for (const DataUnit unit : chosen_units(state)) {
        for (const std::uint64_t bytes : buffers) {
          cases.push_back({{spec, {features, nullptr}, threads, bytes, unit}, true});
        }
        if (state.selected_only) continue;
        for (const char* name : other_kernels(*spec, features)) {
          cases.push_back({{spec, {features, name}, threads, buffers.back(), unit}, false});
        }
      }
    }
  }
  return cases;
}

// The same with hardware AES switched off, where that changes anything.
std::vector<PlannedCase> plan_without_hardware(const State& state) {
  const std::uint32_t without = cpu_features() & ~cpu_aes_rounds;
  std::vector<PlannedCase> cases;
  for (const PlannedCase& planned : plan(state)) {
    const auto& order = planned.what.cascade->encryption_order;
    const auto end = order.begin() + planned.what.cascade->layers;
    const auto is_aes = [](CipherId c) { return c == CipherId::aes || c == CipherId::aes128; };
    if (!planned.selected || std::none_of(order.begin(), end, is_aes)) continue;
    if (planned.what.buffer_bytes != chosen_buffers(state).back()) continue;
    cases.push_back({planned.what, true});
    cases.back().what.kernels = {without, nullptr};
  }
  return cases;
}

std::vector<CpuFigures> measure_all(const std::vector<PlannedCase>& cases,
                                    const CpuSettings& settings) {
  ProgressLine progress;
  std::vector<CpuFigures> figures;
  for (std::size_t i = 0; i < cases.size() && !interrupted(); ++i) {
    const CpuCase& what = cases[i].what;
    const auto seconds = static_cast<double>(cases.size() - i) * settings.samples * 2 *
                         static_cast<double>(settings.sample_ns) / 1e9;
    progress.show(fmt::format("{} {} thread(s) {}  {}/{}  {:.0f} s left", what.cascade->name,
                              what.threads, format_size(what.buffer_bytes), i + 1, cases.size(),
                              seconds));
    auto result = measure_cpu(what, settings);
    if (!result) {
      if (result.error().code == ErrorCode::cancelled) break;
      throw BenchFailure(what.cascade->name, result.error());
    }
    result->selected = cases[i].selected;
    figures.push_back(*std::move(result));
  }
  return figures;
}

void print_head(std::FILE* out) {
  const std::uint32_t features = cpu_features();
  print_sentence(out, host_line());
  print_sentence(out, cpu_abilities(features));
  print_sentence(out, "in use: " + chosen_kernels(features));
  if (features != cpu_features_unmasked()) {
    const std::uint32_t off = cpu_features_unmasked() & ~features;
    print_sentence(out, "switched off: " + cpu_feature_names(off));
  }
  std::fflush(out);
}

void print_figures(const State& state, const std::vector<CpuFigures>& on,
                   const std::vector<CpuFigures>& off, std::FILE* out) {
  const std::size_t width = text_width(out);
  const auto section = [&](const char* title, const TextTable& table) {
    fmt::print(out, "\n{}\n{}", title, table.text(width));
  };
  section("MB/s", cpu_table(on));
  if (state.no_hw && !off.empty()) {
    section("Hardware AES off and on (mean MB/s)", hardware_table(on, off));
    section("The same beside TrueCrypt's as published: mean MB/s on all cores",
            published_hardware_table(on, off));
  }
  if (state.published) {
    section("TrueCrypt's benchmark as published: mean MB/s on all cores",
            truecrypt_table(machine_means(on)));
  }
  const std::string how = fmt::format(
      "Median of {} sample{} (±: median absolute deviation); each thread has a buffer of its own up"
      " to {}, larger ones are shared out",
      state.settings.samples, state.settings.samples == 1 ? "" : "s",
      format_size(max_own_buffer_bytes));
  fmt::print(out, "\n");
  print_sentence(out, how);
  if (interrupted()) fmt::print(out, "note: interrupted: these are the results so far\n");
}

void run_cpu(State& state, int* status) {
  const std::vector<PlannedCase> cases = plan(state);
  check_outputs(state.output);
  std::FILE* out = text_stream(state.output);
  print_head(out);
  const std::vector<CpuFigures> on = measure_all(cases, state.settings);
  std::vector<CpuFigures> off;
  if (state.no_hw && !interrupted()) {
    off = measure_all(plan_without_hardware(state), state.settings);
  }
  print_figures(state, on, off, out);
  const TextTable raw = cpu_raw_table(on, off);
  write_outputs(cpu_json(on, off, interrupted()), raw.csv(), cpu_table(on).markdown(),
                state.output);
  *status = interrupted() ? exit_status_of(ErrorCode::cancelled) : exit_done;
}

}  // namespace

void add_cpu_command(Command& program) {
  auto state = std::make_shared<State>();
  Command& command = program.add_command("cpu", "The ciphers in memory: every kernel, every core");
  command.add("--cipher", &state->ciphers, "Only this cipher or cascade, or aes-128; may repeat");
  command
      .add("--data-unit", &state->data_units,
           "Bytes of an XTS data unit, 512 or 4096; may repeat [512]")
      .among({"512", "4096"});
  command.add("--buffer", &state->buffers, "Buffer size, at most 1G; may repeat");
  command.add("--threads", &state->threads, "Only this number of threads [one, and all cores]")
      .between(1, 1024);
  command.add("--loops", &state->settings.samples, "Samples of each figure [5]").between(1, 1000);
  command.add("--no-hw", &state->no_hw,
              "Show AES with its instructions off beside on, and TrueCrypt's published figures");
  command.add("--published", &state->published,
              "Show TrueCrypt's published figures with this machine among them; without"
              " --cipher only the three ciphers of that table are measured");
  command.add("--selected", &state->selected_only, "Only the kernels that are in use");
  add_output_options(command, state->output);
  command.runs([state] {
    int status = exit_done;
    run_cpu(*state, &status);
    return status;
  });
}

}  // namespace volt
