#include "blockdev/container_spec.h"

#include <charconv>
#include <filesystem>
#include <limits>
#include <optional>
#include <string_view>
#include <system_error>

#include "blockdev/host/command_line.h"
#include "crypto/same_name.h"

namespace volt {

namespace {

constexpr std::string_view stripe_prefix = "stripe:";
constexpr std::string_view model_prefix = "model:";
constexpr std::string_view fault_prefix = "fault:";

struct FaultName {
  std::string_view name;
  FaultKind fault;
  IoKind kind;
};
constexpr FaultName fault_names[] = {
    {"bit-flip-read", FaultKind::bit_flip, IoKind::read},
    {"bit-flip-write", FaultKind::bit_flip, IoKind::write},
    {"failed-flush", FaultKind::fail, IoKind::flush},
    {"failed-read", FaultKind::fail, IoKind::read},
    {"failed-write", FaultKind::fail, IoKind::write},
    {"lost-write", FaultKind::lost_write, IoKind::write},
    {"misdirected-write", FaultKind::misdirected_write, IoKind::write},
    {"stale-read", FaultKind::stale_read, IoKind::read},
    {"torn-write", FaultKind::torn_write_unseen, IoKind::write},
};

Error wrong(const char* what) noexcept {
  return {ErrorCode::invalid_argument, 0, what, 0};
}

// Takes what stands before `separator`; nothing where it does not occur.
std::optional<std::string_view> take_until(char separator, std::string_view* text) noexcept {
  const std::size_t at = text->find(separator);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view taken = text->substr(0, at);
  text->remove_prefix(at + 1);
  return taken;
}

template <class Number>
bool parse_number(std::string_view text, Number* number) noexcept {
  std::uint64_t value = 0;
  if (!parse_decimal(text, &value) || value > std::numeric_limits<Number>::max()) return false;
  *number = static_cast<Number>(value);
  return true;
}

// Bytes, or with K or M: powers of 1024.
bool parse_chunk(std::string_view text, std::uint64_t* bytes) noexcept {
  unsigned shift = 0;
  if (text.ends_with('K')) shift = 10;
  if (text.ends_with('M')) shift = 20;
  if (shift != 0) text.remove_suffix(1);
  std::uint64_t number = 0;
  if (!parse_number(text, &number) || number > (UINT64_MAX >> shift)) return false;
  *bytes = number << shift;
  return true;
}

Result<ContainerSpec> parse_stripe(std::string_view text) {
  StripeSpec spec;
  const auto chunk = take_until(':', &text);
  if (!chunk || !parse_chunk(*chunk, &spec.chunk_bytes)) {
    return wrong("stripe:CHUNK:PATH,PATH: the chunk is not a size");
  }
  while (const auto path = take_until(',', &text)) spec.paths.emplace_back(*path);
  spec.paths.emplace_back(text);
  for (const std::string& path : spec.paths) {
    if (path.empty()) return wrong("stripe:CHUNK:PATH,PATH: a path is empty");
  }
  if (spec.paths.size() < 2) return wrong("stripe:CHUNK:PATH,PATH: fewer than two paths");
  return ContainerSpec(std::move(spec));
}

// NAME[xDISKS][@PERCENT]
bool parse_model(std::string_view text, ModelSpec* model) noexcept {
  const std::size_t at = text.find('@');
  if (at != std::string_view::npos) {
    if (!parse_number(text.substr(at + 1), &model->start_percent)) return false;
    text = text.substr(0, at);
  }
  const std::size_t times = text.rfind('x');
  if (times != std::string_view::npos && parse_number(text.substr(times + 1), &model->disks)) {
    text = text.substr(0, times);
  }
  model->profile = find_disk_profile(text);
  return model->profile != nullptr;
}

Result<ContainerSpec> parse_modelled(std::string_view rest) {
  ModelledSpec spec;
  const auto disks = take_until(':', &rest);
  if (!disks || !parse_model(*disks, &spec.model)) {
    return wrong("model:DISK[xN][@PERCENT]:CONTAINER: no such disk");
  }
  // A model of a model would only be slow, and could be nested without end.
  if (rest.empty() || rest.starts_with(model_prefix) || rest.starts_with(fault_prefix)) {
    return wrong("model:DISK[xN][@PERCENT]:CONTAINER: no container");
  }
  spec.inner = rest;
  return ContainerSpec(std::move(spec));
}

// KIND[@NTH[xCOUNT]][,SEED]
bool parse_fault(std::string_view text, FaultPlan* plan) {
  FaultRule rule;
  const std::size_t comma = text.find(',');
  if (comma != std::string_view::npos) {
    if (!parse_number(text.substr(comma + 1), &plan->seed)) return false;
    text = text.substr(0, comma);
  }
  const std::size_t at = text.find('@');
  if (at != std::string_view::npos) {
    std::string_view calls = text.substr(at + 1);
    const std::size_t times = calls.find('x');
    if (times != std::string_view::npos) {
      if (!parse_number(calls.substr(times + 1), &rule.count)) return false;
      calls = calls.substr(0, times);
    }
    if (!parse_number(calls, &rule.nth) || rule.nth == 0) return false;
    text = text.substr(0, at);
  }
  for (const FaultName& known : fault_names) {
    if (!same_name(text, known.name)) continue;
    rule.fault = known.fault;
    rule.kind = known.kind;
    plan->rules = {rule};
    return true;
  }
  return false;
}

Result<ContainerSpec> parse_faulty(std::string_view rest) {
  FaultySpec spec;
  const auto fault = take_until(':', &rest);
  if (!fault || !parse_fault(*fault, &spec.plan)) {
    return wrong("fault:KIND[@NTH[xCOUNT]][,SEED]:CONTAINER: no such fault");
  }
  if (rest.empty() || rest.starts_with(fault_prefix)) {
    return wrong("fault:KIND[@NTH[xCOUNT]][,SEED]:CONTAINER: no container");
  }
  spec.inner = rest;
  return ContainerSpec(std::move(spec));
}

bool simulated_allowed = false;

// Resolved, or at least absolute where there is no such file.
std::string absolute_path(const std::string& path) {
  std::error_code error;
  std::filesystem::path found = std::filesystem::canonical(path, error);
  if (error) found = std::filesystem::absolute(path, error);
  return error ? path : found.string();
}

}  // namespace

void allow_simulated_disks(bool allowed) noexcept {
  simulated_allowed = allowed;
}

bool simulated_disks_allowed() noexcept {
  return simulated_allowed;
}

Result<ContainerSpec> parse_container_spec(const std::string& text) {
  const std::string_view view = text;
  if (view.starts_with(stripe_prefix)) return parse_stripe(view.substr(stripe_prefix.size()));
  if (view.starts_with(model_prefix)) return parse_modelled(view.substr(model_prefix.size()));
  if (view.starts_with(fault_prefix)) return parse_faulty(view.substr(fault_prefix.size()));
  return ContainerSpec(PathSpec{text});
}

bool is_composed_name(const std::string& name) {
  const auto spec = parse_container_spec(name);
  return !spec.ok() || !std::holds_alternative<PathSpec>(*spec);
}

std::vector<std::string> container_paths(const std::string& name) {
  const auto spec = parse_container_spec(name);
  if (!spec.ok()) return {};
  if (const auto* model = std::get_if<ModelledSpec>(&*spec)) return container_paths(model->inner);
  if (const auto* faulty = std::get_if<FaultySpec>(&*spec)) return container_paths(faulty->inner);
  if (const auto* stripe = std::get_if<StripeSpec>(&*spec)) return stripe->paths;
  return {std::get<PathSpec>(*spec).path};
}

std::string canonical_container_name(const std::string& name) {
  const auto spec = parse_container_spec(name);
  if (!spec.ok()) return name;
  if (const auto* path = std::get_if<PathSpec>(&*spec)) return absolute_path(path->path);
  if (const auto* stripe = std::get_if<StripeSpec>(&*spec)) {
    std::string out = name.substr(0, name.find(':', stripe_prefix.size()) + 1);
    const std::size_t bare = out.size();
    for (const std::string& path : stripe->paths) {
      if (out.size() != bare) out += ',';
      out += absolute_path(path);
    }
    return out;
  }
  const auto* model = std::get_if<ModelledSpec>(&*spec);
  const std::string& inner = model != nullptr ? model->inner : std::get<FaultySpec>(*spec).inner;
  return name.substr(0, name.size() - inner.size()) + canonical_container_name(inner);
}

}  // namespace volt
