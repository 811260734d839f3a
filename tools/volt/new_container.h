// The files of a container that is being made: one, or the members of a stripe.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "crypto/base/result.h"
#include "tools/common/new_file.h"

namespace volt {

// What a name for `volt create` comes to.
struct NewContainerName {
  std::vector<std::string> paths;
  std::uint64_t chunk_bytes = 1;  // members are multiples of this; 1: a single file
  bool devices = false;           // block devices that exist, rather than new files
};

// Errors: invalid_argument (the name is wrong, is a model or a fault, names a path twice), io
// (exists), wrong_file (only some are devices); `*which` is the path where one is to blame.
Result<NewContainerName> plan_new_container(const std::string& name, std::string* which);

// The free bytes that the fullest file system leaves, as a share of what `bytes` in members of
// equal size need there: the largest container that fits. Errors: as free_bytes_beside().
Result<std::uint64_t> free_bytes_for(const NewContainerName& name);

// Appear under their names together, when they are finished (NewFile).
class NewContainer {
 public:
  // `bytes` is a multiple of the number of paths. Errors: as NewFile::create() and resize().
  static Result<NewContainer> create(const NewContainerName& name, std::uint64_t bytes,
                                     bool allocate);

  std::vector<int> descriptors() const;
  // All or none. Errors: as NewFile::publish().
  Status publish();

 private:
  std::vector<NewFile> files_;
};

// "/proc/self/fd/7" for each: paths that open these very files in this process, or in a child that
// inherits them.
std::vector<std::string> descriptor_paths(const std::vector<int>& descriptors);

}  // namespace volt
