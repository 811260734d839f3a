// Making volumes of this format, for programs that know no format.
#include <utility>

#include "blockdev/formats/veracrypt/veracrypt_volume.h"
#include "blockdev/formats/veracrypt/volume_format.h"

namespace volt {
namespace {

Failure wrong_option(const char* option, std::string why) {
  return {exit_wrong_parameters, option, std::move(why), {}};
}

class VeracryptMaker final : public VolumeMaker {
 public:
  // Nothing named means AES, SHA-512 and VeraCrypt's own format.
  Outcome<VolumeOptions> settle(const VolumeOptions& options) const override {
    if (auto checked = check_options(options); !checked) return checked.failure();
    VolumeFormat format = VolumeFormat::veracrypt;
    if (!options.format.empty()) parse_format(options.format, &format);
    const std::string format_text = format_name(format);
    const CascadeSpec* cascade = find_cascade(options.cipher.empty() ? "aes" : options.cipher);
    if (cascade->legacy ||
        !(format == VolumeFormat::truecrypt ? cascade->truecrypt : cascade->veracrypt)) {
      return wrong_option("--cipher",
                          "new " + format_text + " volumes cannot use '" + cascade->name + "'");
    }
    PrfId prf = PrfId::sha512;
    if (!options.prf.empty()) parse_prf(options.prf, &prf);
    const KdfSpec* kdf = find_kdf(format, prf, /*system=*/false);
    if (kdf == nullptr || !kdf->creatable) {
      return wrong_option("--prf",
                          "new " + format_text + " volumes cannot use '" + prf_name(prf) + "'");
    }
    if (const Status pim = check_pim(format, kdf->system, options.pim); !pim) {
      return wrong_option("--pim", pim.error().context);
    }
    VolumeOptions settled = options;
    settled.format = format_text;
    settled.cipher = cascade->name;
    settled.prf = kdf->name;
    return settled;
  }

  std::uint64_t min_container_bytes() const noexcept override { return volt::min_container_bytes; }
  std::uint64_t header_area_bytes() const noexcept override { return header_group_bytes; }

  Result<OpenedVolumePtr> make(BlockDevice& container, const NewVolume& wanted) const override {
    FormatRequest request;
    VolumeFormat format{};
    PrfId prf{};
    if (!parse_format(wanted.options.format, &format) || !parse_prf(wanted.options.prf, &prf)) {
      return Error{ErrorCode::invalid_argument, 0, "options that are not settled", 0};
    }
    request.cascade = find_cascade(wanted.options.cipher);
    request.kdf = find_kdf(format, prf, /*system=*/false);
    request.pim = wanted.key.pim;
    request.password = wanted.key.password;
    request.keyfiles = wanted.key.keyfiles;
    request.sector_bytes = wanted.sector_bytes;
    request.hidden = wanted.outer != nullptr;
    request.hidden_bytes = wanted.hidden_bytes;
    request.cancel = wanted.cancel;
    auto made = format_volume(container, request);
    if (!made) return made.error();
    return VeracryptVolume::create(*std::move(made), container.size());
  }
};

}  // namespace

const VolumeMaker& veracrypt_maker() noexcept {
  static const VeracryptMaker maker;
  return maker;
}

}  // namespace volt
