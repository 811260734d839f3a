#include "blockdev/host/runtime_folder.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <vector>

namespace volt {
namespace {

Status make_private(const std::string& folder) {
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) {
    return error_from_errno("cannot make the runtime folder", errno);
  }
  struct stat info {};
  if (::lstat(folder.c_str(), &info) != 0) {
    return error_from_errno("cannot look at the runtime folder", errno);
  }
  if (!S_ISDIR(info.st_mode) || info.st_uid != ::geteuid() || (info.st_mode & 077) != 0) {
    return Error{ErrorCode::permission, 0, "the runtime folder is not this user's alone", 0};
  }
  return {};
}

}  // namespace

Result<std::string> runtime_folder() {
  std::vector<std::string> candidates;
  const char* session = std::getenv("XDG_RUNTIME_DIR");
  if (session != nullptr && *session == '/') candidates.push_back(std::string(session) + "/volt");
  if (::geteuid() == 0) candidates.emplace_back("/run/volt");
  candidates.push_back("/tmp/volt-" + std::to_string(::geteuid()));
  Error last{ErrorCode::io, 0, "no runtime folder", 0};
  for (const std::string& folder : candidates) {
    const Status made = make_private(folder);
    if (made) return folder;
    last = made.error();
  }
  return last;
}

}  // namespace volt
