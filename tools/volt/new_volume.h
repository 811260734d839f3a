// What a new volume is made of, from the options that name it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "blockdev/device/block_device.h"
#include "blockdev/formats/veracrypt/volume_unlock.h"
#include "blockdev/stack/credentials.h"
#include "crypto/kdf/kdf_spec.h"
#include "crypto/modes/cascade_spec.h"

namespace volt {

struct Algorithms {
  const CascadeSpec* cascade = nullptr;
  const KdfSpec* kdf = nullptr;  // names the format as well
};

// Cipher and PRF by name; nothing named means AES, SHA-512 and VeraCrypt's format. Returns a
// sentence where a new volume cannot have them. `options` has passed check_credential_options().
std::optional<std::string> choose_algorithms(const CredentialOptions& options,
                                             Algorithms* algorithms);

// The hidden volume of `volt create`.
struct HiddenRequest {
  std::string size_text;
  CredentialOptions credentials;  // of the hidden volume; its format is the outer one's
  bool yes = false;               // also where the outer volume's free tail is unknown
};

// Makes a hidden volume at the end of `outer`, whose container this is. With `check_tail` the outer
// volume's file system must leave that much free at its end.
// On failure the reason is reported and `*exit_status` set.
std::optional<UnlockedVolume> make_hidden_volume(const std::string& file, BlockDevice& container,
                                                 const UnlockedVolume& outer, bool check_tail,
                                                 const HiddenRequest& request, int* exit_status);

}  // namespace volt
