#include "blockdev/program_end.h"

#include <cerrno>
#include <cstdio>
#include <exception>
#include <new>
#include <system_error>

#include "blockdev/exit_status.h"

namespace volt {
namespace {

using Report = std::function<void(const std::string& text)>;

// Where a printing call has thrown, the stream's own error is the better reason; it is told below.
bool is_of_output(const std::exception& error) noexcept {
  return std::ferror(stdout) != 0 && dynamic_cast<const std::system_error*>(&error) != nullptr;
}

int run_guarded(const std::function<int()>& program, const Report& report) {
  try {
    return program();
  } catch (const std::bad_alloc&) {
    report("out of memory");
    return exit_out_of_memory;
  } catch (const std::exception& error) {
    if (!is_of_output(error)) report(std::string("internal error: ") + error.what());
  } catch (...) {
    report("internal error: an exception of an unknown kind");
  }
  return exit_wrong_device;
}

// Empty where all that was printed has arrived.
std::string output_problem() {
  const bool failed_before = std::ferror(stdout) != 0;
  errno = 0;
  const bool fails_now = std::fflush(stdout) != 0;
  if (!failed_before && !fails_now) return "";
  std::string text = "standard output: cannot be written";
  if (fails_now && errno != 0) text += ": " + std::generic_category().message(errno);
  return text;
}

}  // namespace

int run_to_end(const std::function<int()>& program, const Report& report) {
  const int status = run_guarded(program, report);
  const std::string problem = output_problem();
  if (problem.empty()) return status;
  report(problem);
  return status == exit_done ? static_cast<int>(exit_wrong_device) : status;
}

}  // namespace volt
