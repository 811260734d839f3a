// Looking after volumes of this format, for programs that know no format.
#include <optional>
#include <utility>

#include "blockdev/formats/veracrypt/unlock_failure.h"
#include "blockdev/formats/veracrypt/veracrypt_volume.h"

namespace volt {
namespace {

// Looking at the other place of a header costs one more derivation: unasked, where nobody notices.
bool derives_quickly(const UnlockedVolume& volume) {
  constexpr std::uint32_t most_unasked_iterations = 50000;
  return volume.kdf->prf != PrfId::argon2id &&
         kdf_parameters(*volume.kdf, volume.pim).iterations <= most_unasked_iterations;
}

// The row of the KDF table from now on: the volume's own, or the one named. Null: it has none such.
const KdfSpec* new_kdf(const UnlockedVolume& volume, const std::string& named) {
  if (named.empty()) return volume.kdf;
  PrfId prf{};
  if (!parse_prf(named, &prf)) return nullptr;
  const KdfSpec* kdf = find_kdf(volume.header.format, prf, volume.kdf->system);
  return kdf != nullptr && kdf->creatable ? kdf : nullptr;
}

class VeracryptCare final : public VolumeCare {
 public:
  Result<std::vector<Fact>> look_at_headers(BlockDevice& container, const OpenedVolume& volume,
                                            const KeySource& key, bool whatever_it_takes,
                                            const std::atomic<bool>* cancel) const override {
    const UnlockedVolume& unlocked = veracrypt_volume(volume).unlocked;
    if (!whatever_it_takes && !derives_quickly(unlocked)) return header_facts(nullptr);
    const auto places = check_places(container, unlocked, secret_of(volume, key, cancel));
    if (!places) return places.error();
    return header_facts(&*places);
  }

  Outcome<void> check_new_prf(const OpenedVolume& volume, const std::string& prf) const override {
    if (new_kdf(veracrypt_volume(volume).unlocked, prf) != nullptr) return {};
    return Failure{exit_wrong_parameters, "--new-prf", "this volume's format does not have it", {}};
  }

  Outcome<void> change_key(const NamedContainer& container, OpenedVolume* volume,
                           const KeyChange& change) const override {
    return change_by(container.name, volume, change,
                     [&](const UnlockedVolume& unlocked, const VolumeSecret& old_secret,
                         const VolumeSecret& new_secret) {
                       return change_secret(container.device, unlocked, old_secret, new_secret);
                     });
  }

  Outcome<void> change_detached_key(MutableByteSpan file, const std::string& name,
                                    OpenedVolume* volume, const KeyChange& change) const override {
    return change_by(name, volume, change,
                     [&](const UnlockedVolume& unlocked, const VolumeSecret& old_secret,
                         const VolumeSecret& new_secret) {
                       return change_backup_secret(file, unlocked, old_secret, new_secret);
                     });
  }
  std::uint64_t max_detached_bytes() const noexcept override { return header_group_bytes; }

  Result<std::vector<std::uint8_t>> back_up_headers(
      const OpenedVolume& outer, const KeySource& key, const OpenedVolume* hidden,
      const KeySource& hidden_key, const std::atomic<bool>* cancel) const override {
    const VolumeSecret secret = secret_of(outer, key, cancel);
    if (hidden == nullptr) {
      return make_header_backup(veracrypt_volume(outer).unlocked, secret, nullptr, nullptr);
    }
    const VolumeSecret hidden_secret = secret_of(*hidden, hidden_key, cancel);
    return make_header_backup(veracrypt_volume(outer).unlocked, secret,
                              &veracrypt_volume(*hidden).unlocked, &hidden_secret);
  }

  Outcome<OpenedVolumePtr> restore_headers(const NamedContainer& container,
                                           const NamedContainer* backup,
                                           const OpenRequest& request) const override {
    if (container.device.size() < header_bytes) {
      return Failure{exit_wrong_device, container.name, "too short to be a volume", {}};
    }
    const UnlockRequest own = unlock_request(request);
    UnlockReport report;
    auto restored = restore_header(container.device, backup == nullptr ? nullptr : &backup->device,
                                   own, &report);
    if (!restored) {
      const bool embedded = backup == nullptr;
      const bool about_container = embedded || report.expected_container_bytes != 0;
      const UnlockAttempt attempt{about_container ? container.name : backup->name,
                                  embedded ? &container : nullptr, request.verbose};
      return explain_unlock_failure(restored.error(), report, own, attempt);
    }
    auto volume = VeracryptVolume::create(*std::move(restored), container.device.size());
    if (!volume) return Failure::of(container.name, volume.error());
    return *std::move(volume);
  }

  std::uint64_t container_bytes(const OpenedVolume& volume) const noexcept override {
    const VolumeHeader& header = veracrypt_volume(volume).unlocked.header;
    return header.data_offset_bytes + header.data_bytes + header_group_bytes;
  }

  Result<OpenedVolumePtr> expand(BlockDevice& container, const OpenedVolume& volume,
                                 const KeySource& key,
                                 const std::atomic<bool>* cancel) const override {
    auto grown =
        expand_volume(container, veracrypt_volume(volume).unlocked, secret_of(volume, key, cancel));
    if (!grown) return grown.error();
    return VeracryptVolume::create(*std::move(grown), container.size());
  }

 private:
  template <class Seal>
  static Outcome<void> change_by(const std::string& name, OpenedVolume* volume,
                                 const KeyChange& change, const Seal& seal) {
    auto& own = static_cast<VeracryptVolume&>(*volume);
    const VolumeSecret old_secret = secret_of(own, change.old_key, change.cancel);
    VolumeSecret new_secret = old_secret;
    new_secret.password = change.new_key.password;
    new_secret.keyfiles = change.new_key.keyfiles;
    new_secret.kdf = new_kdf(own.unlocked, change.new_prf);  // null is refused as "no PRF"
    if (change.new_pim) new_secret.pim = change.new_key.pim;
    const Status sealed = seal(own.unlocked, old_secret, new_secret);
    if (!sealed) return Failure::of(name, sealed.error());
    own.unlocked.kdf = new_secret.kdf;
    own.unlocked.pim = new_secret.pim;
    own.tell_again();
    return {};
  }
};

}  // namespace

const VolumeCare& veracrypt_care() noexcept {
  static const VeracryptCare care;
  return care;
}

}  // namespace volt
