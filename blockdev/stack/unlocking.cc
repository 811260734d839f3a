#include "blockdev/stack/unlocking.h"

#include <utility>
#include <vector>

#include "blockdev/formats/formats.h"
#include "blockdev/host/unlock_progress.h"

namespace volt {
namespace {

// A failure before anything is asked, where no password can open it.
Outcome<void> check_key_kind(const Unlocking& unlocking) {
  const CredentialOptions& options = unlocking.options;
  const Format* format = options.format.empty() ? recognise_format(unlocking.container.device)
                                                : find_format(options.format);
  if (format == nullptr || !options.volume_key_file.empty()) return {};
  const KeyKinds kinds = format->key_kinds();
  if (kinds.password || kinds.keyfiles) return {};
  return Failure{exit_wrong_parameters,
                 unlocking.container.name,
                 std::string(format->names().front()) +
                     " volumes open with their volume key alone (--volume-key-file)",
                 {}};
}

}  // namespace

Outcome<Credentials> ask_for_credentials(const CredentialOptions& options, const std::string& about,
                                         const std::string& prompt, bool confirm,
                                         const Conversation& conversation) {
  std::string why;
  std::vector<std::string> notices;
  auto credentials = Credentials::gather(options, prompt.c_str(), confirm, &why, &notices);
  for (const std::string& notice : notices) conversation.notice(notice);
  if (!credentials) {
    return Failure{exit_status_of(credentials.error().code), about, std::move(why), {}};
  }
  return *std::move(credentials);
}

Outcome<OpenedVolumePtr> with_progress(
    OpenRequest request, const Conversation& conversation,
    const std::function<Outcome<OpenedVolumePtr>(const OpenRequest&)>& open) {
  UnlockProgress progress;
  request.cancel = conversation.cancel;
  request.progress = [&progress](const std::string& what, double fraction) {
    progress.show(what, fraction);
  };
  auto opened = open(request);
  progress.clear();
  return opened;
}

Outcome<UnlockedContainer> unlock_by_asking(const Unlocking& unlocking,
                                            const Conversation& conversation) {
  const NamedContainer& container = unlocking.container;
  if (auto possible = check_key_kind(unlocking); !possible) return possible.failure();
  auto credentials = ask_for_credentials(unlocking.options, container.name, unlocking.prompt,
                                         /*confirm=*/false, conversation);
  if (!credentials) return credentials.failure();
  OpenRequest request = credentials->request();
  request.only_outer = unlocking.only_outer;
  request.cut_allowed = container.device.geometry().read_only;
  request.kernels = unlocking.kernels;
  auto opened = with_progress(std::move(request), conversation, [&](const OpenRequest& complete) {
    return unlock_container(container, complete);
  });
  if (!opened) return opened.failure();
  for (const std::string& notice : (*opened)->notices) {
    conversation.notice(container.name + ": " + notice);
  }
  return UnlockedContainer{*std::move(credentials), *std::move(opened)};
}

}  // namespace volt
