// The conversation of opening a volume, the same in every program: asks for what is missing, tries
// it with progress on the terminal, and says why nothing opened.
#pragma once

#include <atomic>
#include <functional>
#include <string>

#include "blockdev/formats/format.h"
#include "blockdev/host/outcome.h"
#include "blockdev/stack/credentials.h"
#include "blockdev/stack/device_stack.h"

namespace volt {

// Who talks to the person, and how the person ends it.
struct Conversation {
  std::function<void(const std::string&)> notice;  // one line, printed by the program
  const std::atomic<bool>* cancel = nullptr;       // may be null
};

// A volume and what opened it.
struct UnlockedContainer {
  Credentials credentials;
  OpenedVolumePtr volume;
};

// What narrows the search beside the options.
struct Unlocking {
  NamedContainer container;
  const CredentialOptions& options;  // checked by check_credential_options()
  std::string prompt;
  bool only_outer = false;  // never a hidden volume
  KernelChoice kernels = default_kernel_choice();
};

// What is left of a container cut short opens only where the container is read-only. What a person
// should know on opening has been told.
Outcome<UnlockedContainer> unlock_by_asking(const Unlocking& unlocking,
                                            const Conversation& conversation);

// The first half alone: the secrets, with what is odd about them told. `what` of a failure is
// `about`.
Outcome<Credentials> ask_for_credentials(const CredentialOptions& options, const std::string& about,
                                         const std::string& prompt, bool confirm,
                                         const Conversation& conversation);

// The second half alone: calls `open` with the request, with progress on the terminal.
Outcome<OpenedVolumePtr> with_progress(
    OpenRequest request, const Conversation& conversation,
    const std::function<Outcome<OpenedVolumePtr>(const OpenRequest&)>& open);

}  // namespace volt
