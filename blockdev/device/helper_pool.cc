#include "blockdev/device/helper_pool.h"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <csignal>
#include <system_error>

#include <pthread.h>

namespace volt {

namespace {

// Long enough for the last part of another thread, short beside a sleep and a wake-up.
constexpr int spins_before_sleep = 2000;

void relax() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#endif
}

// Helpers take no signals: those are for the program's own threads.
class SignalsBlocked {
 public:
  SignalsBlocked() noexcept {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_{};
};

}  // namespace

Result<std::unique_ptr<HelperPool>> HelperPool::create(unsigned helpers, unsigned max_running) {
  if (helpers > max_helpers) {
    return Error{ErrorCode::invalid_argument, 0, "number of helper threads", helpers};
  }
  std::unique_ptr<HelperPool> pool(new HelperPool(max_running));
  if (!pool->start(helpers)) return Error{ErrorCode::no_memory, EAGAIN, "helper threads", helpers};
  return pool;
}

bool HelperPool::start(unsigned helpers) {
  const SignalsBlocked blocked;
  for (unsigned i = 0; i < helpers; ++i) helpers_.push_back(std::make_unique<Helper>());
  for (unsigned i = 0; i < helpers; ++i) {
    try {
      helpers_[i]->thread = std::thread([this, i] { help(i); });
    } catch (const std::system_error&) {
      return false;
    }
    pthread_setname_np(helpers_[i]->thread.native_handle(), "volt-helper");
    idle_.fetch_or(std::uint32_t{1} << i);
  }
  return true;
}

HelperPool::~HelperPool() {
  stopping_.store(true);
  for (const auto& helper : helpers_) {
    helper->rings.fetch_add(1);
    helper->rings.notify_one();
    if (helper->thread.joinable()) helper->thread.join();
  }
}

void HelperPool::help(unsigned index) noexcept {
  Helper& self = *helpers_[index];
  while (!stopping_.load()) {
    const std::uint32_t rings = self.rings.load();
    Job* const job = self.invitation.exchange(nullptr);
    if (job == nullptr) {
      self.rings.wait(rings);
      continue;
    }
    const std::uint32_t ring = self.invitation_ring;
    work_on(job);
    // The job's owner may return from here on.
    running_.fetch_sub(1);
    self.finished.store(ring);
    self.finished.notify_all();
    idle_.fetch_or(std::uint32_t{1} << index);
  }
}

void HelperPool::work_on(Job* job) noexcept {
  for (;;) {
    const std::size_t part = job->next.fetch_add(1, std::memory_order_relaxed);
    if (part >= job->parts) return;
    job->call(job->context, part);
  }
}

void HelperPool::run_job(Job* job) noexcept {
  const std::uint32_t already_running = running_.fetch_add(1) + 1;
  std::size_t wanted = job->parts > 0 ? job->parts - 1 : 0;
  if (max_running_ != 0) {
    wanted = std::min<std::size_t>(wanted, max_running_ - std::min(max_running_, already_running));
  }
  Invited invited;
  invite(job, wanted, &invited);
  work_on(job);
  running_.fetch_sub(1);
  withdraw_or_wait(job, invited);
}

void HelperPool::invite(Job* job, std::size_t wanted, Invited* invited) noexcept {
  std::uint32_t idle = wanted == 0 ? 0 : idle_.load();
  while (wanted > 0 && idle != 0) {
    const std::uint32_t bit = idle & (~idle + 1);
    if (!idle_.compare_exchange_strong(idle, idle & ~bit)) continue;
    idle &= ~bit;
    --wanted;
    running_.fetch_add(1);
    const auto index = static_cast<unsigned>(std::countr_zero(bit));
    Helper& helper = *helpers_[index];
    // The helper is nobody else's until its bit is set again, so nobody else rings.
    const std::uint32_t ring = helper.rings.load() + 1;
    helper.invitation_ring = ring;
    helper.invitation.store(job);
    helper.rings.store(ring);
    helper.rings.notify_one();
    invited->bits |= bit;
    invited->rings[index] = ring;
  }
}

void HelperPool::withdraw_or_wait(Job* job, const Invited& invited) noexcept {
  std::uint32_t came = 0;
  for (std::uint32_t left = invited.bits; left != 0; left &= left - 1) {
    const std::uint32_t bit = left & (~left + 1);
    Job* expected = job;
    if (helpers_[static_cast<unsigned>(std::countr_zero(bit))]->invitation.compare_exchange_strong(
            expected, nullptr)) {
      running_.fetch_sub(1);
      idle_.fetch_or(bit);
    } else {
      came |= bit;
    }
  }
  for (; came != 0; came &= came - 1) {
    const auto index = static_cast<unsigned>(std::countr_zero(came));
    Helper& helper = *helpers_[index];
    const auto pending = [&](std::uint32_t finished) {
      return static_cast<std::int32_t>(finished - invited.rings[index]) < 0;
    };
    for (int i = 0; i < spins_before_sleep && pending(helper.finished.load()); ++i) relax();
    for (std::uint32_t finished = helper.finished.load(); pending(finished);
         finished = helper.finished.load()) {
      helper.finished.wait(finished);
    }
  }
}

}  // namespace volt
