// Every format that this build has, and opening a container of any of them.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "blockdev/formats/format.h"

namespace volt {

// One row each, the more popular first (formats.cc).
std::span<const Format* const> all_formats() noexcept;

// The row that has this name, compared as same_name() does; null where none has.
const Format* find_format(std::string_view name) noexcept;

// The row that the container itself says it belongs to; null where none does, or it cannot be read.
const Format* recognise_format(BlockDevice& container) noexcept;

// Whether a volume of any format, or of the one named, can be as `options` say. A failure's `what`
// is the option: "--pim".
Outcome<void> check_volume_options(const VolumeOptions& options);

// Opens a volume of the format named, or else of the one recognised, or else tries each that is
// possible. Failures as Format::unlock(); also where a key is not of a kind that the format has.
Outcome<OpenedVolumePtr> unlock_container(const NamedContainer& container,
                                          const OpenRequest& request);

}  // namespace volt
