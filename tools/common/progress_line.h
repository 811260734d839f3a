// One line on the terminal that is overwritten as work goes on; silent where there is no terminal.
#pragma once

#include <cstdint>
#include <string>

namespace volt {

// Writes to standard error, at most ten times a second. Thread contract: one thread at a time.
class ProgressLine {
 public:
  ProgressLine();
  ~ProgressLine();  // clears the line
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // Replaces the line, cut to the terminal's width. Dropped when the last one is too recent.
  void show(const std::string& text);
  // Shows "what: 42 %, 1.2 GB/s, 12 s left" for `done` of `total` bytes since construction.
  void show_bytes(const std::string& what, std::uint64_t done, std::uint64_t total);
  void clear();

 private:
  bool terminal_;
  bool shown_ = false;
  std::uint64_t start_ns_;
  std::uint64_t last_ns_ = 0;
};

}  // namespace volt
