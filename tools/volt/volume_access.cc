#include "tools/volt/volume_access.h"

#include <unistd.h>

#include <array>
#include <cstdio>
#include <string_view>
#include <utility>

#include <fmt/core.h>

#include "blockdev/backing/named_file.h"
#include "blockdev/host/error_text.h"
#include "blockdev/host/printable_text.h"
#include "blockdev/host/tty_prompt.h"
#include "blockdev/stack/container_spec.h"
#include "blockdev/stack/storage_users.h"
#include "tools/common/interrupt.h"
#include "tools/common/report.h"

namespace volt {

Conversation conversation() {
  return {report_notice, &catch_interrupts()};
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
  auto unlocked = unlock_by_asking({.container = named_container(*container->device, file),
                                    .options = credential_options,
                                    .prompt = prompt},
                                   conversation());
  if (!unlocked) {
    *exit_status = report_failure(unlocked.failure());
    return std::nullopt;
  }
  return AccessedVolume{*std::move(container), std::move(unlocked->credentials),
                        std::move(unlocked->volume)};
}

const VolumeCare* care_of(const AccessedVolume& opened, const std::string& file,
                          const char* command, int* exit_status) {
  const VolumeCare* care = opened.volume->format->care();
  if (care == nullptr) {
    *exit_status = report_failure(
        file, fmt::format("{} volumes have no {}", opened.volume->format_name, command),
        exit_wrong_device);
  }
  return care;
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
  std::fputs((printable(question) + " [yes/no] ").c_str(), stderr);
  std::array<char, 16> answer{};
  if (std::fgets(answer.data(), static_cast<int>(answer.size()), stdin) == nullptr) {
    return "not confirmed";
  }
  const std::string_view text(answer.data());
  if (text == "yes\n" || text == "y\n" || text == "YES\n") return std::nullopt;
  return "not confirmed";
}

}  // namespace volt
