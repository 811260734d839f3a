#include "tools/voltest/measure/container.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>
#include <utility>
#include <variant>

#include "blockdev/stack/container_spec.h"
#include "blockdev/stack/device_stack.h"
#include "tools/voltest/measure/failure.h"

namespace volt {
namespace {

// The container inside a simulated disk; null where the container is none.
const std::string* simulated_inner(const ContainerSpec& spec) {
  if (const auto* model = std::get_if<ModelledSpec>(&spec)) return &model->inner;
  if (const auto* faulty = std::get_if<FaultySpec>(&spec)) return &faulty->inner;
  return nullptr;
}

std::string canonical(const std::string& path) {
  std::error_code unknown;
  const std::string whole = std::filesystem::canonical(path, unknown).string();
  return unknown ? path : whole;
}

}  // namespace

std::vector<std::string> stored_paths(const std::string& container) {
  const auto spec = parse_container_spec(container);
  if (!spec) return {container};
  if (const std::string* inner = simulated_inner(*spec)) return stored_paths(*inner);
  if (const auto* stripe = std::get_if<StripeSpec>(&*spec)) return stripe->paths;
  return {std::get<PathSpec>(*spec).path};
}

bool is_modelled_container(const std::string& container) {
  const auto spec = parse_container_spec(container);
  if (!spec) return false;
  if (std::holds_alternative<ModelledSpec>(*spec)) return true;
  const std::string* inner = simulated_inner(*spec);
  return inner != nullptr && is_modelled_container(*inner);
}

std::string container_identity(const std::string& container) {
  const auto spec = parse_container_spec(container);
  if (!spec) return container;
  if (const std::string* inner = simulated_inner(*spec)) return container_identity(*inner);
  const auto* stripe = std::get_if<StripeSpec>(&*spec);
  if (stripe == nullptr) return canonical(std::get<PathSpec>(*spec).path);
  std::string text = fmt::format("stripe:{}:", stripe->chunk_bytes);
  for (const std::string& path : stripe->paths) {
    if (&path != &stripe->paths.front()) text += ',';
    text += canonical(path);
  }
  return text;
}

bool is_composed_target(const std::string& name) {
  const auto spec = parse_container_spec(name);
  if (!spec) throw BenchFailure(name, spec.error());
  return !std::holds_alternative<PathSpec>(*spec);
}

void open_composed(BenchTarget& target, const TargetOptions& options) {
  const bool write = options.destructive && !options.read_only;
  ContainerOptions access;
  access.read_only = !write;
  access.lock = options.lock;
  if (!options.direct) access.direct = DirectIo::off;
  auto container = open_container(target.path, access);
  if (!container) throw BenchFailure(target.path, container.error());
  if (write && container->read_only) {
    throw BenchFailure(target.path, "cannot be written to; leave --destructive out to read it",
                       exit_wrong_device);
  }
  target.kind = TargetKind::composed;
  target.storage = storage_facts(stored_paths(target.path).front());
  if (!options.direct) {
    target.direct = DirectState::not_asked;
  } else if (!container->direct) {
    target.direct = DirectState::refused;
  }
  target.device = std::move(container->device);
  target.writable = write;
  target.size_bytes = target.device->size();
  choose_range(target, options);
  target.note(
      "a composed container, opened by voltest itself: no daemon, and a thread for each"
      " request in flight");
  if (write) return;
  for (const std::string& path : stored_paths(target.path)) note_holes(target, path);
}

}  // namespace volt
