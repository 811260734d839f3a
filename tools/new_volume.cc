#include "tools/new_volume.h"

#include <memory>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "blockdev/borrowed_device.h"
#include "blockdev/device_stack.h"
#include "blockdev/error_text.h"
#include "blockdev/exit_status.h"
#include "blockdev/volume_format.h"
#include "tools/free_tail.h"
#include "tools/interrupt.h"
#include "tools/report.h"
#include "tools/size_text.h"
#include "tools/volume_access.h"

namespace volt {
namespace {

// The bytes behind the used part of the outer volume's file system.
Result<std::uint64_t> free_tail_bytes(BlockDevice& container, const UnlockedVolume& outer) {
  StackOptions stack;
  stack.read_only = true;
  auto volume = compose_volume(std::make_unique<BorrowedDevice>(container), outer, stack, nullptr);
  if (!volume.ok()) return volume.error();
  const auto begin = free_tail_begin(**volume);
  if (!begin.ok()) return begin.error();
  return (*volume)->size() - *begin;
}

// A sentence where the outer volume's contents speak against it.
std::optional<std::string> check_outer_tail(BlockDevice& container, const UnlockedVolume& outer,
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

}  // namespace

std::optional<std::string> choose_algorithms(const CredentialOptions& options,
                                             Algorithms* algorithms) {
  VolumeFormat format = VolumeFormat::veracrypt;
  if (!options.format.empty() && !parse_format(options.format, &format)) {
    return "--format: unknown name";
  }
  const CascadeSpec* cascade = find_cascade(options.cipher.empty() ? "aes" : options.cipher);
  if (cascade == nullptr || cascade->legacy ||
      !(format == VolumeFormat::truecrypt ? cascade->truecrypt : cascade->veracrypt)) {
    return fmt::format("--cipher: new {} volumes cannot use '{}'", format_name(format),
                       cascade == nullptr ? options.cipher : cascade->name);
  }
  PrfId prf = PrfId::sha512;
  if (!options.prf.empty() && !parse_prf(options.prf, &prf)) return "--prf: unknown name";
  const KdfSpec* kdf = find_kdf(format, prf, false);
  if (kdf == nullptr || !kdf->creatable) {
    return fmt::format("--prf: new {} volumes cannot use '{}'", format_name(format), prf_name(prf));
  }
  if (const Status pim = check_pim(format, kdf->system, options.pim); !pim) {
    return std::string("--pim: ") + pim.error().context;
  }
  *algorithms = {cascade, kdf};
  return std::nullopt;
}

std::optional<UnlockedVolume> make_hidden_volume(const std::string& file, BlockDevice& container,
                                                 const UnlockedVolume& outer, bool check_tail,
                                                 const HiddenRequest& request, int* exit_status) {
  const auto fail = [&](const std::string& why, ExitStatus status) {
    *exit_status = report_failure(file, why, status);
    return std::nullopt;
  };
  const auto size = parse_size(request.size_text);
  if (!size.ok()) {
    return fail(fmt::format("--hidden-size: {}", size.error().context), exit_wrong_parameters);
  }
  const std::uint32_t sector_bytes = outer.header.sector_bytes;
  const std::uint64_t bytes = *size / sector_bytes * sector_bytes;
  CredentialOptions named = request.credentials;
  named.format = format_name(outer.header.format);
  std::string why;
  if (!check_credential_options(named, &why).ok()) {
    return fail("hidden volume: " + why, exit_wrong_parameters);
  }
  Algorithms algorithms;
  if (const auto problem = choose_algorithms(named, &algorithms)) {
    return fail("hidden volume: " + *problem, exit_wrong_parameters);
  }
  if (check_tail) {
    if (const auto problem = check_outer_tail(container, outer, bytes, request.yes)) {
      return fail(*problem, exit_wrong_device);
    }
  }
  std::vector<std::string> notices;
  const auto credentials =
      Credentials::gather(named, "Password of the hidden volume: ", true, &why, &notices);
  for (const std::string& notice : notices) report_notice(notice);
  if (!credentials.ok()) {
    return fail("hidden volume: " + why, exit_status_of(credentials.error().code));
  }
  FormatRequest format;
  format.cascade = algorithms.cascade;
  format.kdf = algorithms.kdf;
  format.pim = named.pim;
  format.password = credentials->password();
  format.keyfiles = credentials->keyfiles();
  format.cancel = &catch_interrupts();
  format.hidden = true;
  format.hidden_bytes = bytes;
  format.sector_bytes = sector_bytes;
  auto volume = format_volume(container, format);
  if (!volume.ok()) {
    return fail("hidden volume: " + error_text(volume.error()),
                exit_status_of(volume.error().code));
  }
  return *std::move(volume);
}

}  // namespace volt
