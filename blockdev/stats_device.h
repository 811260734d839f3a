// Counts what passes: requests, bytes, errors, latencies.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "blockdev/forwarding_device.h"
#include "blockdev/latency_histogram.h"

namespace volt {

enum class IoKind : std::uint8_t { read, write, flush, discard };
inline constexpr std::size_t io_kinds = 4;
const char* io_kind_name(IoKind kind) noexcept;

struct IoCounters {
  std::atomic<std::uint64_t> requests{0};
  std::atomic<std::uint64_t> bytes{0};
  std::atomic<std::uint64_t> errors{0};
  LatencyHistogram latency;
};

// Owns its child. Thread contract: as BlockDevice; counters may be read at any time.
class StatsDevice final : public ForwardingDevice {
 public:
  explicit StatsDevice(DevicePtr child) noexcept;
  const IoCounters& counters(IoKind kind) const noexcept {
    return counters_[static_cast<std::size_t>(kind)];
  }
  // The last error seen, packed so that it can be read at any time (code ok: none yet).
  bool last_error(Error* error) const noexcept;
  // Writes refused by hidden-volume protection.
  std::uint64_t refused_writes() const noexcept {
    return refused_writes_.load(std::memory_order_relaxed);
  }

 private:
  Status do_read(std::uint64_t offset, MutableByteSpan buffer) noexcept override;
  Status do_write(std::uint64_t offset, ByteSpan buffer) noexcept override;
  Status do_write_consuming(std::uint64_t offset, MutableByteSpan buffer) noexcept override;
  bool do_plan(PlannedIo* io) noexcept override;
  Status do_finish(const PlannedFrame& frame, const PlannedIo& io,
                   Status outcome) noexcept override;
  Status do_flush() noexcept override;
  Status do_discard(std::uint64_t offset, std::uint64_t length) noexcept override;
  Status account(IoKind kind, std::uint64_t bytes, std::uint64_t start_ns, Status status) noexcept;

  std::array<IoCounters, io_kinds> counters_;
  std::atomic<std::uint64_t> refused_writes_{0};
  std::atomic<std::uint64_t> last_error_{0};  // 0: none; else 1 + code, errno in the upper half
  std::atomic<const char*> last_error_context_{""};
};

}  // namespace volt
