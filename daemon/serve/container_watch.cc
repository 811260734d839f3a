#include "daemon/serve/container_watch.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "daemon/serve/log.h"

namespace volt {
namespace {

constexpr auto interval = std::chrono::seconds(5);

void tell_change(const WatchedFile& file) {
  switch (file.standing.state) {
    case FileState::present:
      log_notice(file.path + ": is in its place again");
      break;
    case FileState::moved:
      log_notice(file.path + ": was renamed while open" +
                 (file.standing.now.empty() ? "" : " and is now " + file.standing.now));
      break;
    case FileState::deleted:
      log_error(file.path +
                ": was deleted or replaced while open: its contents go when the volume"
                " is closed (volt close --save-as keeps them)");
      break;
  }
}

}  // namespace

struct ContainerWatch::State {
  explicit State(std::vector<NamedFile> named) : files(std::move(named)) {
    for (const NamedFile& file : files) seen.push_back({file.path(), {}});
  }

  void run();

  const std::vector<NamedFile> files;
  std::mutex mutex;  // guards what follows; not held while files are looked at
  std::condition_variable changed;
  std::vector<WatchedFile> seen;
  std::uint64_t asked = 0;
  std::uint64_t answered = 0;
  bool ending = false;
};

void ContainerWatch::State::run() {
  std::unique_lock lock(mutex);
  for (;;) {
    changed.wait_for(lock, interval, [this] { return ending || asked != answered; });
    if (ending) return;
    const std::uint64_t answering = asked;
    lock.unlock();
    std::vector<FileStanding> standings;
    for (const NamedFile& file : files) standings.push_back(file.look());
    lock.lock();
    for (std::size_t i = 0; i < standings.size(); ++i) {
      const bool differs = seen[i].standing.state != standings[i].state;
      seen[i].standing = std::move(standings[i]);
      if (differs) tell_change(seen[i]);
    }
    answered = answering;
    changed.notify_all();
  }
}

ContainerWatch::ContainerWatch(std::shared_ptr<State> state) noexcept : state_(std::move(state)) {}

Result<std::unique_ptr<ContainerWatch>> ContainerWatch::start(std::vector<NamedFile> files) {
  auto state = std::make_shared<State>(std::move(files));
  try {
    std::thread([state] { state->run(); }).detach();
  } catch (const std::system_error& error) {
    return error_from_errno("cannot start a thread", error.code().value());
  }
  return std::unique_ptr<ContainerWatch>(new ContainerWatch(std::move(state)));
}

ContainerWatch::~ContainerWatch() {
  const std::lock_guard lock(state_->mutex);
  state_->ending = true;
  state_->changed.notify_all();
}

void ContainerWatch::look_soon() noexcept {
  const std::lock_guard lock(state_->mutex);
  ++state_->asked;
  state_->changed.notify_all();
}

std::vector<WatchedFile> ContainerWatch::look(std::chrono::milliseconds limit) const {
  std::unique_lock lock(state_->mutex);
  const std::uint64_t ticket = ++state_->asked;
  state_->changed.notify_all();
  state_->changed.wait_for(lock, limit, [&] { return state_->answered >= ticket; });
  return state_->seen;
}

FileState worst_state(const std::vector<WatchedFile>& files) noexcept {
  FileState worst = FileState::present;
  for (const WatchedFile& file : files) worst = std::max(worst, file.standing.state);
  return worst;
}

}  // namespace volt
