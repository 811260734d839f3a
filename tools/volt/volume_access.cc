#include "tools/volt/volume_access.h"

#include <unistd.h>

#include <array>
#include <cstdio>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "blockdev/backing/named_file.h"
#include "blockdev/backing/storage_users.h"
#include "blockdev/formats/veracrypt/container_fit.h"
#include "blockdev/host/error_text.h"
#include "blockdev/host/tty_prompt.h"
#include "blockdev/stack/container_spec.h"
#include "tools/common/interrupt.h"
#include "tools/common/progress_line.h"
#include "tools/common/report.h"

namespace volt {

void show_progress(UnlockRequest* request, ProgressLine* line) {
  request->progress = [line](const std::string& what, double fraction) {
    line->show(fmt::format("{}: {:.0f} %", what, fraction * 100));
  };
}

std::optional<AccessedVolume> access_volume(const std::string& file,
                                            const ContainerOptions& container_options,
                                            const CredentialOptions& credential_options,
                                            const char* prompt, int* exit_status) {
  std::string why;
  if (!check_credential_options(credential_options, &why).ok()) {
    *exit_status = report_failure(file, why, exit_wrong_parameters);
    return std::nullopt;
  }
  auto container = open_container(file, container_options);
  if (!container.ok()) {
    *exit_status = report_failure(file, container_error_text(file, container.error()),
                                  exit_status_of(container.error().code));
    return std::nullopt;
  }
  const QuietTerminal quiet;
  catch_interrupts();
  std::vector<std::string> notices;
  auto credentials = Credentials::gather(credential_options, prompt, false, &why, &notices);
  for (const std::string& notice : notices) report_notice(notice);
  if (!credentials.ok()) {
    *exit_status = report_failure(file, why, exit_status_of(credentials.error().code));
    return std::nullopt;
  }
  UnlockRequest request = credentials->request();
  request.cancel = &catch_interrupts();
  request.cut_allowed = container->read_only;
  UnlockReport report;
  ProgressLine line;
  show_progress(&request, &line);
  auto volume = unlock_volume(*container->device, request, &report);
  line.clear();
  if (!volume.ok()) {
    *exit_status = report_unlock_failure(
        file, explain_unlock_failure(volume.error(), report, request,
                                     {file, container->device.get(), credential_options.verbose}));
    return std::nullopt;
  }
  if (place_is_backup(volume->place) && !credential_options.backup_header &&
      credential_options.header.empty()) {
    report_notice(
        fmt::format("{}: the header at its usual place is damaged; opened with the {} one", file,
                    place_name(volume->place)));
  }
  if (const auto notice = fit_notice(*volume, container->device->size()); !notice.empty()) {
    report_notice(file + ": " + notice);
  }
  return AccessedVolume{*std::move(container), *std::move(credentials), *std::move(volume)};
}

int report_unlock_failure(const std::string& file, const UnlockFailure& failure) {
  const int status = report_failure(file, failure.why, failure.status);
  for (const std::string& hint : failure.hints) report_notice(hint);
  return status;
}

VolumeSecret secret_of(const AccessedVolume& opened) {
  return {opened.credentials.password(), opened.credentials.keyfiles(), opened.volume.kdf,
          opened.volume.pim, &catch_interrupts()};
}

std::optional<std::string> not_a_file_name(const std::string& name) {
  if (!is_composed_name(name)) return std::nullopt;
  return "names a composed container, but a plain file is needed; a file of that name is ./" + name;
}

std::optional<std::string> container_lost(const Container& container) {
  for (const FileDevice* file : container.files) {
    if (NamedFile(file->path(), file->descriptor()).look().state != FileState::deleted) continue;
    return fmt::format("{} was deleted or replaced meanwhile: what was done is lost", file->path());
  }
  return std::nullopt;
}

std::optional<std::string> refuse_unless_confirmed(const std::string& question) {
  if (isatty(STDIN_FILENO) != 1) {
    return question + " There is no terminal to ask on; add --yes if that is meant";
  }
  QuietTerminal::show_typing();
  std::fputs((question + " [yes/no] ").c_str(), stderr);
  std::array<char, 16> answer{};
  if (std::fgets(answer.data(), static_cast<int>(answer.size()), stdin) == nullptr) {
    return "not confirmed";
  }
  const std::string_view text(answer.data());
  if (text == "yes\n" || text == "y\n" || text == "YES\n") return std::nullopt;
  return "not confirmed";
}

}  // namespace volt
