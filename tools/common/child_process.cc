#include "tools/common/child_process.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>

#include "blockdev/host/child.h"

namespace volt {

Result<int> run_program(const std::vector<std::string>& arguments, const std::vector<int>& passed) {
  ChildRequest request;
  request.argv = arguments;
  request.files = ChildFiles::inherited;
  request.passed = passed;
  request.owns_interrupts = true;
  const auto ran = run_child(request);
  if (!ran) return ran.error();
  return ran->end.shell_status();
}

std::string sibling_program(const std::string& name) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path folder = fs::read_symlink("/proc/self/exe", error).parent_path();
  for (const char* place : {".", "../tools", "../daemon"}) {
    const fs::path path = folder / place / name;
    if (fs::is_regular_file(path, error)) return path.lexically_normal().string();
  }
  return name;
}

Result<std::string> find_voltd() {
  const char* named = std::getenv("VOLT_VOLTD");
  if (named == nullptr || *named == '\0') return sibling_program("voltd");
  if (::access(named, X_OK) == 0) return std::string(named);
  return Error{ErrorCode::not_found, ENOENT, "cannot find the daemon voltd", 0};
}

}  // namespace volt
