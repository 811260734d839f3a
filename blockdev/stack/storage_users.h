// Who uses a storage: for refusals, so that the user knows what to close.
#pragma once

#include <string>

#include "crypto/base/result.h"

namespace volt {

// "open on /mnt/a, locked by voltd (1234), /dev/loop3 is mounted on /mnt/b": who uses the storage
// of the container of that name (also a composed one), as far as this user may see. Empty where
// nobody is seen.
std::string storage_users(const std::string& container);

// error_text(), and for a container that is in use by whom.
std::string container_error_text(const std::string& container, const Error& error);

}  // namespace volt
