// From a container of whatever format to an open volume.
#include <algorithm>
#include <array>
#include <utility>

#include "blockdev/formats/formats.h"
#include "blockdev/layers/unaligned_view.h"
#include "crypto/base/same_name.h"

namespace volt {
namespace {

constexpr std::size_t beginning_bytes = 4096;

std::string names_of_all() {
  std::string names;
  for (const Format* format : all_formats()) {
    for (const char* name : format->names())
      names += (names.empty() ? "" : ", ") + std::string(name);
  }
  return names;
}

// The beginning of the container; shorter where that has less, empty where it cannot be read.
std::vector<std::uint8_t> read_beginning(BlockDevice& container) {
  std::vector<std::uint8_t> bytes(
      static_cast<std::size_t>(std::min<std::uint64_t>(beginning_bytes, container.size())));
  auto view = unaligned_view(container);
  if (!view || !(*view)->read(0, bytes)) bytes.clear();
  return bytes;
}

// A failure where the key is of a kind that such volumes do not have.
Outcome<void> check_key(const Format& format, const KeySource& key) {
  const KeyKinds kinds = format.key_kinds();
  const std::string name = format.names().front();
  const auto refuse = [&](const char* option, const char* kind) {
    return Failure{exit_wrong_parameters, option, name + " volumes have no " + kind, {}};
  };
  if (!key.volume_key.empty() && !kinds.volume_key) {
    return Failure{exit_wrong_parameters,
                   "--volume-key-file",
                   name + " volumes do not open with it: their headers are needed",
                   {}};
  }
  if (key.volume_key.empty() && !kinds.password && !kinds.keyfiles) {
    return Failure{
        exit_wrong_parameters, name, "opens with its volume key alone (--volume-key-file)", {}};
  }
  if (key.keyfiles != nullptr && !kinds.keyfiles) return refuse("--keyfile", "key files");
  if (key.pim != 0 && kinds.max_pim == 0) return refuse("--pim", "PIM");
  return {};
}

}  // namespace

const Format* find_format(std::string_view name) noexcept {
  for (const Format* format : all_formats()) {
    for (const char* own : format->names()) {
      if (same_name(own, name)) return format;
    }
  }
  return nullptr;
}

const Format* recognise_format(BlockDevice& container) noexcept {
  const auto beginning = read_beginning(container);
  for (const Format* format : all_formats()) {
    if (format->looks_like(beginning) == Likeness::certain) return format;
  }
  return nullptr;
}

Outcome<void> check_volume_options(const VolumeOptions& options) {
  if (!options.format.empty()) {
    const Format* format = find_format(options.format);
    if (format != nullptr) return format->check(options);
    return Failure{
        exit_wrong_parameters, "--format", "unknown name (known: " + names_of_all() + ")", {}};
  }
  Outcome<void> first;
  for (const Format* format : all_formats()) {
    Outcome<void> checked = format->check(options);
    if (checked) return {};
    if (first) first = std::move(checked);
  }
  return first;
}

Outcome<OpenedVolumePtr> unlock_container(const NamedContainer& container,
                                          const OpenRequest& request) {
  const Format* only = request.options.format.empty() ? recognise_format(container.device)
                                                      : find_format(request.options.format);
  const auto beginning = read_beginning(container.device);
  std::optional<Failure> first;
  for (const Format* format : all_formats()) {
    if (only != nullptr && format != only) continue;
    if (only == nullptr && format->looks_like(beginning) == Likeness::no) continue;
    Outcome<void> possible = format->check(request.options);
    if (possible) possible = check_key(*format, request.key);
    if (!possible) {
      if (!first) first = possible.failure();
      continue;
    }
    auto opened = format->unlock(container, request);
    // Another format is tried only where this one's key was wrong.
    if (opened || opened.failure().status != exit_no_permission) return opened;
    first = opened.failure();
  }
  if (first) return *first;
  return Failure{exit_wrong_device, container.name, "not a volume of a known format", {}};
}

}  // namespace volt
