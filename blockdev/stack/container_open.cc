// open_container: from what the user typed to a byte-addressable device.
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>
#include <vector>

#include "blockdev/backing/file_device.h"
#include "blockdev/backing/stripe_device.h"
#include "blockdev/layers/align_device.h"
#include "blockdev/simulate/fault_device.h"
#include "blockdev/simulate/model_device.h"
#include "blockdev/stack/container_spec.h"
#include "blockdev/stack/device_stack.h"

namespace volt {

namespace {

Result<Container> open_file(const std::string& path, const ContainerOptions& options) {
  auto file = FileDevice::open(path, options);
  if (!file.ok()) return file.error();
  Container container;
  container.read_only = (*file)->geometry().read_only;
  container.direct = (*file)->direct();
  container.locked = (*file)->locked();
  container.in_memory = (*file)->in_memory();
  container.one_file = true;
  container.files = {file->get()};
  container.device = *std::move(file);
  return container;
}

// A member named twice would be overwritten by itself; readers would not even find it locked.
Status check_different(const std::vector<std::string>& paths) {
  for (std::size_t i = 0; i < paths.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      std::error_code unknown;
      if (std::filesystem::equivalent(paths[i], paths[j], unknown)) {
        return Error{ErrorCode::invalid_argument, 0, "two members of the stripe are one file", j};
      }
    }
  }
  return {};
}

Result<Container> open_stripe(const StripeSpec& spec, const ContainerOptions& options) {
  std::vector<DevicePtr> members;
  Container container;
  container.direct = true;
  container.locked = true;
  container.in_memory = true;
  VOLT_TRY(check_different(spec.paths));
  for (const std::string& path : spec.paths) {
    auto member = open_file(path, options);
    if (!member.ok()) return member.error();
    container.read_only = container.read_only || member->read_only;
    container.direct = container.direct && member->direct;
    container.locked = container.locked && member->locked;
    container.in_memory = container.in_memory && member->in_memory;
    container.files.push_back(member->files.front());
    members.push_back(std::move(member->device));
  }
  auto stripe = StripeDevice::create(std::move(members), spec.chunk_bytes);
  if (!stripe.ok()) return stripe.error();
  container.device = *std::move(stripe);
  return container;
}

Result<Container> open_modelled(const ModelledSpec& spec, const ContainerOptions& options) {
  auto inner = open_container(spec.inner, options);
  if (!inner.ok()) return inner;
  Container container = *std::move(inner);
  auto model = ModelDevice::create(std::move(container.device), spec.model);
  if (!model.ok()) return model.error();
  container.device = *std::move(model);
  container.in_memory = false;
  container.one_file = false;
  return container;
}

// Everything below a fault goes through it: never straight to the file.
Result<Container> open_faulty(const FaultySpec& spec, const ContainerOptions& options) {
  auto inner = open_container(spec.inner, options);
  if (!inner.ok()) return inner;
  Container container = *std::move(inner);
  container.device = std::make_unique<FaultDevice>(std::move(container.device), spec.plan);
  container.in_memory = false;
  container.one_file = false;
  return container;
}

Result<Container> open_spec(const ContainerSpec& spec, const ContainerOptions& options) {
  const bool simulated =
      std::holds_alternative<ModelledSpec>(spec) || std::holds_alternative<FaultySpec>(spec);
  if (simulated && !simulated_disks_allowed()) {
    return Error{ErrorCode::invalid_argument, 0,
                 "a simulated disk (model: or fault:) is opened only with --testing", 0};
  }
  if (const auto* stripe = std::get_if<StripeSpec>(&spec)) return open_stripe(*stripe, options);
  if (const auto* model = std::get_if<ModelledSpec>(&spec)) return open_modelled(*model, options);
  if (const auto* faulty = std::get_if<FaultySpec>(&spec)) return open_faulty(*faulty, options);
  return open_file(std::get<PathSpec>(spec).path, options);
}

}  // namespace

NamedContainer named_container(BlockDevice& device, const std::string& spec) {
  const auto parsed = parse_container_spec(spec);
  const auto* one = parsed.ok() ? std::get_if<PathSpec>(&*parsed) : nullptr;
  return {device, spec, one == nullptr ? "" : one->path};
}

Result<Container> open_container(const std::string& spec, const ContainerOptions& options) {
  const auto parsed = parse_container_spec(spec);
  if (!parsed.ok()) return parsed.error();
  auto opened = open_spec(*parsed, options);
  if (!opened.ok()) return opened;
  Container container = *std::move(opened);
  container.path = spec;
  const Geometry& geometry = container.device->geometry();
  if (geometry.alignment_bytes > 1 || geometry.memory_alignment > 1) {
    auto aligned = AlignDevice::create(std::move(container.device));
    if (!aligned.ok()) return aligned.error();
    container.device = *std::move(aligned);
  }
  return container;
}

}  // namespace volt
