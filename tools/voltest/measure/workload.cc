#include "tools/voltest/measure/workload.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace volt {

const char* op_name(BenchOp op) noexcept {
  switch (op) {
    case BenchOp::read:
      return "read";
    case BenchOp::write:
      return "write";
    case BenchOp::mixed:
      return "mixed";
  }
  return "read";
}

std::string workload_name(AccessOrder order, std::uint64_t block_bytes, unsigned depth,
                          unsigned threads) {
  std::string block = fmt::format("{}b", block_bytes);
  if (block_bytes % (1 << 20) == 0) {
    block = fmt::format("{}m", block_bytes >> 20);
  } else if (block_bytes % 1024 == 0) {
    block = fmt::format("{}k", block_bytes >> 10);
  }
  return fmt::format("{}{}-q{}t{}", order == AccessOrder::sequential ? "seq" : "rand", block, depth,
                     threads);
}

Workload make_workload(AccessOrder order, std::uint64_t block_bytes, unsigned depth,
                       unsigned threads) {
  return {workload_name(order, block_bytes, depth, threads), order, block_bytes, depth, threads};
}

std::vector<Workload> standard_workloads(AccessOrder order) {
  if (order == AccessOrder::sequential) {
    return {make_workload(order, 1 << 20, 8, 1), make_workload(order, 1 << 20, 1, 1)};
  }
  return {make_workload(order, 4096, 32, 1), make_workload(order, 4096, 1, 1)};
}

std::uint64_t next_random(std::uint64_t& state) noexcept {
  state += 0x9E3779B97F4A7C15U;
  std::uint64_t z = state;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
  return z ^ (z >> 31);
}

BlockPermutation::BlockPermutation(std::uint64_t count, std::uint64_t seed) noexcept
    : count_(std::max<std::uint64_t>(count, 1)) {
  const auto bits = static_cast<unsigned>(std::bit_width(count_ - 1));
  mask_ = bits == 0 ? 0 : ~std::uint64_t{0} >> (64 - bits);
  shift_ = std::max(1U, (bits + 1) / 2);
  for (std::uint64_t& add : add_) add = next_random(seed);
}

// Each step is a bijection of the masked bits: an odd multiplier, an addition, a right xor-shift.
std::uint64_t BlockPermutation::mix(std::uint64_t value) const noexcept {
  for (const std::uint64_t add : add_) {
    value = (value * 0xD1342543DE82EF95U + add) & mask_;
    value ^= value >> shift_;
  }
  return value;
}

std::uint64_t BlockPermutation::operator()(std::uint64_t index) const noexcept {
  do {
    index = mix(index);
  } while (index >= count_);
  return index;
}

RequestStream::RequestStream(AccessOrder order, std::uint64_t range_offset,
                             std::uint64_t range_bytes, std::uint64_t block_bytes,
                             unsigned read_percent, std::uint64_t seed) noexcept
    : order_(order),
      range_offset_(range_offset),
      block_bytes_(block_bytes),
      blocks_(std::max<std::uint64_t>(1, range_bytes / block_bytes)),
      read_percent_(read_percent),
      seed_(seed),
      coin_(seed ^ 0x5851F42D4C957F2DU),
      permutation_(blocks_, seed) {}

IoRequest RequestStream::next() noexcept {
  std::uint64_t block = next_index_;
  if (order_ == AccessOrder::random) block = permutation_(block);
  if (++next_index_ == blocks_) {
    next_index_ = 0;
    if (order_ == AccessOrder::random) {
      next_random(seed_);
      permutation_ = BlockPermutation(blocks_, seed_);
    }
  }
  IoRequest request;
  request.offset_bytes = range_offset_ + block * block_bytes_;
  if (read_percent_ == 0) {
    request.write = true;
  } else if (read_percent_ < 100) {
    request.write = next_random(coin_) % 100 >= read_percent_;
  }
  return request;
}

}  // namespace volt
