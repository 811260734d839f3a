#include "tools/volume_access.h"

#include <unistd.h>

#include <array>
#include <cstdio>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "blockdev/error_text.h"
#include "tools/interrupt.h"
#include "tools/report.h"

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
    *exit_status =
        report_failure(file, error_text(container.error()), exit_status_of(container.error().code));
    return std::nullopt;
  }
  std::vector<std::string> notices;
  auto credentials = Credentials::gather(credential_options, prompt, false, &why, &notices);
  for (const std::string& notice : notices) report_notice(notice);
  if (!credentials.ok()) {
    *exit_status = report_failure(file, why, exit_status_of(credentials.error().code));
    return std::nullopt;
  }
  UnlockRequest request = credentials->request();
  request.cancel = &catch_interrupts();
  UnlockReport report;
  ProgressLine line;
  show_progress(&request, &line);
  auto volume = unlock_volume(*container->device, request, &report);
  line.clear();
  if (!volume.ok()) {
    *exit_status = report_failure(file, unlock_error_text(volume.error(), report),
                                  exit_status_of(volume.error().code));
    return std::nullopt;
  }
  if (place_is_backup(volume->place) && !credential_options.backup_header &&
      credential_options.header.empty()) {
    report_notice(
        fmt::format("{}: the header at its usual place is damaged; opened with the {} one", file,
                    place_name(volume->place)));
  }
  return AccessedVolume{*std::move(container), *std::move(credentials), *std::move(volume)};
}

VolumeSecret secret_of(const AccessedVolume& opened) {
  return {opened.credentials.password(), opened.credentials.keyfiles(), opened.volume.kdf,
          opened.volume.pim, &catch_interrupts()};
}

std::optional<std::string> refuse_unless_confirmed(const std::string& question) {
  if (isatty(STDIN_FILENO) != 1) {
    return question + " There is no terminal to ask on; add --yes if that is meant";
  }
  fmt::print(stderr, "{} [yes/no] ", question);
  std::array<char, 16> answer{};
  if (std::fgets(answer.data(), static_cast<int>(answer.size()), stdin) == nullptr) {
    return "not confirmed";
  }
  const std::string_view text(answer.data());
  if (text == "yes\n" || text == "y\n" || text == "YES\n") return std::nullopt;
  return "not confirmed";
}

}  // namespace volt
