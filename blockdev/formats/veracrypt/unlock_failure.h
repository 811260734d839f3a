// Why a volume did not open, in the words of every program.
#pragma once

#include <string>

#include "blockdev/formats/format.h"
#include "blockdev/formats/veracrypt/volume_unlock.h"
#include "blockdev/host/outcome.h"
#include "crypto/base/result.h"

namespace volt {

// What the refused header was to open. `container` null: it came from another file, so that what
// lies in the container tells nothing.
struct UnlockAttempt {
  std::string name;  // for messages
  const NamedContainer* container = nullptr;
  bool verbose = false;  // say all that was tried
};

// Names what the container looks like where it is recognised, for which it is read.
Failure explain_unlock_failure(const Error& error, const UnlockReport& report,
                               const UnlockRequest& request, const UnlockAttempt& attempt);

}  // namespace volt
