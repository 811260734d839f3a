#include "blockdev/simulate/disk_model.h"

#include <algorithm>
#include <cmath>

namespace volt {

namespace {

constexpr std::uint64_t cache_block_bytes = 65536;
// Tracks begin a little later than their neighbours, so that going on to the next costs no turn.
constexpr double track_skew = 0.12;

std::uint64_t ns_of(double bytes, double bytes_per_second) noexcept {
  return static_cast<std::uint64_t>(bytes / bytes_per_second * 1e9);
}

double fraction_of(double value) noexcept {
  return value - std::floor(value);
}

}  // namespace

double DiskModel::track_bytes(std::uint64_t offset) const noexcept {
  return media_rate(profile_, offset) * static_cast<double>(profile_.revolution_ns) / 1e9;
}

DiskModel::Access DiskModel::access(const DiskCommand& command,
                                    std::uint64_t at_ns) const noexcept {
  if (command.offset == head_offset_) return {0, 0};
  const double track =
      std::floor(static_cast<double>(command.offset) / track_bytes(command.offset));
  const double head = std::floor(static_cast<double>(head_offset_) / track_bytes(head_offset_));
  const double crossed = std::abs(track - head);
  std::uint64_t ready_ns = at_ns + profile_.command_ns;
  if (crossed > 0) {
    const double seek_ns = profile_.seek_ns_per_root_track * std::sqrt(crossed);
    ready_ns += profile_.settle_ns + static_cast<std::uint64_t>(seek_ns);
  }
  const double revolution = static_cast<double>(profile_.revolution_ns);
  const double place = static_cast<double>(command.offset) / track_bytes(command.offset);
  const double angle = fraction_of(place + track * track_skew);
  const double under_head = fraction_of(static_cast<double>(ready_ns) / revolution);
  const auto wait_ns = static_cast<std::uint64_t>(fraction_of(angle - under_head) * revolution);
  return {ready_ns + wait_ns - at_ns, wait_ns};
}

std::optional<std::size_t> DiskModel::choose(const std::deque<DiskCommand>& commands,
                                             std::uint64_t at_ns) const noexcept {
  if (commands.empty()) return std::nullopt;
  if (!commands.front().write && reads_started_ % profile_.shortest_every != 0) return 0;
  std::size_t best = 0;
  std::uint64_t shortest_ns = never;
  const std::size_t candidates = std::min<std::size_t>(commands.size(), profile_.queue_depth);
  for (std::size_t i = 0; i < candidates; ++i) {
    const std::uint64_t cost_ns = access(commands[i], at_ns).before_ns;
    if (cost_ns >= shortest_ns) continue;
    shortest_ns = cost_ns;
    best = i;
  }
  return best;
}

void DiskModel::start(const DiskCommand& command, std::uint64_t at_ns) {
  const Access cost = access(command, at_ns);
  const double rate = media_rate(profile_, command.offset);
  std::uint64_t transfer_ns = ns_of(static_cast<double>(command.bytes), rate);
  if (command.write) {
    transfer_ns =
        static_cast<std::uint64_t>(static_cast<double>(transfer_ns) * profile_.write_slowdown);
  } else {
    const auto passed = static_cast<std::uint64_t>(static_cast<double>(cost.wait_ns) / 1e9 * rate);
    ++reads_started_;
    remember(command.offset - std::min(passed, command.offset), command.offset + command.bytes);
  }
  active_ = command;
  active_until_ns_ = at_ns + cost.before_ns + transfer_ns;
  head_offset_ = command.offset + command.bytes;
}

void DiskModel::start_next(std::uint64_t at_ns) {
  const bool full = !waiting_writes_.empty();
  const bool write = !dirty_.empty() && (reads_.empty() || (full && writes_turn_));
  std::deque<DiskCommand>& commands = write ? dirty_ : reads_;
  const auto chosen = choose(commands, at_ns);
  if (!chosen) return;
  writes_turn_ = !write;
  start(commands[*chosen], at_ns);
  commands.erase(commands.begin() + static_cast<std::ptrdiff_t>(*chosen));
}

void DiskModel::admit_writes(std::uint64_t at_ns) {
  while (!waiting_writes_.empty()) {
    const DiskCommand& first = waiting_writes_.front();
    // One that is larger than the whole cache goes through it when it is empty.
    if (dirty_bytes_ != 0 && dirty_bytes_ + first.bytes > profile_.write_cache_bytes) return;
    dirty_bytes_ += first.bytes;
    remember(first.offset, first.offset + first.bytes);
    dirty_.push_back(first);
    answer_from_cache(first.id, first.bytes, at_ns);
    waiting_writes_.pop_front();
  }
}

void DiskModel::answer_from_cache(std::uint64_t id, std::uint64_t bytes, std::uint64_t at_ns) {
  interface_free_ns_ = std::max(interface_free_ns_, at_ns) + profile_.interface_command_ns +
                       ns_of(static_cast<double>(bytes), profile_.interface_bytes_per_second);
  answers_.push_back({interface_free_ns_, id});
}

void DiskModel::submit(const DiskCommand& command) {
  if (command.write) {
    waiting_writes_.push_back(command);
    admit_writes(command.arrived_ns);
  } else if (cached(command.offset, command.bytes)) {
    answer_from_cache(command.id, command.bytes, command.arrived_ns);
  } else {
    reads_.push_back(command);
  }
  if (!active_) start_next(command.arrived_ns);
}

void DiskModel::finish_active() {
  const DiskCommand done = *active_;
  active_.reset();
  if (done.write) {
    dirty_bytes_ -= done.bytes;
    admit_writes(active_until_ns_);
  } else {
    answer_passed_reads(active_until_ns_);
  }
  start_next(active_until_ns_);
}

void DiskModel::answer_passed_reads(std::uint64_t at_ns) {
  std::erase_if(reads_, [&](const DiskCommand& command) {
    if (!cached(command.offset, command.bytes)) return false;
    answer_from_cache(command.id, command.bytes, at_ns);
    return true;
  });
}

void DiskModel::advance(std::uint64_t now_ns, std::vector<std::uint64_t>* answered) {
  for (;;) {
    const std::uint64_t from_cache_ns = answers_.empty() ? never : answers_.front().at_ns;
    const std::uint64_t from_media_ns = active_ ? active_until_ns_ : never;
    if (std::min(from_cache_ns, from_media_ns) > now_ns) return;
    if (from_cache_ns <= from_media_ns) {
      answered->push_back(answers_.front().id);
      answers_.pop_front();
      continue;
    }
    if (!active_->write) answered->push_back(active_->id);
    finish_active();
  }
}

std::uint64_t DiskModel::next_event_ns() const noexcept {
  const std::uint64_t from_cache_ns = answers_.empty() ? never : answers_.front().at_ns;
  return std::min(from_cache_ns, active_ ? active_until_ns_ : never);
}

bool DiskModel::cached(std::uint64_t offset, std::uint64_t bytes) const {
  for (std::uint64_t block = offset / cache_block_bytes; block * cache_block_bytes < offset + bytes;
       ++block) {
    if (!blocks_.contains(block)) return false;
  }
  return true;
}

void DiskModel::remember(std::uint64_t begin, std::uint64_t end) {
  // Whole blocks only: of a block that passed in part, the rest is not there.
  for (std::uint64_t block = (begin + cache_block_bytes - 1) / cache_block_bytes;
       (block + 1) * cache_block_bytes <= end; ++block) {
    const auto known = blocks_.find(block);
    if (known != blocks_.end()) {
      recent_.splice(recent_.begin(), recent_, known->second);
      continue;
    }
    recent_.push_front(block);
    blocks_[block] = recent_.begin();
    if (blocks_.size() * cache_block_bytes <= profile_.read_cache_bytes) continue;
    blocks_.erase(recent_.back());
    recent_.pop_back();
  }
}

}  // namespace volt
