// Whether what a reader saw can come from some order of the writes that keeps their order in time.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "crypto/ciphers/cipher_id.h"
#include "tests/support/test_devices.h"

namespace volt {

inline constexpr std::uint64_t word_bytes = 4;

// Times are ticks of one counter, taken before and after the call.
struct TracedWrite {
  std::uint32_t id;  // every word of it holds this
  std::uint64_t begin;
  std::uint64_t end;
  std::uint64_t offset;
  std::uint64_t length;

  bool covers(std::uint64_t position) const {
    return position >= offset && position < offset + length;
  }
};

struct TracedRead {
  std::uint64_t begin;
  std::uint64_t end;
  std::uint64_t offset;
  Bytes content;
};

// Who must come before whom, by index; a cycle is a contradiction.
class OrderGraph {
 public:
  explicit OrderGraph(std::size_t size) : size_(size), before_(size * size), marks_(size) {}
  void add(std::size_t before, std::size_t after) { before_[before * size_ + after] = 1; }
  bool has_cycle() {
    for (std::size_t i = 0; i < size_; ++i) {
      if (visit(i)) return true;
    }
    return false;
  }

 private:
  enum Mark : std::uint8_t { none, open, done };
  bool visit(std::size_t node) {
    if (marks_[node] == open) return true;
    if (marks_[node] == done) return false;
    marks_[node] = open;
    for (std::size_t next = 0; next < size_; ++next) {
      if (before_[node * size_ + next] != 0 && visit(next)) return true;
    }
    marks_[node] = done;
    return false;
  }
  std::size_t size_;
  std::vector<std::uint8_t> before_;
  std::vector<std::uint8_t> marks_;
};

// The part of `read` in [begin, end), which lies in one data unit. Empty: explained.
inline std::string explain_unit(const TracedRead& read, std::uint64_t begin, std::uint64_t end,
                                const std::vector<TracedWrite>& writes) {
  std::vector<TracedWrite> here;
  std::map<std::uint32_t, std::size_t> index_of;
  for (const TracedWrite& write : writes) {
    if (write.offset >= end || begin >= write.offset + write.length) continue;
    index_of[write.id] = here.size();
    here.push_back(write);
  }
  std::vector<std::size_t> writer_at;
  std::vector<std::uint8_t> seen(here.size());
  for (std::uint64_t at = begin; at < end; at += word_bytes) {
    const auto id = load_le<std::uint32_t>(read.content.data() + (at - read.offset));
    const auto it = index_of.find(id);
    if (it == index_of.end() || !here[it->second].covers(at)) {
      return "word at " + std::to_string(at) + " was written by nobody";
    }
    if (here[it->second].begin > read.end) return "read before it was written";
    writer_at.push_back(it->second);
    seen[it->second] = 1;
  }
  OrderGraph order(here.size());
  for (std::size_t i = 0; i < writer_at.size(); ++i) {
    const std::uint64_t at = begin + i * word_bytes;
    for (std::size_t other = 0; other < here.size(); ++other) {
      if (other == writer_at[i] || !here[other].covers(at)) continue;
      // Done before the read began, or visible in it: then it is older than what was seen here.
      if (here[other].end < read.begin || seen[other] != 0) order.add(other, writer_at[i]);
    }
  }
  for (std::size_t a = 0; a < here.size(); ++a) {
    for (std::size_t b = 0; b < here.size(); ++b) {
      if (here[a].end < here[b].begin) order.add(a, b);
    }
  }
  if (!order.has_cycle()) return "";
  return "no order explains the unit at " + std::to_string(begin / unit_bytes * unit_bytes);
}

inline std::string explain(const TracedRead& read, const std::vector<TracedWrite>& writes) {
  const std::uint64_t stop = read.offset + read.content.size();
  for (std::uint64_t begin = read.offset; begin < stop;) {
    const std::uint64_t end = std::min(stop, (begin / unit_bytes + 1) * unit_bytes);
    const std::string problem = explain_unit(read, begin, end, writes);
    if (!problem.empty()) return problem;
    begin = end;
  }
  return "";
}

}  // namespace volt
