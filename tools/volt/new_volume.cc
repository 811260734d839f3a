#include "tools/volt/new_volume.h"

#include <memory>
#include <optional>
#include <utility>

#include <fmt/core.h>

#include "blockdev/device/borrowed_device.h"
#include "blockdev/formats/formats.h"
#include "blockdev/host/error_text.h"
#include "blockdev/host/exit_status.h"
#include "blockdev/stack/device_stack.h"
#include "tools/common/size_text.h"
#include "tools/volt/free_tail.h"
#include "tools/volt/volume_access.h"

namespace volt {
namespace {

// The bytes behind the used part of the outer volume's file system.
Result<std::uint64_t> free_tail_bytes(BlockDevice& container, OpenedVolume& outer) {
  StackOptions stack;
  stack.read_only = true;
  auto volume = compose_volume(std::make_unique<BorrowedDevice>(container), outer, stack, nullptr);
  if (!volume.ok()) return volume.error();
  const auto begin = free_tail_begin(**volume);
  if (!begin.ok()) return begin.error();
  return (*volume)->size() - *begin;
}

// A sentence where the outer volume's contents speak against it.
std::optional<std::string> check_outer_tail(BlockDevice& container, OpenedVolume& outer,
                                            std::uint64_t hidden_bytes, bool yes) {
  const auto tail = free_tail_bytes(container, outer);
  if (tail.ok()) {
    if (hidden_bytes <= *tail) return std::nullopt;
    return fmt::format(
        "--hidden-size: the outer volume's file system leaves {} bytes ({}) at its end", *tail,
        format_size(*tail));
  }
  if (yes) return std::nullopt;
  return refuse_unless_confirmed(fmt::format(
      "How much of the outer volume is free at its end cannot be told ({}); what lies there would "
      "be lost.",
      error_text(tail.error())));
}

// What the options come to. A failure's `why` names the option.
Outcome<NewVolume> settle(const HiddenRequest& request, const VolumeMaker& maker,
                          const std::string& format_name, CredentialOptions* named) {
  *named = request.credentials;
  named->format = format_name;
  std::string why;
  if (!check_credential_options(*named, &why).ok()) {
    return Failure{exit_wrong_parameters, {}, why, {}};
  }
  auto options = maker.settle(volume_options(*named));
  if (!options) {
    const Failure& failure = options.failure();
    return Failure{failure.status, {}, failure.what + ": " + failure.why, {}};
  }
  NewVolume wanted;
  wanted.options = *std::move(options);
  return wanted;
}

}  // namespace

Outcome<const VolumeMaker*> choose_maker(const std::string& format_name) {
  if (!format_name.empty()) {
    const VolumeMaker* maker = find_format(format_name)->maker();
    if (maker != nullptr) return maker;
    return Failure{exit_wrong_parameters,
                   "--format",
                   fmt::format("volt opens {} volumes, it does not make them", format_name),
                   {}};
  }
  for (const Format* format : all_formats()) {
    if (format->maker() != nullptr) return format->maker();
  }
  return Failure{exit_wrong_parameters, "--format", "no format can be made", {}};
}

Outcome<OpenedVolumePtr> make_hidden_volume(const std::string& file, BlockDevice& container,
                                            OpenedVolume& outer, bool check_tail,
                                            const HiddenRequest& request) {
  const auto fail = [&](const std::string& why, ExitStatus status) {
    return Failure{status, file, why, {}};
  };
  const auto size = parse_size(request.size_text);
  if (!size.ok()) {
    return fail(fmt::format("--hidden-size: {}", size.error().context), exit_wrong_parameters);
  }
  const VolumeMaker* maker = outer.format->maker();
  if (maker == nullptr) {
    return fail(fmt::format("{} volumes have no hidden volumes", outer.format_name),
                exit_wrong_parameters);
  }
  CredentialOptions named;
  auto wanted = settle(request, *maker, outer.format_name, &named);
  if (!wanted) return fail("hidden volume: " + wanted.failure().why, wanted.failure().status);
  wanted->outer = &outer;
  wanted->sector_bytes = outer.sector_bytes;
  wanted->hidden_bytes = *size / outer.sector_bytes * outer.sector_bytes;
  wanted->cancel = conversation().cancel;
  if (check_tail) {
    if (const auto problem =
            check_outer_tail(container, outer, wanted->hidden_bytes, request.yes)) {
      return fail(*problem, exit_wrong_device);
    }
  }
  const auto credentials =
      ask_for_credentials(named, file, "Password of the hidden volume: ", true, conversation());
  if (!credentials) {
    return fail("hidden volume: " + credentials.failure().why, credentials.failure().status);
  }
  wanted->key = credentials->key();
  auto volume = maker->make(container, *wanted);
  if (!volume.ok()) {
    return fail("hidden volume: " + error_text(volume.error()),
                exit_status_of(volume.error().code));
  }
  return *std::move(volume);
}

}  // namespace volt
