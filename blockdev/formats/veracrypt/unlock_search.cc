#include "blockdev/formats/veracrypt/unlock_search.h"

#include <algorithm>
#include <chrono>
#include <system_error>
#include <thread>
#include <utility>

#include "crypto/kdf/kdf.h"

namespace volt {
namespace {

std::string kdf_name(const KdfSpec& kdf) {
  return std::string(format_name(kdf.format)) + " " + kdf.name;
}

void note_problem(HeaderPlace place, const Error& error, UnlockReport* report) {
  std::string& problem = report->header_problem;
  if (!problem.empty()) problem += "; ";
  problem += std::string("the ") + place_name(place) +
             " header fits the password, but is not usable: " + error.context + " " +
             std::to_string(error.detail);
}

bool cheaper(const UnlockTask* a, const UnlockTask* b) noexcept {
  return a->cost_ns < b->cost_ns;
}

}  // namespace

UnlockSearch::UnlockSearch(const UnlockRequest& request, GeometryFunction geometry_of,
                           UnlockReport* report, const UnlockConditions& conditions)
    : request_(request),
      geometry_of_(std::move(geometry_of)),
      report_(report),
      conditions_(conditions) {}

void UnlockSearch::expect(double cost_ns) noexcept {
  cost_total_ = cost_ns;
  cost_done_ = 0;
}

bool UnlockSearch::run(const std::vector<UnlockTask>& tasks, ByteSpan mixed_password,
                       unsigned threads, unsigned memory_tasks) {
  waiting_.clear();
  for (const UnlockTask& task : tasks) {
    if (could_win(task)) waiting_.push_back(&task);
  }
  threads_ = std::max(threads, 1U);
  memory_tasks_ = std::max(memory_tasks, 1U);
  first_pick_ = true;
  const std::size_t wanted = std::min<std::size_t>(threads_, waiting_.size());
  std::vector<std::thread> workers;
  workers.reserve(wanted);
  for (std::size_t i = 0; i < wanted; ++i) {
    const std::lock_guard lock(mutex_);
    try {
      workers.emplace_back([this, mixed_password] { work(mixed_password); });
      ++workers_;
    } catch (const std::system_error&) {
      break;  // as many as there may be
    }
  }
  if (workers.empty() && wanted > 0) work(mixed_password);
  wait_for_workers();
  for (std::thread& worker : workers) worker.join();
  return error_.has_value() || (best_ && !best_->rank.spare);
}

// The caller's cancel flag is an atomic that nobody signals, so it is looked at now and then.
void UnlockSearch::wait_for_workers() {
  constexpr std::chrono::milliseconds look_every{50};
  std::unique_lock lock(mutex_);
  while (workers_ > 0) {
    if (request_.cancel == nullptr && !request_.progress) {
      worker_done_.wait(lock);
      continue;
    }
    worker_done_.wait_for(lock, look_every);
    announce();
    if (request_.cancel == nullptr || !request_.cancel->load(std::memory_order_relaxed)) continue;
    error_ = Error{ErrorCode::cancelled, 0, "interrupted while trying", 0};
    stop_all();
  }
}

void UnlockSearch::work(ByteSpan mixed_password) {
  while (Running* running = next_task()) {
    const UnlockTask& task = *running->task;
    if (conditions_.task_begins) conditions_.task_begins(task);
    run_task(*running, mixed_password);
    if (conditions_.task_ended) conditions_.task_ended(task);
    const std::lock_guard lock(mutex_);
    running_.remove_if([&](const Running& other) { return &other == running; });
  }
  const std::lock_guard lock(mutex_);
  if (workers_ > 0) --workers_;
  worker_done_.notify_all();
}

// Whether any part could open something that wins over the best so far. Under the mutex.
bool UnlockSearch::could_win(const UnlockTask& task) const noexcept {
  if (error_) return false;
  if (!best_) return true;
  return std::any_of(task.parts.begin(), task.parts.end(), [&](const UnlockPart& part) {
    return wins_over(task.keys->rank(part.header, part.from + 1), best_->rank);
  });
}

void UnlockSearch::stop_all() noexcept {
  waiting_.clear();
  for (Running& running : running_) running.cancel = true;
}

// Null where there is nothing left, or only what waits for memory: whoever holds that goes on with
// it.
UnlockSearch::Running* UnlockSearch::next_task() {
  const std::lock_guard lock(mutex_);
  const bool memory_left = memory_tasks_running() < memory_tasks_;
  double left_ns = 0;
  std::vector<const UnlockTask*> ready;
  for (const UnlockTask* task : waiting_) {
    left_ns += task->cost_ns;
    if (memory_left || !task->needs_memory()) ready.push_back(task);
  }
  if (ready.empty()) return nullptr;
  const UnlockTask* chosen = ready.front();
  const UnlockTask* longest = *std::max_element(ready.begin(), ready.end(), cheaper);
  // The rest on the other threads would not take longer than this one alone. But the first task of
  // all is what most volumes need.
  if (!first_pick_ && longest->cost_ns * threads_ >= left_ns) chosen = longest;
  first_pick_ = false;
  waiting_.erase(std::find(waiting_.begin(), waiting_.end(), chosen));
  running_.emplace_back(chosen, std::chrono::steady_clock::now());
  announce();
  return &running_.back();
}

void UnlockSearch::run_task(Running& running, ByteSpan mixed_password) {
  const UnlockTask& task = *running.task;
  const Status derived = derive_keys(task.keys->parameters, mixed_password,
                                     jobs_of(*task.keys, task.parts), &running.cancel);
  if (!derived) return derivation_failed(task, derived.error());
  try_parts(task);
  finished(task);
}

// Each beginning of a key is tried once, by whoever completes it.
void UnlockSearch::try_parts(const UnlockTask& task) {
  UnlockKeys& keys = *task.keys;
  for (const UnlockPart& part : task.parts) {
    std::size_t before = 0;
    std::size_t ready = 0;
    {
      const std::lock_guard lock(mutex_);
      before = keys.ready_bytes(part.header);
      for (std::size_t piece = part.from; piece < part.to; ++piece) {
        keys.done[part.header] |= 1U << piece;
      }
      ready = keys.ready_bytes(part.header);
    }
    if (ready <= before) continue;
    auto fit = try_header_of(keys, part.header, keys.key(part.header).first(ready), before);
    if (fit) keep_fit(std::move(*fit));
  }
}

// Nothing where the password does not fit.
std::optional<UnlockSearch::Fit> UnlockSearch::try_header_of(UnlockKeys& keys, std::size_t header,
                                                             ByteSpan key,
                                                             std::size_t tried_bytes) {
  const PlacedHeader& candidate = *keys.headers[header];
  auto opened = try_header(keys.kdf->format, candidate.sealed, key, tried_bytes, request_.cascade);
  // Which pieces an absurd header took is not told: those that are there now.
  if (!opened) {
    if (opened.error().code == ErrorCode::bad_password_or_header) return std::nullopt;
    return Fit{keys.rank(header, key.size() / UnlockKeys::piece_bytes), opened.error()};
  }
  const std::size_t needed = header_key_bytes(opened->mode, *opened->cascade);
  const std::size_t pieces = (needed + UnlockKeys::piece_bytes - 1) / UnlockKeys::piece_bytes;
  const UnlockRank rank = keys.rank(header, pieces);
  const auto geometry = geometry_of_(opened->header, candidate.place, opened->mode);
  if (!geometry) return Fit{rank, geometry.error()};
  UnlockedVolume volume;
  volume.header = opened->header;
  volume.place = candidate.place;
  volume.mode = opened->mode;
  volume.cascade = opened->cascade;
  volume.kdf = keys.kdf;
  volume.pim = request_.pim;
  volume.geometry = *geometry;
  volume.keys = std::move(opened->keys);
  return Fit{rank, std::move(volume)};
}

void UnlockSearch::keep_fit(Fit fit) {
  const std::lock_guard lock(mutex_);
  if (best_ && !wins_over(fit.rank, best_->rank)) return;
  best_ = std::move(fit);
  made_up_.reset();
  std::erase_if(waiting_, [&](const UnlockTask* task) { return !could_win(*task); });
  for (Running& running : running_) {
    if (!could_win(*running.task)) running.cancel = true;
  }
}

void UnlockSearch::make_up_for_a_problem(const UnlockPlan& plan, ByteSpan mixed_password) {
  if (error_ || !best_ || best_->volume.ok() || made_up_) return;
  const auto found = std::find_if(plan.keys.begin(), plan.keys.end(),
                                  [&](const auto& keys) { return keys->kdf == best_->rank.kdf; });
  if (found == plan.keys.end()) return;
  UnlockKeys& keys = **found;
  const std::size_t count = keys.headers.size();
  auto whole = SecureBuffer::create(count * UnlockKeys::key_bytes);
  if (!whole) return;
  std::vector<KdfJob> jobs;
  for (std::size_t header = 0; header < count; ++header) {
    jobs.push_back({ByteSpan(keys.headers[header]->sealed).first(header_salt_bytes),
                    whole->span().subspan(header * UnlockKeys::key_bytes, UnlockKeys::key_bytes)});
  }
  const Status derived = derive_keys(keys.parameters, mixed_password, jobs, request_.cancel);
  if (!derived) {
    if (derived.error().code == ErrorCode::cancelled) error_ = derived.error();
    return;
  }
  report_->header_problem.clear();
  for (std::size_t header = 0; header < count; ++header) {
    auto fit = try_header_of(keys, header, jobs[header].key, 0);
    if (!fit) continue;
    if (!fit->volume) {
      note_problem(keys.headers[header]->place, fit->volume.error(), report_);
    } else if (!made_up_) {
      made_up_ = std::move(*fit->volume);
    }
  }
}

void UnlockSearch::derivation_failed(const UnlockTask& task, const Error& error) {
  if (error.code == ErrorCode::cancelled) return;
  const std::lock_guard lock(mutex_);
  if (error.code == ErrorCode::no_memory && task.needs_memory() && memory_tasks_running() > 1) {
    memory_tasks_ = 1;  // again, when the others are through
    if (could_win(task)) waiting_.push_back(&task);
    return;
  }
  if (error.code == ErrorCode::no_memory || error.code == ErrorCode::not_supported) {
    report_->skipped.push_back(kdf_name(*task.keys->kdf) + ": " + error.context);
    return;
  }
  if (!error_) error_ = error;
  stop_all();
}

// Under the mutex, as the next one.
std::size_t UnlockSearch::memory_tasks_running() const noexcept {
  return static_cast<std::size_t>(
      std::count_if(running_.begin(), running_.end(),
                    [](const Running& running) { return running.task->needs_memory(); }));
}

// What runs counts by its time, as far as that was foreseen.
void UnlockSearch::announce() {
  if (!request_.progress || running_.empty() || cost_total_ <= 0) return;
  constexpr double not_finished = 0.95;
  const auto now = std::chrono::steady_clock::now();
  double done_ns = cost_done_;
  for (const Running& running : running_) {
    const std::chrono::duration<double, std::nano> elapsed = now - running.since;
    done_ns += std::min(elapsed.count(), running.task->cost_ns * not_finished);
  }
  request_.progress(kdf_name(*running_.back().task->keys->kdf),
                    std::min(done_ns / cost_total_, 1.0));
}

void UnlockSearch::finished(const UnlockTask& task) {
  const std::lock_guard lock(mutex_);
  cost_done_ += task.cost_ns;
  tried_.insert(task.keys->kdf);
}

Result<UnlockedVolume> UnlockSearch::result() {
  const std::lock_guard lock(mutex_);
  for (const KdfSpec* kdf : tried_) report_->tried.push_back(kdf_name(*kdf));
  if (error_) return *error_;
  if (!best_) {
    return Error{ErrorCode::bad_password_or_header, 0, "wrong password or not a volume", 0};
  }
  if (best_->volume.ok()) {
    report_->header_problem.clear();
    return std::move(best_->volume);
  }
  if (made_up_) return *std::move(made_up_);
  if (report_->header_problem.empty()) {
    note_problem(best_->rank.place, best_->volume.error(), report_);
  }
  return best_->volume.error();
}

}  // namespace volt
