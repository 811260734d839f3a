// The command line of voltd as a struct.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "blockdev/credentials.h"
#include "blockdev/device_stack.h"
#include "daemon/serving.h"

namespace volt {

struct Options {
  std::string container;
  std::string mount_point;
  CredentialOptions credentials;
  CredentialOptions hidden_credentials;  // with protect_hidden
  std::string on_violation = "refuse";   // or "read-only"
  std::string called_as = "voltd";       // name in messages
  std::string kernel;                    // forced cipher kernel, for tests
  std::string direct_name = "auto";
  std::string io_name = "auto";
  DirectIo direct = DirectIo::automatic;
  unsigned threads = 0;  // requests at once; 0: as WorkerPool finds best
  IoEngine io_engine = IoEngine::automatic;
  bool foreground = false;
  bool plain = false;
  bool read_only = false;
  bool protect_hidden = false;
  bool discard = false;
  bool hold_writes = false;  // until SIGUSR2; see ServedVolume::writes_held
  bool cache = false;
  bool allow_other = false;
  mode_t umask = 077;  // of whoever starts it: what allow_other leaves out
  bool no_hw_aes = false;
  bool require_locked_memory = false;  // for keys; see crypto/memory_lock.h
  bool testing = false;  // the container may be a simulated disk
};

inline constexpr unsigned max_threads = 256;

// Empty where the program should end now with `*exit_status`: help was shown, or the command line
// is wrong and was reported.
std::optional<Options> parse_options(int argc, char** argv, int* exit_status);

}  // namespace volt
