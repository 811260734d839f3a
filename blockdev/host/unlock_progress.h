// A line on the terminal while keys are derived.
#pragma once

#include <string>

namespace volt {

// Drawn on standard error where that is a terminal, else nothing. Thread contract: one call at a
// time.
class UnlockProgress {
 public:
  UnlockProgress() noexcept;
  void show(const std::string& what, double fraction) noexcept;
  // Takes the line away.
  void clear() noexcept;

 private:
  bool terminal_;
  bool shown_ = false;
};

}  // namespace volt
