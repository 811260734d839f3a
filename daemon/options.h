// The command line of voltd as a struct.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "blockdev/file_device.h"
#include "blockdev/serving_options.h"
#include "daemon/serving.h"

namespace volt {

struct Options : ServingOptions {
  std::string called_as = "voltd";  // name in messages
  bool foreground = false;
  bool hold_writes = false;  // until SIGUSR2; see ServedVolume::writes_held
  mode_t umask = 077;        // of whoever starts it: what allow_other leaves out

  DirectIo direct_io() const noexcept;
  IoEngine io_engine() const noexcept;
};

// Empty where the program should end now with `*exit_status`: help was shown, or the command line
// is wrong and was reported.
std::optional<Options> parse_options(int argc, char** argv, int* exit_status);

}  // namespace volt
