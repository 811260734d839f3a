#include "tools/common/child_process.h"

#include <pwd.h>
#include <unistd.h>

#include <array>
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

Result<int> run_as_user(uid_t user, const std::vector<std::string>& arguments) {
  std::array<char, 4096> room{};
  struct passwd entry {};
  struct passwd* found = nullptr;
  ::getpwuid_r(user, &entry, room.data(), room.size(), &found);
  const gid_t group = found == nullptr ? static_cast<gid_t>(user) : entry.pw_gid;
  const auto end = run_child_as(user, group, arguments);
  if (!end) return end.error();
  return end->shell_status();
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
