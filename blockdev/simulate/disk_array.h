// Several modelled disks as one RAID 0: commands cut at chunks, answers when all parts are there.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "blockdev/simulate/disk_model.h"

namespace volt {

// Time as in DiskModel. A flush is answered when no disk holds writes in its cache.
// Thread contract: as a std::vector's.
class DiskArray {
 public:
  DiskArray(const DiskProfile& profile, unsigned disks, std::uint64_t chunk_bytes);

  std::uint64_t capacity_bytes() const noexcept { return capacity_bytes_; }
  // `id` is not in use by an unanswered request; `bytes` is not 0.
  void submit(std::uint64_t id, bool write, std::uint64_t offset, std::uint64_t bytes,
              std::uint64_t now_ns);
  void submit_flush(std::uint64_t id);
  void advance(std::uint64_t now_ns, std::vector<std::uint64_t>* answered);
  std::uint64_t next_event_ns() const noexcept;

 private:
  bool clean() const noexcept;
  void collect(std::vector<std::uint64_t>* answered);

  std::uint64_t chunk_bytes_;
  std::uint64_t capacity_bytes_;
  std::vector<DiskModel> disks_;
  std::unordered_map<std::uint64_t, unsigned> parts_left_;
  std::vector<std::uint64_t> flushes_;
  std::vector<std::uint64_t> parts_done_;
};

}  // namespace volt
