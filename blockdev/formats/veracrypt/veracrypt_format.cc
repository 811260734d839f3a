#include "blockdev/formats/veracrypt/veracrypt_format.h"

#include <algorithm>
#include <array>
#include <utility>

#include "blockdev/formats/veracrypt/unlock_failure.h"
#include "blockdev/formats/veracrypt/veracrypt_volume.h"

namespace volt {
namespace {

Failure wrong_option(const char* option, std::string why) {
  return {exit_wrong_parameters, option, std::move(why), {}};
}

std::string joined(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "" : ", ") + name;
  return out;
}

OptionNames known_names() {
  OptionNames known;
  for (const KdfSpec& spec : all_kdfs()) {
    if (std::find(known.prfs.begin(), known.prfs.end(), spec.name) == known.prfs.end()) {
      known.prfs.emplace_back(spec.name);
    }
  }
  for (const CascadeSpec& cascade : all_cascades()) {
    if (!cascade.legacy) known.ciphers.emplace_back(cascade.name);
  }
  return known;
}

class VeracryptFormat final : public Format {
 public:
  std::span<const char* const> names() const noexcept override {
    static constexpr std::array<const char*, 2> both = {"veracrypt", "truecrypt"};
    return both;
  }
  KeyKinds key_kinds() const noexcept override {
    return {.password = true, .keyfiles = true, .max_pim = max_pim};
  }
  OptionNames option_names() const override { return known_names(); }
  // Headers are encrypted and salts random, so there is nothing to see.
  Likeness looks_like(ByteSpan) const noexcept override { return Likeness::possible; }
  Outcome<void> check(const VolumeOptions& options) const override {
    return check_options(options);
  }
  Outcome<OpenedVolumePtr> unlock(const NamedContainer& container,
                                  const OpenRequest& request) const override {
    const UnlockRequest own = unlock_request(request);
    UnlockReport report;
    auto unlocked = unlock_volume(container.device, own, &report);
    if (!unlocked) {
      return explain_unlock_failure(unlocked.error(), report, own,
                                    {container.name, &container, request.verbose});
    }
    auto volume = VeracryptVolume::create(*std::move(unlocked), container.device.size(),
                                          request.headers_name, request.kernels);
    if (!volume) return Failure::of(container.name, volume.error());
    (*volume)->notices = volume_notices(static_cast<VeracryptVolume&>(**volume), request);
    return *std::move(volume);
  }
  const VolumeMaker* maker() const noexcept override { return &veracrypt_maker(); }
  const VolumeCare* care() const noexcept override { return &veracrypt_care(); }
};

}  // namespace

Outcome<void> check_options(const VolumeOptions& options) {
  PrfId prf{};
  if (!options.prf.empty() && !parse_prf(options.prf, &prf)) {
    return wrong_option("--prf", "unknown name (known: " + joined(known_names().prfs) + ")");
  }
  VolumeFormat format{};
  std::optional<VolumeFormat> named;
  if (!options.format.empty() && parse_format(options.format, &format)) named = format;
  if (!options.cipher.empty() && find_cascade(options.cipher) == nullptr) {
    return wrong_option("--cipher", "unknown name (known: " + joined(known_names().ciphers) + ")");
  }
  if (const Status pim = check_pim(named, options.system, options.pim); !pim) {
    return wrong_option("--pim", pim.error().context);
  }
  return {};
}

const Format& veracrypt_format() noexcept {
  static const VeracryptFormat format;
  return format;
}

}  // namespace volt
