#include "tools/volt/new_container.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "blockdev/stack/container_spec.h"

namespace volt {
namespace {

namespace fs = std::filesystem;

// The same for all names of a file that may not exist yet.
fs::path resolved(const std::string& path) {
  std::error_code error;
  const fs::path absolute = fs::absolute(path, error);
  const fs::path found = fs::weakly_canonical(absolute, error);
  return error ? fs::path(path) : found;
}

bool named_twice(const std::vector<std::string>& paths) {
  std::vector<fs::path> names;
  for (const std::string& path : paths) names.push_back(resolved(path));
  std::sort(names.begin(), names.end());
  return std::adjacent_find(names.begin(), names.end()) != names.end();
}

}  // namespace

Result<NewContainerName> plan_new_container(const std::string& name, std::string* which) {
  const auto spec = parse_container_spec(name);
  if (!spec) return spec.error();
  NewContainerName plan;
  plan.paths = container_paths(name);
  if (const auto* stripe = std::get_if<StripeSpec>(&*spec)) {
    plan.chunk_bytes = stripe->chunk_bytes;
    if (plan.chunk_bytes == 0) {
      return Error{ErrorCode::invalid_argument, 0, "chunk of the stripe", 0};
    }
  } else if (!std::holds_alternative<PathSpec>(*spec)) {
    return Error{ErrorCode::invalid_argument, 0,
                 "a container is not made through a model or a fault: name what lies below it", 0};
  }
  if (named_twice(plan.paths)) {
    return Error{ErrorCode::invalid_argument, 0, "two members of the stripe are one file", 0};
  }
  std::size_t devices = 0;
  for (const std::string& path : plan.paths) {
    struct stat info {};
    if (::stat(path.c_str(), &info) == 0 && S_ISBLK(info.st_mode)) {
      ++devices;
    } else if (::lstat(path.c_str(), &info) == 0) {
      *which = path;
      return Error{ErrorCode::io, 0, "exists already; nothing that exists is overwritten", 0};
    }
  }
  plan.devices = devices != 0;
  if (plan.devices && devices != plan.paths.size()) {
    return Error{ErrorCode::wrong_file, 0, "only some members of the stripe are devices", 0};
  }
  return plan;
}

Result<std::uint64_t> free_bytes_for(const NewContainerName& name) {
  std::vector<dev_t> file_systems;
  for (const std::string& path : name.paths) {
    const fs::path folder = fs::path(path).parent_path();
    struct stat info {};
    if (::stat(folder.empty() ? "." : folder.c_str(), &info) != 0) {
      return error_from_errno("cannot read the free space", errno);
    }
    file_systems.push_back(info.st_dev);
  }
  std::uint64_t least = UINT64_MAX;
  for (std::size_t i = 0; i < name.paths.size(); ++i) {
    const auto free = free_bytes_beside(name.paths[i]);
    if (!free) return free.error();
    const auto sharing = static_cast<std::uint64_t>(
        std::count(file_systems.begin(), file_systems.end(), file_systems[i]));
    const std::uint64_t for_each = *free / sharing;
    least =
        std::min(least, for_each > UINT64_MAX / name.paths.size() ? UINT64_MAX
                                                                  : for_each * name.paths.size());
  }
  return least;
}

Result<NewContainer> NewContainer::create(const NewContainerName& name, std::uint64_t bytes,
                                          bool allocate) {
  NewContainer container;
  for (const std::string& path : name.paths) {
    auto file = NewFile::create(path);
    if (!file) return file.error();
    VOLT_TRY(file->resize(bytes / name.paths.size(), allocate));
    container.files_.push_back(*std::move(file));
  }
  return container;
}

std::vector<int> NewContainer::descriptors() const {
  std::vector<int> out;
  for (const NewFile& file : files_) out.push_back(file.fd());
  return out;
}

Status NewContainer::publish() {
  for (std::size_t i = 0; i < files_.size(); ++i) {
    const Status status = files_[i].publish();
    if (status.ok()) continue;
    for (std::size_t done = 0; done < i; ++done) files_[done].retract();
    return status;
  }
  return {};
}

std::vector<std::string> descriptor_paths(const std::vector<int>& descriptors) {
  std::vector<std::string> paths;
  for (const int fd : descriptors) paths.push_back("/proc/self/fd/" + std::to_string(fd));
  return paths;
}

}  // namespace volt
