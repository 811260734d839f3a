// Whether the container's files are still where they were opened.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "blockdev/named_file.h"
#include "crypto/result.h"

namespace volt {

struct WatchedFile {
  std::string path;
  FileStanding standing;
};

// Looks every few seconds, and when asked, in a thread of its own: file systems that do not answer
// keep only that thread. Tells the log of every change.
// Thread contract: any thread.
class ContainerWatch {
 public:
  // Errors: no_memory (no thread). Signals should be blocked by now.
  static Result<std::unique_ptr<ContainerWatch>> start(std::vector<NamedFile> files);
  ~ContainerWatch();
  ContainerWatch(const ContainerWatch&) = delete;
  ContainerWatch& operator=(const ContainerWatch&) = delete;

  // Looks soon. Does not wait.
  void look_soon() noexcept;
  // As it is now; as it was when last seen where the answer takes longer than `limit`.
  std::vector<WatchedFile> look(std::chrono::milliseconds limit) const;

 private:
  struct State;
  explicit ContainerWatch(std::shared_ptr<State> state) noexcept;

  std::shared_ptr<State> state_;  // shared with the thread, which may outlive this object
};

// The worst of all files.
FileState worst_state(const std::vector<WatchedFile>& files) noexcept;

}  // namespace volt
