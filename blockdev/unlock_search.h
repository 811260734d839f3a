// The search for what opens a header: derivations side by side, the first hit ends it.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "blockdev/unlock_plan.h"
#include "blockdev/volume_geometry.h"
#include "blockdev/volume_unlock.h"
#include "crypto/secure_buffer.h"

namespace volt {

// Thread contract: run() starts threads of its own and joins them; all else from one thread.
class UnlockSearch {
 public:
  // `geometry_of` judges a header that opened: a bad_header keeps it from being a hit.
  using GeometryFunction =
      std::function<Result<VolumeGeometry>(const VolumeHeader&, HeaderPlace, CipherMode)>;

  UnlockSearch(const UnlockRequest& request, GeometryFunction geometry_of, UnlockReport* report,
               const UnlockConditions& conditions);

  // What the runs to come will take, for the progress; begins at 0 again.
  void expect(double cost_ns) noexcept;

  // Runs the tasks on at most `threads` threads: in their order, but for a task that would end last
  // if it were not begun before its turn. Of those that need much memory at most `memory_tasks` run
  // at a time, fewer where the system refuses. True where the search is over: with a hit, or with
  // an error that ends it (see result()).
  bool run(const std::vector<UnlockTask>& tasks, ByteSpan mixed_password, unsigned threads,
           unsigned memory_tasks);

  // The hit, or why there is none.
  Result<UnlockedVolume> result();

 private:
  void work(ByteSpan mixed_password);
  const UnlockTask* next_task();
  void run_task(const UnlockTask& task, ByteSpan mixed_password);
  void try_parts(const UnlockTask& task, ByteSpan mixed_password);
  bool try_header_of(UnlockKeys& keys, std::size_t header, std::size_t tried, std::size_t ready);
  void try_the_rest(UnlockKeys& keys, ByteSpan mixed_password);
  void keep_hit(const UnlockKeys& keys, HeaderPlace place, OpenedHeader opened,
                const VolumeGeometry& geometry);
  void keep_problem(HeaderPlace place, const Error& error);
  void derivation_failed(const UnlockTask& task, const Error& error);
  void announce();
  void finished(const UnlockTask& task);
  void wait_for_workers();

  struct Running {
    const UnlockTask* task;
    std::chrono::steady_clock::time_point since;
  };
  std::size_t memory_tasks_running() const noexcept;

  const UnlockRequest& request_;
  GeometryFunction geometry_of_;
  UnlockReport* report_;
  const UnlockConditions& conditions_;

  std::atomic<bool> stop_{false};

  std::mutex mutex_;  // guards what follows, and UnlockKeys::done of all keys
  std::condition_variable worker_done_;
  std::vector<const UnlockTask*> waiting_;
  std::vector<Running> running_;
  std::size_t workers_ = 0;
  unsigned threads_ = 1;
  unsigned memory_tasks_ = 1;
  bool first_pick_ = true;
  double cost_done_ = 0;
  double cost_total_ = 0;
  std::optional<UnlockedVolume> hit_;
  std::optional<Error> error_;
};

}  // namespace volt
