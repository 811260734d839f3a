// status.json: what is open and what has passed.
#pragma once

#include <string>

#include "daemon/serve/served_volume.h"

namespace volt {

// A JSON object, schema "voltd/1", fields as in docs/reference/voltd.md. Empty where memory
// has run out. Thread-safe.
std::string status_text(const ServedVolume& volume) noexcept;

}  // namespace volt
