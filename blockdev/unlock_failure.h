// Why a volume did not open, in the words of every program.
#pragma once

#include <string>
#include <vector>

#include "blockdev/block_device.h"
#include "blockdev/exit_status.h"
#include "blockdev/volume_unlock.h"
#include "crypto/result.h"

namespace volt {

struct UnlockFailure {
  ExitStatus status = exit_no_permission;
  std::string why;
  std::vector<std::string> hints;  // lines of their own, each beginning with what it is: "hint: "
};

// What the refused header was to open. `container` null: it came from another file, so that what
// lies in the container tells nothing.
struct UnlockAttempt {
  const std::string& name;  // as given, see open_container
  BlockDevice* container = nullptr;
  bool verbose = false;  // say all that was tried
};

// Names what the container looks like where it is recognised, for which it is read. Never holds a
// secret.
UnlockFailure explain_unlock_failure(const Error& error, const UnlockReport& report,
                                     const UnlockRequest& request, const UnlockAttempt& attempt);

}  // namespace volt
