// How voltest's commands give up: caught once, in main.
#pragma once

#include <stdexcept>
#include <string>

#include "blockdev/host/exit_status.h"
#include "crypto/base/result.h"

namespace volt {

// "what: why", and the exit status that fits.
class BenchFailure : public std::runtime_error {
 public:
  BenchFailure(const std::string& what, const std::string& why, ExitStatus status)
      : std::runtime_error(what + ": " + why), status_(status) {}
  BenchFailure(const std::string& what, const Error& error);
  ExitStatus status() const noexcept { return status_; }

 private:
  ExitStatus status_;
};

// Interrupted before there was anything to tell.
class Interrupted : public BenchFailure {
 public:
  Interrupted()
      : BenchFailure("interrupted", "nothing had been measured yet",
                     exit_status_of(ErrorCode::cancelled)) {}
};

// "reading at offset 4096: Input/output error"; with what that means for a measurement, where the
// error number tells: the target is full, cannot be written, or has gone.
std::string describe_error(const Error& error);

}  // namespace volt
