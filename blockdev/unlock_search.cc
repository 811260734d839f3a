#include "blockdev/unlock_search.h"

#include <algorithm>
#include <chrono>
#include <system_error>
#include <thread>
#include <utility>

#include "crypto/kdf.h"

namespace volt {
namespace {

double cost_of(const UnlockTask& task, std::uint32_t pim) {
  return static_cast<double>(kdf_iterations(*task.keys->kdf, pim)) *
         static_cast<double>(task.keys->headers.size() * (task.to - task.from));
}

std::string task_name(const UnlockTask& task) {
  return std::string(format_name(task.keys->kdf->format)) + " " + task.keys->kdf->name;
}

}  // namespace

Result<UnlockKeys> UnlockKeys::create(const KdfSpec& kdf,
                                      std::vector<const PlacedHeader*> headers) {
  auto bytes = SecureBuffer::create(headers.size() * key_bytes);
  if (!bytes) return bytes.error();
  return UnlockKeys{&kdf, std::move(headers), std::move(*bytes)};
}

UnlockSearch::UnlockSearch(const UnlockRequest& request, GeometryFunction geometry_of,
                           UnlockReport* report)
    : request_(request), geometry_of_(std::move(geometry_of)), report_(report) {}

bool UnlockSearch::run(const std::vector<UnlockTask>& tasks, ByteSpan mixed_password,
                       unsigned threads) {
  next_task_ = 0;
  cost_done_ = 0;
  cost_total_ = 0;
  for (const UnlockTask& task : tasks) cost_total_ += cost_of(task, request_.pim);
  const std::size_t wanted = std::min<std::size_t>(std::max(threads, 1U), tasks.size());
  std::vector<std::thread> workers;
  workers.reserve(wanted);
  for (std::size_t i = 0; i < wanted; ++i) {
    const std::lock_guard lock(mutex_);
    try {
      workers.emplace_back([this, &tasks, mixed_password] { work(tasks, mixed_password); });
      ++workers_;
    } catch (const std::system_error&) {
      break;  // as many as there may be
    }
  }
  if (workers.empty()) work(tasks, mixed_password);
  wait_for_workers();
  for (std::thread& worker : workers) worker.join();
  return hit_.has_value() || error_.has_value();
}

// The caller's cancel flag is an atomic that nobody signals, so it is looked at now and then.
void UnlockSearch::wait_for_workers() {
  constexpr std::chrono::milliseconds look_every{50};
  std::unique_lock lock(mutex_);
  while (workers_ > 0) {
    if (request_.cancel == nullptr) {
      worker_done_.wait(lock);
      continue;
    }
    worker_done_.wait_for(lock, look_every);
    if (!request_.cancel->load(std::memory_order_relaxed)) continue;
    stop_ = true;
    if (!hit_) error_ = Error{ErrorCode::cancelled, 0, "interrupted while trying", 0};
  }
}

void UnlockSearch::work(const std::vector<UnlockTask>& tasks, ByteSpan mixed_password) {
  while (!stop_.load()) {
    const std::size_t index = next_task_.fetch_add(1);
    if (index >= tasks.size()) break;
    run_task(tasks[index], mixed_password);
  }
  const std::lock_guard lock(mutex_);
  if (workers_ > 0) --workers_;
  worker_done_.notify_all();
}

void UnlockSearch::run_task(const UnlockTask& task, ByteSpan mixed_password) {
  announce(task);
  std::vector<KdfJob> jobs;
  for (std::size_t i = 0; i < task.keys->headers.size(); ++i) {
    jobs.push_back({ByteSpan(task.keys->headers[i]->sealed).first(header_salt_bytes),
                    task.keys->key(i).subspan(task.from, task.to - task.from), task.from});
  }
  const Status derived = derive_keys(*task.keys->kdf, request_.pim, mixed_password, jobs, &stop_);
  if (!derived) return derivation_failed(task, derived.error());
  try_headers(task);
  finished(task);
}

// In the order of the places: a volume's own header is preferred to its backup.
void UnlockSearch::try_headers(const UnlockTask& task) {
  for (std::size_t i = 0; i < task.keys->headers.size(); ++i) {
    const PlacedHeader& candidate = *task.keys->headers[i];
    auto opened = try_header(task.keys->kdf->format, candidate.sealed,
                             task.keys->key(i).first(task.to), task.from, request_.cascade);
    if (!opened) {
      if (opened.error().code == ErrorCode::bad_password_or_header) continue;
      keep_problem(candidate.place, opened.error());
      continue;
    }
    const auto geometry = geometry_of_(opened->header, candidate.place, opened->mode);
    if (!geometry) {
      keep_problem(candidate.place, geometry.error());
      continue;
    }
    return keep_hit(task, candidate.place, std::move(*opened), *geometry);
  }
}

void UnlockSearch::keep_hit(const UnlockTask& task, HeaderPlace place, OpenedHeader opened,
                            const VolumeGeometry& geometry) {
  const std::lock_guard lock(mutex_);
  stop_ = true;
  if (hit_) return;
  UnlockedVolume volume;
  volume.header = opened.header;
  volume.place = place;
  volume.mode = opened.mode;
  volume.cascade = opened.cascade;
  volume.kdf = task.keys->kdf;
  volume.pim = request_.pim;
  volume.geometry = geometry;
  volume.keys = std::move(opened.keys);
  hit_ = std::move(volume);
}

// The password fits, so nothing else is going to; only the same task's other places may be better.
void UnlockSearch::keep_problem(HeaderPlace place, const Error& error) {
  const std::lock_guard lock(mutex_);
  stop_ = true;
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
  if (error.code == ErrorCode::no_memory || error.code == ErrorCode::not_supported) {
    report_->skipped.push_back(task_name(task) + ": " + error.context);
    return;
  }
  stop_ = true;
  if (!error_) error_ = error;
}

void UnlockSearch::announce(const UnlockTask& task) {
  if (!request_.progress) return;
  const std::lock_guard lock(mutex_);
  request_.progress(task_name(task), cost_total_ > 0 ? cost_done_ / cost_total_ : 0);
}

void UnlockSearch::finished(const UnlockTask& task) {
  const std::lock_guard lock(mutex_);
  cost_done_ += cost_of(task, request_.pim);
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
