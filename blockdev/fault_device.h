// Faults on demand: what disks, cables and controllers do wrong, scripted and repeatable.
#pragma once

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "blockdev/forwarding_device.h"
#include "blockdev/stats_device.h"
#include "crypto/cipher_id.h"

namespace volt {

enum class FaultKind : std::uint8_t {
  fail,               // nothing is done, `error` comes back
  torn_write,         // some leading data units are written, `error` comes back
  torn_write_unseen,  // some but not all of them are written, success comes back
  lost_write,         // nothing is written, success comes back
  misdirected_write,  // the data lands at another place, success comes back
  bit_flip,           // one bit of what is read or written is wrong, success comes back
  stale_read,         // what stood there before the latest writes, success comes back
  short_device,       // from then on the device ends at `parameter`: `error` past it
};

// Strikes calls `nth` .. `nth + count - 1` of `kind`, counted from 1; no kind: of any kind.
struct FaultRule {
  FaultKind fault = FaultKind::fail;
  std::optional<IoKind> kind{};
  std::uint64_t nth = 1;
  std::uint64_t count = 1;
  Error error{ErrorCode::io, EIO, "injected fault", 0};
  std::uint64_t parameter = 0;
};

struct FaultPlan {
  std::uint64_t seed = 1;  // for places, lengths and bits
  std::vector<FaultRule> rules{};
};

// Owns its child. A rule that does not fit its call (a torn read) does nothing.
// A planned request is a call when it is finished; one that is struck by `fail` has been
// transferred all the same. Under rules that ask for more than that nothing is planned. For tests
// and trials: it allocates, and keeps old contents where a rule is about stale reads. Thread
// contract: as BlockDevice; the order of concurrent calls decides which is the n-th.
class FaultDevice final : public ForwardingDevice {
 public:
  FaultDevice(DevicePtr child, FaultPlan plan);

  // Starts counting anew, with other rules.
  void arm(FaultPlan plan);
  // Calls struck since the plan was armed, and calls seen.
  std::uint64_t strikes() const noexcept;
  std::uint64_t calls() const noexcept;

 private:
  using Unit = std::array<std::uint8_t, unit_bytes>;
  struct Strike {
    FaultRule rule;
    std::uint64_t random;
  };

  Status do_read(std::uint64_t offset, MutableByteSpan buffer) noexcept override;
  Status do_write(std::uint64_t offset, ByteSpan buffer) noexcept override;
  bool do_plan(PlannedIo* io) noexcept override;
  Status do_finish(const PlannedFrame& frame, const PlannedIo& io,
                   Status outcome) noexcept override;
  Status do_flush() noexcept override;
  Status do_discard(std::uint64_t offset, std::uint64_t length) noexcept override;

  // Counts the call and finds the rule that strikes it.
  std::optional<Strike> next_call(IoKind kind);
  Status check_length(std::uint64_t offset, std::uint64_t length) const;
  Status write_torn(std::uint64_t offset, ByteSpan buffer, std::uint64_t random);
  Status write_flipped(std::uint64_t offset, ByteSpan buffer, std::uint64_t random);
  std::uint64_t other_place(std::uint64_t offset, std::uint64_t length,
                            std::uint64_t random) const noexcept;
  void remember(std::uint64_t offset, std::uint64_t length);
  void make_stale(std::uint64_t offset, MutableByteSpan buffer) const;

  std::atomic<bool> plans_{true};  // no rule asks for more than failing
  mutable std::mutex mutex_;       // guards what follows
  FaultPlan plan_;
  bool keeps_old_ = false;
  std::uint64_t random_state_ = 0;
  std::array<std::uint64_t, io_kinds> kind_calls_{};
  std::uint64_t all_calls_ = 0;
  std::uint64_t strikes_ = 0;
  std::optional<FaultRule> short_;
  std::map<std::uint64_t, Unit> old_units_;
};

}  // namespace volt
