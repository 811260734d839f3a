// An open volume of this format, as the generic one and as what its header told.
#pragma once

#include <string>
#include <vector>

#include "blockdev/formats/format.h"
#include "blockdev/formats/veracrypt/volume_care.h"
#include "blockdev/formats/veracrypt/volume_secret.h"
#include "blockdev/formats/veracrypt/volume_unlock.h"
#include "crypto/base/result.h"

namespace volt {

class VeracryptVolume final : public OpenedVolume {
 public:
  // `container_bytes` is the size of the container, `header_file` the name of detached headers.
  // Errors: those of make_volume_cipher(); bad_header (an area that cannot be mapped).
  static Result<OpenedVolumePtr> create(UnlockedVolume unlocked, std::uint64_t container_bytes,
                                        std::string header_file = {},
                                        KernelChoice kernels = default_kernel_choice());

  // After a change of what it is sealed with.
  void tell_again();

  UnlockedVolume unlocked;
  std::uint64_t container_bytes;
  std::string header_file;

 private:
  VeracryptVolume(ExtentMap extents, UnlockedVolume of, std::uint64_t bytes, std::string headers);
};

// The same object, where it comes from this format.
inline const VeracryptVolume& veracrypt_volume(const OpenedVolume& volume) noexcept {
  return static_cast<const VeracryptVolume&>(volume);
}

// What it was opened with, from the key that opened it.
VolumeSecret secret_of(const OpenedVolume& volume, const KeySource& key,
                       const std::atomic<bool>* cancel) noexcept;

// The request in this format's own terms; points into `request`, whose options have been checked.
UnlockRequest unlock_request(const OpenRequest& request);

// What is told about a volume.
std::vector<Fact> volume_facts(const VeracryptVolume& volume);
std::vector<std::string> volume_notices(const VeracryptVolume& volume, const OpenRequest& request);

// How the headers were found, as facts; null: they were not looked at.
std::vector<Fact> header_facts(const std::vector<PlaceState>* places);

const VolumeMaker& veracrypt_maker() noexcept;
const VolumeCare& veracrypt_care() noexcept;

// Whether a volume, or a new one, can be as named. A failure's `what` is the option.
Outcome<void> check_options(const VolumeOptions& options);

}  // namespace volt
