#include "crypto/kdf/kdf.h"

#include <algorithm>
#include <array>
#include <vector>

#include "crypto/base/cpu_features.h"
#include "crypto/base/secure_buffer.h"
#include "crypto/kdf/argon2/argon2.h"
#include "crypto/kdf/hashes/hash.h"
#include "crypto/kdf/pbkdf2/pbkdf2_table.h"

namespace volt {
namespace {

// Iterations between two looks at `cancel`: some milliseconds on any machine.
constexpr std::uint32_t slice_iterations = 4096;
constexpr std::size_t max_lanes = 16;
bool cancelled(const std::atomic<bool>* cancel) noexcept {
  return cancel != nullptr && cancel->load(std::memory_order_relaxed);
}

// One output block of one job: F(P, S, c, i) of RFC 8018, 5.2.
struct Block {
  std::size_t job;
  std::uint32_t index;  // from 0
};

// The lanes that one kernel call advances, in locked memory.
struct LaneBuffers {
  std::uint8_t* u;
  std::uint8_t* t;
};

void start_block(const HashRow& hash, const HmacKey& key, ByteSpan salt, std::uint32_t index,
                 std::uint8_t* u) noexcept {
  std::array<std::uint8_t, 4> number;
  store_be<std::uint32_t>(number.data(), index + 1);
  hmac_parts(hash, key, salt, number, u);
}

// The part of one output block that the job wants.
void copy_block(const KdfJob& job, std::uint32_t index, ByteSpan block) noexcept {
  const std::size_t begin = index * block.size();
  const std::size_t from = std::max(begin, job.skip_bytes);
  const std::size_t to = std::min(begin + block.size(), job.skip_bytes + job.key.size());
  std::copy_n(block.data() + (from - begin), to - from, job.key.data() + (from - job.skip_bytes));
}

// Runs the first kernel->lanes of `blocks` (or fewer) to their end.
Status run_lanes(const HashRow& hash, const HmacKey& key, const Pbkdf2Kernel& kernel,
                 std::span<const Block> blocks, std::span<const KdfJob> jobs,
                 std::uint32_t iterations, LaneBuffers lanes, const std::atomic<bool>* cancel) {
  const std::size_t digest = hash.digest_bytes;
  for (std::size_t lane = 0; lane < kernel.lanes; ++lane) {
    // Idle lanes repeat the last block.
    const Block& block = blocks[std::min(lane, blocks.size() - 1)];
    start_block(hash, key, jobs[block.job].salt, block.index, lanes.u + lane * digest);
  }
  std::copy_n(lanes.u, kernel.lanes * digest, lanes.t);
  for (std::uint32_t left = iterations - 1; left > 0;) {
    if (cancelled(cancel))
      return Error{ErrorCode::cancelled, 0, "interrupted while deriving the key", 0};
    const std::uint32_t count = std::min(left, slice_iterations);
    kernel.iterate(&key.inner, &key.outer, lanes.u, lanes.t, count);
    left -= count;
  }
  for (std::size_t lane = 0; lane < blocks.size(); ++lane) {
    copy_block(jobs[blocks[lane].job], blocks[lane].index, {lanes.t + lane * digest, digest});
  }
  return {};
}

// The output blocks that hold what the jobs want.
Result<std::vector<Block>> blocks_of(const HashRow& hash, std::span<const KdfJob> jobs) {
  std::vector<Block> blocks;
  for (std::size_t job = 0; job < jobs.size(); ++job) {
    const std::size_t skip = jobs[job].skip_bytes;
    const std::size_t bytes = jobs[job].key.size();
    if (skip > max_header_key_bytes || bytes > max_header_key_bytes - skip) {
      return Error{ErrorCode::invalid_argument, 0, "length of the derived key", bytes};
    }
    auto index = static_cast<std::uint32_t>(skip / hash.digest_bytes);
    for (; bytes > 0 && index * hash.digest_bytes < skip + bytes; ++index) {
      blocks.push_back({job, index});
    }
  }
  return blocks;
}

Status pbkdf2_jobs(PrfId prf, ByteSpan password, std::span<const KdfJob> jobs,
                   std::uint32_t iterations, const std::atomic<bool>* cancel) {
  const HashRow* hash = find_hash(prf);
  if (hash == nullptr) return Error{ErrorCode::not_supported, 0, "PBKDF2 with this PRF", 0};
  if (iterations == 0) return Error{ErrorCode::invalid_argument, 0, "iterations", 0};
  const auto blocks = blocks_of(*hash, jobs);
  if (!blocks) return blocks.error();
  auto memory = SecureBuffer::create(sizeof(HmacKey) + 2 * max_lanes * max_digest_bytes);
  if (!memory) return memory.error();
  // Page-aligned, hence aligned for the states.
  auto* key = new (memory->data()) HmacKey(*hash, password);
  const LaneBuffers lanes{memory->data() + sizeof(HmacKey),
                          memory->data() + sizeof(HmacKey) + max_lanes * max_digest_bytes};
  const std::uint32_t features = cpu_features();
  for (std::span<const Block> left(*blocks); !left.empty();) {
    const Pbkdf2Kernel& kernel = *select_pbkdf2_kernel(prf, features, left.size());
    const std::size_t count = std::min<std::size_t>(kernel.lanes, left.size());
    VOLT_TRY(run_lanes(*hash, *key, kernel, left.first(count), jobs, iterations, lanes, cancel));
    left = left.subspan(count);
  }
  return {};
}

Status argon2_jobs(const KdfParameters& parameters, ByteSpan password, std::span<const KdfJob> jobs,
                   const std::atomic<bool>* cancel) {
  auto whole = SecureBuffer::create(parameters.output_bytes);
  if (!whole) return whole.error();
  for (const KdfJob& job : jobs) {
    if (cancelled(cancel))
      return Error{ErrorCode::cancelled, 0, "interrupted while deriving the key", 0};
    if (job.skip_bytes > parameters.output_bytes ||
        job.key.size() > parameters.output_bytes - job.skip_bytes) {
      return Error{ErrorCode::invalid_argument, 0, "length of the derived key", job.key.size()};
    }
    VOLT_TRY(argon2id(parameters.argon2, password, job.salt, whole->span(), cancel));
    std::copy_n(whole->data() + job.skip_bytes, job.key.size(), job.key.begin());
  }
  return {};
}

}  // namespace

Status derive_keys(const KdfParameters& parameters, ByteSpan password, std::span<const KdfJob> jobs,
                   const std::atomic<bool>* cancel) {
  if (parameters.prf == PrfId::argon2id) {
    return argon2_jobs(parameters, password, jobs, cancel);
  }
  return pbkdf2_jobs(parameters.prf, password, jobs, parameters.iterations, cancel);
}

double derivation_cost_ns(const KdfParameters& parameters, std::span<const KdfJob> jobs) {
  if (parameters.prf == PrfId::argon2id) {
    constexpr double block_ns = 600;  // of 1 KiB; mostly the memory's time
    const Argon2Parameters& argon2 = parameters.argon2;
    return block_ns * argon2.passes * argon2.memory_kib * static_cast<double>(jobs.size());
  }
  const HashRow* hash = find_hash(parameters.prf);
  if (hash == nullptr) return 0;
  const auto blocks = blocks_of(*hash, jobs);
  if (!blocks) return 0;
  double iteration_ns = 0;
  for (std::size_t left = blocks->size(); left > 0;) {
    const Pbkdf2Kernel& kernel = *select_pbkdf2_kernel(parameters.prf, cpu_features(), left);
    iteration_ns += kernel.cost_ns;
    left -= std::min<std::size_t>(kernel.lanes, left);
  }
  return iteration_ns * parameters.iterations;
}

Status derive_key(const KdfParameters& parameters, ByteSpan password, ByteSpan salt,
                  MutableByteSpan key, const std::atomic<bool>* cancel) {
  const KdfJob job{salt, key};
  return derive_keys(parameters, password, {&job, 1}, cancel);
}

Status hmac(PrfId prf, ByteSpan key, ByteSpan message, MutableByteSpan tag) {
  const HashRow* hash = find_hash(prf);
  if (hash == nullptr) return Error{ErrorCode::not_supported, 0, "HMAC with this PRF", 0};
  if (tag.size() != hash->digest_bytes) {
    return Error{ErrorCode::invalid_argument, 0, "length of the HMAC tag", tag.size()};
  }
  const HmacKey states(*hash, key);
  hmac_parts(*hash, states, message, {}, tag.data());
  return {};
}

std::size_t prf_output_bytes(PrfId prf) noexcept {
  const HashRow* hash = find_hash(prf);
  return hash == nullptr ? 0 : hash->digest_bytes;
}

}  // namespace volt
