#include "blockdev/unlock_search.h"

#include <algorithm>
#include <chrono>
#include <system_error>
#include <thread>
#include <utility>

#include "crypto/kdf.h"

namespace volt {
namespace {

std::string task_name(const UnlockTask& task) {
  return std::string(format_name(task.keys->kdf->format)) + " " + task.keys->kdf->name;
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
  for (const UnlockTask& task : tasks) waiting_.push_back(&task);
  threads_ = std::max(threads, 1U);
  memory_tasks_ = std::max(memory_tasks, 1U);
  first_pick_ = true;
  const std::size_t wanted = std::min<std::size_t>(threads_, tasks.size());
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
  if (workers.empty()) work(mixed_password);
  wait_for_workers();
  for (std::thread& worker : workers) worker.join();
  return hit_.has_value() || error_.has_value();
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
    stop_ = true;
    if (!hit_) error_ = Error{ErrorCode::cancelled, 0, "interrupted while trying", 0};
  }
}

void UnlockSearch::work(ByteSpan mixed_password) {
  while (const UnlockTask* task = next_task()) {
    if (conditions_.task_begins) conditions_.task_begins(*task);
    run_task(*task, mixed_password);
    if (conditions_.task_ended) conditions_.task_ended(*task);
    const std::lock_guard lock(mutex_);
    running_.erase(std::find_if(running_.begin(), running_.end(),
                                [&](const Running& running) { return running.task == task; }));
  }
  const std::lock_guard lock(mutex_);
  if (workers_ > 0) --workers_;
  worker_done_.notify_all();
}

// Null where there is nothing left, or only what waits for memory: whoever holds that goes on with
// it.
const UnlockTask* UnlockSearch::next_task() {
  const std::lock_guard lock(mutex_);
  if (stop_.load()) return nullptr;
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
  running_.push_back({chosen, std::chrono::steady_clock::now()});
  announce();
  return chosen;
}

void UnlockSearch::run_task(const UnlockTask& task, ByteSpan mixed_password) {
  const Status derived =
      derive_keys(task.keys->parameters, mixed_password, jobs_of(*task.keys, task.parts), &stop_);
  if (!derived) return derivation_failed(task, derived.error());
  try_parts(task, mixed_password);
  finished(task);
}

// In the order of the places: a volume's own header is preferred to its backup. Each beginning of a
// key is tried once, by whoever completes it.
void UnlockSearch::try_parts(const UnlockTask& task, ByteSpan mixed_password) {
  UnlockKeys& keys = *task.keys;
  bool problem = false;
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
    if (ready > before) problem = !try_header_of(keys, part.header, before, ready) || problem;
    if (stop_.load()) return;
  }
  if (problem) try_the_rest(keys, mixed_password);
}

// False where the header fits, but is of no use. A hit stops the search.
bool UnlockSearch::try_header_of(UnlockKeys& keys, std::size_t header, std::size_t tried,
                                 std::size_t ready) {
  const PlacedHeader& candidate = *keys.headers[header];
  auto opened = try_header(keys.kdf->format, candidate.sealed, keys.key(header).first(ready), tried,
                           request_.cascade);
  if (!opened) {
    if (opened.error().code == ErrorCode::bad_password_or_header) return true;
    keep_problem(candidate.place, opened.error());
    return false;
  }
  const auto geometry = geometry_of_(opened->header, candidate.place, opened->mode);
  if (!geometry) {
    keep_problem(candidate.place, geometry.error());
    return false;
  }
  keep_hit(keys, candidate.place, std::move(*opened), *geometry);
  return true;
}

// The password fits, so nothing else is going to; only other places under the same keys may be
// better. They are derived at once, whatever the plan was.
void UnlockSearch::try_the_rest(UnlockKeys& keys, ByteSpan mixed_password) {
  for (std::size_t header = 0; header < keys.headers.size() && !stop_.load(); ++header) {
    auto whole = SecureBuffer::create(UnlockKeys::key_bytes);
    if (!whole) break;
    const KdfJob job{ByteSpan(keys.headers[header]->sealed).first(header_salt_bytes),
                     whole->span()};
    if (!derive_keys(keys.parameters, mixed_password, {&job, 1}, &stop_)) continue;
    auto opened = try_header(keys.kdf->format, keys.headers[header]->sealed, whole->span(), 0,
                             request_.cascade);
    if (!opened) continue;
    const auto geometry = geometry_of_(opened->header, keys.headers[header]->place, opened->mode);
    if (geometry) {
      keep_hit(keys, keys.headers[header]->place, std::move(*opened), *geometry);
    }
  }
  stop_ = true;
}

void UnlockSearch::keep_hit(const UnlockKeys& keys, HeaderPlace place, OpenedHeader opened,
                            const VolumeGeometry& geometry) {
  const std::lock_guard lock(mutex_);
  stop_ = true;
  if (hit_) return;
  UnlockedVolume volume;
  volume.header = opened.header;
  volume.place = place;
  volume.mode = opened.mode;
  volume.cascade = opened.cascade;
  volume.kdf = keys.kdf;
  volume.pim = request_.pim;
  volume.geometry = geometry;
  volume.keys = std::move(opened.keys);
  hit_ = std::move(volume);
}

void UnlockSearch::keep_problem(HeaderPlace place, const Error& error) {
  const std::lock_guard lock(mutex_);
  if (!error_) error_ = error;
  std::string& problem = report_->header_problem;
  if (!problem.empty()) problem += "; ";
  problem += std::string("the ") + place_name(place) +
             " header fits the password, but is not usable: " + error.context + " " +
             std::to_string(error.detail);
}

void UnlockSearch::derivation_failed(const UnlockTask& task, const Error& error) {
  if (error.code == ErrorCode::cancelled) return;
  const std::lock_guard lock(mutex_);
  if (error.code == ErrorCode::no_memory && task.needs_memory() && memory_tasks_running() > 1) {
    memory_tasks_ = 1;  // again, when the others are through
    waiting_.push_back(&task);
    return;
  }
  if (error.code == ErrorCode::no_memory || error.code == ErrorCode::not_supported) {
    report_->skipped.push_back(task_name(task) + ": " + error.context);
    return;
  }
  stop_ = true;
  if (!error_) error_ = error;
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
  request_.progress(task_name(*running_.back().task), std::min(done_ns / cost_total_, 1.0));
}

void UnlockSearch::finished(const UnlockTask& task) {
  const std::lock_guard lock(mutex_);
  cost_done_ += task.cost_ns;
  const std::string name = task_name(task);
  if (std::find(report_->tried.begin(), report_->tried.end(), name) == report_->tried.end()) {
    report_->tried.push_back(name);
  }
}

Result<UnlockedVolume> UnlockSearch::result() {
  const std::lock_guard lock(mutex_);
  if (hit_) {
    UnlockedVolume volume = std::move(*hit_);
    hit_.reset();
    return volume;
  }
  if (error_) return *error_;
  return Error{ErrorCode::bad_password_or_header, 0, "wrong password or not a volume", 0};
}

}  // namespace volt
