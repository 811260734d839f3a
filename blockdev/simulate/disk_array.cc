#include "blockdev/simulate/disk_array.h"

#include <algorithm>

namespace volt {

DiskArray::DiskArray(const DiskProfile& profile, unsigned disks, std::uint64_t chunk_bytes)
    : chunk_bytes_(chunk_bytes),
      capacity_bytes_(profile.capacity_bytes / chunk_bytes * chunk_bytes * disks) {
  for (unsigned i = 0; i < disks; ++i) disks_.emplace_back(profile);
}

void DiskArray::submit(std::uint64_t id, bool write, std::uint64_t offset, std::uint64_t bytes,
                       std::uint64_t now_ns) {
  unsigned parts = 0;
  for (std::uint64_t done = 0; done < bytes; ++parts) {
    const std::uint64_t at = offset + done;
    const std::uint64_t part = std::min(chunk_bytes_ - at % chunk_bytes_, bytes - done);
    const std::uint64_t chunk = at / chunk_bytes_;
    const std::uint64_t on_disk = chunk / disks_.size() * chunk_bytes_ + at % chunk_bytes_;
    disks_[chunk % disks_.size()].submit({id, write, on_disk, part, now_ns});
    done += part;
  }
  parts_left_[id] = parts;
}

void DiskArray::submit_flush(std::uint64_t id) {
  flushes_.push_back(id);
}

void DiskArray::advance(std::uint64_t now_ns, std::vector<std::uint64_t>* answered) {
  // Event by event, so that answers of several disks come in order of time.
  for (;;) {
    const std::uint64_t event_ns = next_event_ns();
    if (event_ns > now_ns) break;
    for (DiskModel& disk : disks_) disk.advance(event_ns, &parts_done_);
    collect(answered);
  }
  collect(answered);
}

void DiskArray::collect(std::vector<std::uint64_t>* answered) {
  for (const std::uint64_t id : parts_done_) {
    const auto left = parts_left_.find(id);
    if (left == parts_left_.end() || --left->second != 0) continue;
    parts_left_.erase(left);
    answered->push_back(id);
  }
  parts_done_.clear();
  if (flushes_.empty() || !clean()) return;
  answered->insert(answered->end(), flushes_.begin(), flushes_.end());
  flushes_.clear();
}

std::uint64_t DiskArray::next_event_ns() const noexcept {
  std::uint64_t next_ns = DiskModel::never;
  for (const DiskModel& disk : disks_) next_ns = std::min(next_ns, disk.next_event_ns());
  return next_ns;
}

bool DiskArray::clean() const noexcept {
  return std::all_of(disks_.begin(), disks_.end(), [](const DiskModel& d) { return d.clean(); });
}

}  // namespace volt
