// What a test does: block size, order, depth, threads; and the seeded stream of requests it makes.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace volt {

enum class AccessOrder : std::uint8_t { sequential, random };
enum class BenchOp : std::uint8_t { read, write, mixed };  // mixed: 70 % reads
const char* op_name(BenchOp op) noexcept;

struct Workload {
  std::string name;  // "rand4k-q32t1"
  AccessOrder order = AccessOrder::sequential;
  std::uint64_t block_bytes = 1 << 20;
  unsigned depth = 1;  // requests in flight, each thread
  unsigned threads = 1;
};

// The name that says all of it: seq1m-q8t1. Block sizes that are no whole K or M print in bytes.
std::string workload_name(AccessOrder order, std::uint64_t block_bytes, unsigned depth,
                          unsigned threads);
Workload make_workload(AccessOrder order, std::uint64_t block_bytes, unsigned depth,
                       unsigned threads);

// seq1m-q8t1, seq1m-q1t1; rand4k-q32t1, rand4k-q1t1.
std::vector<Workload> standard_workloads(AccessOrder order);

// A seeded permutation of 0 .. count-1 that needs no memory: bijective mixing of the next power of
// two, walked until it falls inside.
class BlockPermutation {
 public:
  BlockPermutation(std::uint64_t count, std::uint64_t seed) noexcept;
  std::uint64_t operator()(std::uint64_t index) const noexcept;

 private:
  std::uint64_t mix(std::uint64_t value) const noexcept;

  std::uint64_t count_;
  std::uint64_t mask_ = 0;
  unsigned shift_ = 1;
  std::uint64_t add_[3] = {};
};

struct IoRequest {
  std::uint64_t offset_bytes = 0;
  bool write = false;
};

// The requests of one thread, in order; endless. Each pass visits every block of the range once
// (ascending, or in another random order each pass). Same arguments, same requests.
class RequestStream {
 public:
  // `range_bytes` is at least one block; what is left of a block at its end is not visited.
  // `read_percent`: 100 reads only, 0 writes only.
  RequestStream(AccessOrder order, std::uint64_t range_offset, std::uint64_t range_bytes,
                std::uint64_t block_bytes, unsigned read_percent, std::uint64_t seed) noexcept;
  IoRequest next() noexcept;
  std::uint64_t blocks() const noexcept { return blocks_; }

 private:
  AccessOrder order_;
  std::uint64_t range_offset_;
  std::uint64_t block_bytes_;
  std::uint64_t blocks_;
  unsigned read_percent_;
  std::uint64_t seed_;
  std::uint64_t next_index_ = 0;
  std::uint64_t coin_;
  BlockPermutation permutation_;
};

// One step of a splitmix-style generator: the state advances, a well mixed number comes out.
std::uint64_t next_random(std::uint64_t& state) noexcept;

}  // namespace volt
