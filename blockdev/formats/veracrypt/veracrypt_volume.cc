#include "blockdev/formats/veracrypt/veracrypt_volume.h"

#include <utility>

#include "blockdev/formats/veracrypt/container_fit.h"
#include "blockdev/formats/veracrypt/veracrypt_format.h"

namespace volt {
namespace {

// The data area in whole data units, as one extent.
Result<ExtentMap> area_of(const VolumeGeometry& area) {
  Extent extent = Extent::encrypted(0, area.data_bytes / unit_bytes * unit_bytes,
                                    area.data_offset_bytes, /*writable=*/true);
  extent.tweak_offset = area.first_unit * unit_bytes;
  return ExtentMap::create({extent});
}

}  // namespace

VeracryptVolume::VeracryptVolume(ExtentMap extents, UnlockedVolume of, std::uint64_t bytes,
                                 std::string headers)
    : OpenedVolume(veracrypt_format(), std::move(extents)),
      unlocked(std::move(of)),
      container_bytes(bytes),
      header_file(std::move(headers)) {
  format_name = volt::format_name(unlocked.header.format);
  sector_bytes = unlocked.geometry.sector_bytes;
  hidden = unlocked.hidden();
}

Result<OpenedVolumePtr> VeracryptVolume::create(UnlockedVolume unlocked,
                                                std::uint64_t container_bytes,
                                                std::string header_file, KernelChoice kernels) {
  auto map = area_of(unlocked.geometry);
  if (!map) {
    return Error{ErrorCode::bad_header, 0, "data size (less than one data unit)",
                 unlocked.geometry.data_bytes};
  }
  auto cipher = make_volume_cipher(unlocked, kernels);
  if (!cipher) return cipher.error();
  auto volume = std::unique_ptr<VeracryptVolume>(new VeracryptVolume(
      *std::move(map), std::move(unlocked), container_bytes, std::move(header_file)));
  volume->cipher = *std::move(cipher);
  if (volume->bytes_there(container_bytes) < volume->map.size_bytes()) {
    volume->read_only_why = "the container is cut short";
  }
  volume->tell_again();
  return OpenedVolumePtr(std::move(volume));
}

void VeracryptVolume::tell_again() {
  facts = volume_facts(*this);
}

VolumeSecret secret_of(const OpenedVolume& volume, const KeySource& key,
                       const std::atomic<bool>* cancel) noexcept {
  const UnlockedVolume& unlocked = veracrypt_volume(volume).unlocked;
  return {key.password, key.keyfiles, unlocked.kdf, unlocked.pim, cancel};
}

UnlockRequest unlock_request(const OpenRequest& request) {
  const VolumeOptions& options = request.options;
  UnlockRequest out;
  out.password = request.key.password;
  out.keyfiles = request.key.keyfiles;
  out.pim = request.key.pim;
  PrfId prf{};
  if (!options.prf.empty() && parse_prf(options.prf, &prf)) out.prf = prf;
  VolumeFormat format{};
  if (!options.format.empty() && parse_format(options.format, &format)) out.format = format;
  if (!options.cipher.empty()) out.cascade = find_cascade(options.cipher);
  out.hidden = options.hidden;
  out.only_outer = request.only_outer;
  out.backup_header = options.backup_header;
  out.system = options.system;
  out.cut_allowed = request.cut_allowed;
  out.headers = request.headers;
  out.progress = request.progress;
  out.cancel = request.cancel;
  return out;
}

std::vector<std::string> volume_notices(const VeracryptVolume& volume, const OpenRequest& request) {
  std::vector<std::string> notices;
  const HeaderPlace place = volume.unlocked.place;
  if (place_is_backup(place) && !request.options.backup_header && request.headers == nullptr) {
    notices.push_back("the header at its usual place is damaged; opened with the " +
                      std::string(place_name(place)) + " one");
  }
  std::string fit = fit_notice(volume.unlocked, volume.container_bytes,
                               volume.bytes_there(volume.container_bytes));
  if (!fit.empty()) notices.push_back(std::move(fit));
  return notices;
}

}  // namespace volt
