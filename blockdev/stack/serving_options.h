// How a volume is to be opened and served: one table of options for every program that opens one.
#pragma once

#include <string>
#include <vector>

#include "blockdev/host/command_line.h"
#include "blockdev/stack/credentials.h"

namespace volt {

struct ServingOptions {
  std::string container;
  std::string mount_point;
  CredentialOptions credentials;
  CredentialOptions hidden_credentials;  // with protect_hidden
  std::string on_violation = "refuse";   // or "read-only"
  std::string direct = "auto";           // O_DIRECT on the container: "auto", "on", "off"
  std::string io = "auto";               // transfers: "auto", "threads", "io_uring"
  std::string kernel;                    // forced cipher kernel, for tests
  unsigned threads = 0;                  // requests at once; 0: as is best
  bool plain = false;
  bool read_only = false;
  bool protect_hidden = false;
  bool discard = false;
  bool cache = false;
  bool allow_other = false;
  bool keep_mtime = false;  // of the container: as it was, when it is closed
  bool no_hw_aes = false;
  bool require_locked_memory = false;  // for keys; see crypto/base/memory_lock.h
  bool testing = false;                // the container may be a simulated disk
};

// Adds all of them to `command`, container and folder first; `options` outlives the parsing.
void add_serving_options(Command& command, ServingOptions* options);

// --testing alone, for commands that take a container and do not serve it.
void add_testing_option(Command& command, bool* testing);

// What differs from the defaults, as arguments for a program that has the same table:
// {"--read-only", "--pim=485", "--", "c.hc", "here"}.
std::vector<std::string> serving_arguments(ServingOptions options);

}  // namespace volt
