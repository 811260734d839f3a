// The command line of voltd as a struct.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "blockdev/backing/file_device.h"
#include "blockdev/stack/serving_options.h"
#include "daemon/serve/serving.h"

namespace volt {

struct Options : ServingOptions {
  std::string called_as = "voltd";  // name in messages
  bool foreground = false;
  bool hold_writes = false;  // until SIGUSR2; see ServedVolume::writes_held
  int while_fd = -1;         // a pipe: the volume is closed when its other end is
  int ready_fd = -1;         // told "PID MOUNT-ID" when the volume can be reached
  mode_t umask = 077;        // of whoever starts it: what allow_other leaves out

  DirectIo direct_io() const noexcept;
  IoEngine io_engine() const noexcept;
};

// The descriptors that its caller hands over: passwords, and files named by their descriptor
// ("/proc/self/fd/7").
std::vector<int> inherited_descriptors(const Options& options);

// Empty where the program should end now with `*exit_status`: help was shown, or the command line
// is wrong and was reported.
std::optional<Options> parse_options(int argc, char** argv, int* exit_status);

}  // namespace volt
