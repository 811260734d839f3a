// The search for what opens a header: derivations side by side, the preferred hit wins.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <list>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "blockdev/formats/veracrypt/unlock_plan.h"
#include "blockdev/formats/veracrypt/volume_geometry.h"
#include "blockdev/formats/veracrypt/volume_unlock.h"
#include "crypto/base/secure_buffer.h"

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
  // at a time, fewer where the system refuses. A header that fits keeps running only what could
  // win over it (see wins_over()). True where the search is over: nothing in any later run could
  // win, or an error ends it (see result()).
  bool run(const std::vector<UnlockTask>& tasks, ByteSpan mixed_password, unsigned threads,
           unsigned memory_tasks);

  // Where a header fitted, but is of no use: derives what else the same password may open under the
  // same PRF. To be called after the runs of each plan, while it is there.
  void make_up_for_a_problem(const UnlockPlan& plan, ByteSpan mixed_password);

  // The hit, or why there is none. Completes the report. Once.
  Result<UnlockedVolume> result();

 private:
  // A header that opened with the password, usable or not.
  struct Fit {
    UnlockRank rank;
    Result<UnlockedVolume> volume;
  };
  struct Running {
    Running(const UnlockTask* chosen, std::chrono::steady_clock::time_point now) noexcept
        : task(chosen), since(now) {}
    const UnlockTask* task;
    std::chrono::steady_clock::time_point since;
    std::atomic<bool> cancel{false};
  };

  void work(ByteSpan mixed_password);
  Running* next_task();
  void run_task(Running& running, ByteSpan mixed_password);
  void try_parts(const UnlockTask& task);
  std::optional<Fit> try_header_of(UnlockKeys& keys, std::size_t header, ByteSpan key,
                                   std::size_t tried_bytes);
  void keep_fit(Fit fit);
  bool could_win(const UnlockTask& task) const noexcept;
  void stop_all() noexcept;
  void derivation_failed(const UnlockTask& task, const Error& error);
  void announce();
  void finished(const UnlockTask& task);
  void wait_for_workers();
  std::size_t memory_tasks_running() const noexcept;

  const UnlockRequest& request_;
  GeometryFunction geometry_of_;
  UnlockReport* report_;
  const UnlockConditions& conditions_;

  std::mutex mutex_;  // guards what follows, and UnlockKeys::done of all keys
  std::condition_variable worker_done_;
  std::vector<const UnlockTask*> waiting_;
  std::list<Running> running_;
  std::size_t workers_ = 0;
  unsigned threads_ = 1;
  unsigned memory_tasks_ = 1;
  bool first_pick_ = true;
  double cost_done_ = 0;
  double cost_total_ = 0;
  std::set<const KdfSpec*> tried_;         // rows of one table: in its order
  std::optional<Fit> best_;                // of all that fit
  std::optional<UnlockedVolume> made_up_;  // where the best is of no use
  std::optional<Error> error_;             // ends the search
};

}  // namespace volt
