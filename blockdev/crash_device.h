// A volatile write cache that can lose what was never flushed: the power failure.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

#include "blockdev/forwarding_device.h"
#include "crypto/cipher_id.h"

namespace volt {

enum class CrashKind : std::uint8_t {
  lose_all,   // nothing that was not flushed survives
  lose_some,  // of each data unit any version since the last flush survives, by the seed
};

// Owns its child, and holds back every write until a flush. Requests must be whole data units (put
// an AlignDevice on top where they are not). For tests: it allocates, and serialises all calls.
// Thread contract: as BlockDevice.
class CrashDevice final : public ForwardingDevice {
 public:
  explicit CrashDevice(DevicePtr child) noexcept;

  // The power goes, and comes back: the device goes on with what survived.
  // Errors: those of writing the survivors to the child.
  Status crash(CrashKind kind, std::uint64_t seed);
  // Data units that a crash could lose now.
  std::size_t volatile_units() const noexcept;

 private:
  using Unit = std::array<std::uint8_t, unit_bytes>;

  Status do_read(std::uint64_t offset, MutableByteSpan buffer) noexcept override;
  Status do_write(std::uint64_t offset, ByteSpan buffer) noexcept override;
  Status do_flush() noexcept override;
  Status do_discard(std::uint64_t offset, std::uint64_t length) noexcept override;

  mutable std::mutex mutex_;
  std::map<std::uint64_t, std::vector<Unit>> cache_;  // versions since the last flush, by offset
};

}  // namespace volt
