// Taking a loop device away from a volume, whoever else still looks at it.
#pragma once

#include <chrono>
#include <string>

#include "crypto/base/result.h"

namespace volt {

// What becomes of writes that the device still holds and the volume no longer takes.
enum class Unwritten { is_an_error, is_dropped };

struct LoopDetachment {
  std::string device;  // "/dev/loopN"
  std::string file;  // by the kernel's name for it: a device that has another by now is left alone
  Unwritten unwritten = Unwritten::is_an_error;
  std::chrono::milliseconds answer_limit = std::chrono::seconds(30);   // for writing back
  std::chrono::milliseconds release_limit = std::chrono::seconds(10);  // for others to let go
};

enum class DetachResult { detached, in_use, no_answer, failed };

struct DetachOutcome {
  DetachResult result = DetachResult::detached;
  Error error{};     // where it failed
  std::string text;  // where it is in use or failed: why, and by whom
};

// Detaches and returns when the kernel has let go of the file. Refused at once where this mount
// namespace uses the device (a mount, swap, a device on top of it). What others do with it passes:
// udev looks at a new file system, another mount namespace ends with its copy of a mount; for those
// it waits. Never hangs.
DetachOutcome detach_loop(const LoopDetachment& request);

}  // namespace volt
