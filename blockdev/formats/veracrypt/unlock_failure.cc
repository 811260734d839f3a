#include "blockdev/formats/veracrypt/unlock_failure.h"

#include <utility>

#include "blockdev/formats/content_guess.h"
#include "blockdev/formats/veracrypt/container_fit.h"

namespace volt {
namespace {

std::string joined(const std::vector<std::string>& items) {
  std::string out;
  for (const std::string& item : items) {
    if (!out.empty()) out += ", ";
    out += item;
  }
  return out;
}

// What the user may have left out, or named wrongly.
void add_hints(const UnlockReport& report, const UnlockRequest& request, bool verbose,
               std::vector<std::string>* hints) {
  const bool pim_missing =
      request.pim == 0 && request.format != VolumeFormat::truecrypt;  // TrueCrypt has none
  const bool keyfiles_missing = request.keyfiles == nullptr;
  std::string missing = pim_missing ? "a PIM (--pim)" : "";
  if (keyfiles_missing)
    missing += (missing.empty() ? "" : " or ") + std::string("key files (--keyfile)");
  if (!missing.empty())
    hints->push_back("hint: a volume made with " + missing + " needs them here too");
  if (request.prf || request.cascade != nullptr || request.format) {
    hints->emplace_back("hint: only what --prf, --format and --cipher name was tried");
  } else {
    hints->emplace_back("hint: with the PRF named (--prf sha512), trying takes a second or less");
  }
  if (!report.skipped.empty() && !verbose) {
    hints->emplace_back("hint: not all was tried (--verbose tells what was left out)");
  }
}

void add_details(const UnlockReport& report, std::vector<std::string>* hints) {
  if (!report.tried.empty()) hints->push_back("tried: " + joined(report.tried));
  if (!report.skipped.empty()) hints->push_back("not tried: " + joined(report.skipped));
}

// A header that the password opens, in a container that it does not fit.
std::string misfit_text(const Error& error, const UnlockReport& report,
                        const UnlockRequest& request) {
  if (report.expected_container_bytes != 0) {
    return "cut short: " +
           size_mismatch_text(report.expected_container_bytes, report.container_bytes,
                              request.hidden) +
           "; what is left can be opened with --read-only, or saved with volt dump";
  }
  if (!report.header_problem.empty()) return report.header_problem;
  return error_text(error) + " is " + std::to_string(error.detail);
}

Failure explain_refusal(const UnlockReport& report, const UnlockRequest& request,
                        const UnlockAttempt& attempt) {
  Failure failure{exit_no_permission, attempt.name, {}, {}};
  failure.why = "wrong password, PIM or key file, or not a container";
  const bool look = attempt.container != nullptr && request.headers == nullptr && !request.system;
  const auto guess =
      look ? guess_content(attempt.container->path, attempt.container->device) : std::nullopt;
  if (guess) {
    failure.why += "; " + guess->what;
    if (guess->certain) failure.status = exit_wrong_device;
    if (guess->whole_disk) {
      failure.hints.emplace_back("hint: if the system on the disk is encrypted, add --system");
    }
  } else if (!report.header_problem.empty()) {
    failure.why += "; " + report.header_problem;
  }
  if (!guess || !guess->certain) {
    add_hints(report, request, attempt.verbose, &failure.hints);
  }
  return failure;
}

}  // namespace

Failure explain_unlock_failure(const Error& error, const UnlockReport& report,
                               const UnlockRequest& request, const UnlockAttempt& attempt) {
  Failure failure{exit_no_permission, attempt.name, {}, {}};
  if (error.code == ErrorCode::bad_password_or_header) {
    failure = explain_refusal(report, request, attempt);
  } else {
    failure.status = exit_status_of(error.code);
    failure.why = error.code == ErrorCode::bad_header ? misfit_text(error, report, request)
                                                      : error_text(error);
    const bool too_short = error.code == ErrorCode::wrong_file && attempt.container != nullptr;
    if (const auto guess = too_short && request.headers == nullptr
                               ? guess_content(attempt.container->path, attempt.container->device)
                               : std::nullopt) {
      failure.why += "; " + guess->what;
    }
  }
  if (attempt.verbose) add_details(report, &failure.hints);
  return failure;
}

}  // namespace volt
