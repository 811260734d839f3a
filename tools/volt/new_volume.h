// What a new volume is made of, from the options that name it.
#pragma once

#include <cstdint>
#include <string>

#include "blockdev/device/block_device.h"
#include "blockdev/formats/format.h"
#include "blockdev/stack/credentials.h"

namespace volt {

// The part of a format that makes volumes: of the format named, or of the first that has one.
// A failure's `what` is the option.
Outcome<const VolumeMaker*> choose_maker(const std::string& format_name);

// The hidden volume of `volt create`.
struct HiddenRequest {
  std::string size_text;
  CredentialOptions credentials;  // of the hidden volume; its format is the outer one's
  bool yes = false;               // also where the outer volume's free tail is unknown
};

// Makes a hidden volume at the end of `outer`, whose container this is. With `check_tail` the outer
// volume's file system must leave that much free at its end, for which `outer` gives its cipher
// away. A failure's `what` is `file`.
Outcome<OpenedVolumePtr> make_hidden_volume(const std::string& file, BlockDevice& container,
                                            OpenedVolume& outer, bool check_tail,
                                            const HiddenRequest& request);

}  // namespace volt
