// voltest kdf: how long it takes to open a volume, or to refuse a password.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "blockdev/host/command_line.h"
#include "blockdev/memory_device.h"
#include "blockdev/volume_format.h"
#include "blockdev/volume_unlock.h"
#include "crypto/kdf.h"
#include "crypto/random.h"
#include "tools/bench_clock.h"
#include "tools/bench_failure.h"
#include "tools/bench_host.h"
#include "tools/bench_output.h"
#include "tools/bench_report_text.h"
#include "tools/bench_stats.h"
#include "tools/interrupt.h"
#include "tools/progress_line.h"
#include "tools/voltest_commands.h"

namespace volt {
namespace {

constexpr std::array<std::uint8_t, 12> password = {'n', 'o', 't', ' ', 't', 'h',
                                                   'e', ' ', 'o', 'n', 'e', '!'};

struct State {
  unsigned loops = 3;
  std::vector<std::uint32_t> pims;
  std::vector<std::string> prfs;  // none: all; as in the table of PRFs
  bool search = false;            // a wrong password against everything
  OutputOptions output;
  KdfRule parameters = kdf_parameters;
};

struct KdfRow {
  const KdfSpec* kdf = nullptr;
  std::uint32_t pim = 0;
  KdfParameters parameters;
  Spread derive_ns;  // one derivation, one thread where the function has one lane
  Spread refuse_ns;  // a wrong password with the PRF and format named: all header places
};

// A container whose headers are noise: no password opens it.
DevicePtr noise_container() {
  auto device = MemoryDevice::create(min_container_bytes + (1 << 20));
  if (!device) throw BenchFailure("memory", device.error());
  std::vector<std::uint8_t> noise(static_cast<std::size_t>((*device)->size()));
  const Status filled = random_bytes(noise);
  if (!filled.ok()) throw BenchFailure("memory", filled.error());
  const Status written = (*device)->write(0, noise);
  if (!written.ok()) throw BenchFailure("memory", written.error());
  return *std::move(device);
}

template <class Function>
Spread timed(unsigned loops, Function run) {
  std::vector<double> samples;
  for (unsigned i = 0; i < loops && !interrupted(); ++i) {
    const std::uint64_t start = now_ns();
    run();
    samples.push_back(static_cast<double>(now_ns() - start));
  }
  return spread_of(samples);
}

void refuse(BlockDevice& container, const KdfSpec* kdf, std::uint32_t pim, KdfRule parameters) {
  UnlockRequest request;
  request.password = password;
  request.pim = pim;
  if (kdf != nullptr) {
    request.prf = kdf->prf;
    request.format = kdf->format;
  }
  UnlockConditions conditions;
  conditions.parameters = parameters;
  const auto result = unlock_volume(container, request, nullptr, conditions);
  if (result || result.error().code == ErrorCode::bad_password_or_header) return;
  throw BenchFailure("unlocking", result.error());
}

KdfRow measure(const KdfSpec& kdf, std::uint32_t pim, BlockDevice& container, const State& state) {
  KdfRow row{&kdf, pim, state.parameters(kdf, pim), {}, {}};
  std::array<std::uint8_t, header_salt_bytes> salt{};
  // A triple cascade's keys, which is also all that Argon2id gives (its tag length is an input).
  std::array<std::uint8_t, 3 * 64> key{};
  row.derive_ns = timed(state.loops, [&] {
    const Status status = derive_key(row.parameters, password, salt, key);
    if (!status.ok()) throw BenchFailure(kdf.name, status.error());
  });
  row.refuse_ns = timed(state.loops, [&] { refuse(container, &kdf, pim, state.parameters); });
  return row;
}

std::string work_text(const KdfParameters& parameters) {
  if (parameters.prf == PrfId::argon2id) {
    const Argon2Parameters& argon = parameters.argon2;
    return fmt::format("{} passes over {} MiB", argon.passes, argon.memory_kib / 1024);
  }
  return fmt::format("{} iterations", parameters.iterations);
}

std::string seconds(double nanoseconds) {
  return fmt::format("{:.3f}", nanoseconds / 1e9);
}

TextTable rows_table(const std::vector<KdfRow>& rows) {
  TextTable table({{"format", true, 0},
                   {"PRF", true, 0},
                   {"PIM", false, 2},
                   {"work", true, 1},
                   {"derive s", false, 0},
                   {"refuse s", false, 0}});
  for (const KdfRow& row : rows) {
    table.add_row({format_name(row.kdf->format), row.kdf->name,
                   row.pim == 0 ? "default" : std::to_string(row.pim), work_text(row.parameters),
                   seconds(row.derive_ns.median), seconds(row.refuse_ns.median)});
  }
  return table;
}

void print_rows(const std::vector<KdfRow>& rows, const Spread& search, std::FILE* out) {
  const auto say = [&](const std::string& text) { print_sentence(out, text); };
  say(host_line());
  fmt::print(out, "\n{}", rows_table(rows).text(text_width(out)));
  if (search.median > 0) {
    say(fmt::format("Nothing named, wrong password: {} s until all have been tried",
                    seconds(search.median)));
  }
  fmt::print(out, "\n");
  say("derive: one header key, which is what opening takes when PRF and format are named");
  say("refuse: until a wrong password is refused with PRF and format named, on all cores");
  if (interrupted()) say("note: interrupted: these are the results so far");
}

nlohmann::ordered_json rows_json(const std::vector<KdfRow>& rows, const Spread& search) {
  nlohmann::ordered_json json;
  json["schema"] = "voltest-kdf/1";
  json["interrupted"] = interrupted();
  json["host"] = host_json(false);
  json["results"] = nlohmann::ordered_json::array();
  const auto whole = [](double value) { return static_cast<std::uint64_t>(std::llround(value)); };
  for (const KdfRow& row : rows) {
    json["results"].push_back({{"format", format_name(row.kdf->format)},
                               {"prf", row.kdf->name},
                               {"pim", row.pim},
                               {"work", work_text(row.parameters)},
                               {"derive_ns", whole(row.derive_ns.median)},
                               {"derive_mad_ns", whole(row.derive_ns.mad)},
                               {"wrong_password_ns", whole(row.refuse_ns.median)},
                               {"wrong_password_mad_ns", whole(row.refuse_ns.mad)}});
  }
  json["wrong_password_nothing_named_ns"] = whole(search.median);
  return json;
}

bool is_wanted(const KdfSpec& kdf, const std::vector<std::string>& prfs) {
  return prfs.empty() || std::find(prfs.begin(), prfs.end(), kdf.name) != prfs.end();
}

// The table's names for what was typed. Throws BenchFailure.
std::vector<std::string> settled_prfs(const std::vector<std::string>& typed) {
  std::vector<std::string> names;
  for (const std::string& name : typed) {
    PrfId prf{};
    if (!parse_prf(name, &prf)) {
      throw BenchFailure("--prf", "no such PRF (see volt open --help)", exit_wrong_parameters);
    }
    names.emplace_back(prf_name(prf));
  }
  return names;
}

void run_kdf(State& state, int* status) {
  state.prfs = settled_prfs(state.prfs);
  check_outputs(state.output);
  const DevicePtr container = noise_container();
  std::vector<std::uint32_t> pims = {0};
  for (const std::uint32_t pim : state.pims) pims.push_back(pim);
  ProgressLine progress;
  std::vector<KdfRow> rows;
  for (const KdfSpec& kdf : all_kdfs()) {
    if (kdf.system || !kdf.creatable || !is_wanted(kdf, state.prfs)) continue;
    for (const std::uint32_t pim : pims) {
      if (interrupted() || !check_pim(kdf.format, kdf.system, pim)) continue;
      progress.show(fmt::format("{} {} PIM {}", format_name(kdf.format), kdf.name, pim));
      rows.push_back(measure(kdf, pim, *container, state));
    }
  }
  Spread search;
  if (state.search && !interrupted()) {
    progress.show("wrong password against everything");
    search = timed(1, [&] { refuse(*container, nullptr, 0, state.parameters); });
  }
  progress.clear();
  print_rows(rows, search, text_stream(state.output));
  const TextTable table = rows_table(rows);
  write_outputs(rows_json(rows, search), table.csv(), table.markdown(), state.output);
  *status = interrupted() ? exit_status_of(ErrorCode::cancelled) : exit_done;
}

}  // namespace

void add_kdf_command(Command& program, KdfRule parameters) {
  auto state = std::make_shared<State>();
  state->parameters = parameters;
  Command& command = program.add_command("kdf", "How long opening takes, and refusing a password");
  command.add("--loops", &state->loops, "Runs of each figure [3]").between(1, 1000);
  command.add("--pim", &state->pims, "Also with this PIM; may repeat").between(1, max_pim);
  command.add("--prf", &state->prfs, "Only this PRF; may repeat");
  command.add("--search", &state->search, "Also a wrong password with nothing named");
  add_output_options(command, state->output);
  command.runs([state] {
    int status = exit_done;
    run_kdf(*state, &status);
    return status;
  });
}

}  // namespace volt
