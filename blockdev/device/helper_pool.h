// Threads that help with one long request and otherwise sleep.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "crypto/base/result.h"

namespace volt {

// A request is cut into parts; the thread that has it works on them one after the other, and
// helpers that are idle take some off its hands. Nobody waits for a helper to wake up: one that
// comes too late finds its invitation withdrawn. Nothing is allocated and no lock is taken.
// Thread contract: run() from any threads at once; the pool outlives them.
class HelperPool {
 public:
  static constexpr unsigned max_helpers = 32;

  // `max_running`: no helper is called while that many threads (helpers and the callers of run())
  // work already, which are the cores for work that computes. 0: no such limit.
  // Errors: invalid_argument (too many), no_memory (threads cannot be made).
  static Result<std::unique_ptr<HelperPool>> create(unsigned helpers, unsigned max_running);
  ~HelperPool();
  HelperPool(const HelperPool&) = delete;
  HelperPool& operator=(const HelperPool&) = delete;

  // Calls work(part) once for each part below `parts`, from this thread and perhaps from others;
  // returns when all are done. `work` must not throw and not call run() of the same pool.
  template <class Work>
  void run(std::size_t parts, const Work& work) noexcept {
    Job job;
    job.parts = parts;
    job.context = &work;
    job.call = [](const void* context, std::size_t part) {
      (*static_cast<const Work*>(context))(part);
    };
    run_job(&job);
  }
  unsigned helpers() const noexcept { return static_cast<unsigned>(helpers_.size()); }

 private:
  struct Job {
    std::size_t parts = 0;
    const void* context = nullptr;
    void (*call)(const void* context, std::size_t part) = nullptr;
    std::atomic<std::size_t> next{0};
  };
  struct alignas(64) Helper {
    std::atomic<Job*> invitation{nullptr};
    std::atomic<std::uint32_t> rings{0};     // grows with each invitation
    std::uint32_t invitation_ring = 0;       // of the invitation; written before it
    std::atomic<std::uint32_t> finished{0};  // ring of the last job that was done
    std::thread thread;
  };

  explicit HelperPool(unsigned max_running) noexcept : max_running_(max_running) {}
  bool start(unsigned helpers);
  void help(unsigned index) noexcept;
  void run_job(Job* job) noexcept;
  struct Invited {
    std::uint32_t bits = 0;  // bit i: helper i
    std::array<std::uint32_t, max_helpers> rings;
  };
  void invite(Job* job, std::size_t wanted, Invited* invited) noexcept;
  void withdraw_or_wait(Job* job, const Invited& invited) noexcept;
  static void work_on(Job* job) noexcept;

  unsigned max_running_;
  std::vector<std::unique_ptr<Helper>> helpers_;
  std::atomic<bool> stopping_{false};
  alignas(64) std::atomic<std::uint32_t> idle_{0};  // bit i: helper i has nothing to do
  std::atomic<std::uint32_t> running_{0};
};

}  // namespace volt
