#include "crypto/kdf/argon2/argon2.h"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "crypto/base/cpu_features.h"
#include "crypto/base/secure_buffer.h"
#include "crypto/kdf/argon2/argon2_kernel.h"
#include "crypto/kdf/argon2/blake2b.h"

namespace volt {
namespace {

constexpr std::size_t block_words = argon2_block_words;
constexpr std::size_t block_bytes = block_words * 8;
constexpr std::uint32_t slices = 4;
constexpr std::uint32_t version = 0x13;
constexpr std::uint32_t type_id = 2;
constexpr std::uint32_t blocks_between_looks = 4096;  // at `cancel`: some milliseconds

using Number = std::array<std::uint8_t, 4>;

Number number(std::size_t value) noexcept {
  Number bytes;
  store_le(bytes.data(), static_cast<std::uint32_t>(value));
  return bytes;
}

// The matrix of blocks; large pages where the system has them.
class BlockMemory {
 public:
  explicit BlockMemory(std::size_t blocks) noexcept : bytes_(blocks * block_bytes) {
    void* mapped =
        mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED) return;
    // Advice: a failure costs speed, or leaves the memory in a core dump that hardening forbids.
    madvise(mapped, bytes_, MADV_DONTDUMP);
    madvise(mapped, bytes_, MADV_HUGEPAGE);
    words_ = static_cast<std::uint64_t*>(mapped);
  }
  BlockMemory(const BlockMemory&) = delete;
  BlockMemory& operator=(const BlockMemory&) = delete;
  ~BlockMemory() {
    if (words_ == nullptr) return;
    secure_wipe(words_, bytes_);
    munmap(words_, bytes_);
  }
  bool ok() const noexcept { return words_ != nullptr; }
  std::uint64_t* block(std::size_t index) noexcept { return words_ + index * block_words; }

 private:
  std::size_t bytes_;
  std::uint64_t* words_ = nullptr;
};

// H' of RFC 9106, 3.3: any length of output.
void long_hash(ByteSpan first, ByteSpan second, MutableByteSpan out) noexcept {
  const Number length = number(out.size());
  if (out.size() <= 64) {
    blake2b({length, first, second}, out);
    return;
  }
  std::array<std::uint8_t, 64> v;
  blake2b({length, first, second}, v);
  while (true) {
    std::copy_n(v.begin(), 32, out.begin());
    out = out.subspan(32);
    if (out.size() <= 64) break;
    blake2b({v}, v);
  }
  blake2b({v}, out);
  secure_wipe(v.data(), v.size());
}

// One run. Blocks stand lane after lane.
struct Filler {
  const Argon2Parameters& parameters;
  const Argon2Kernel& kernel;
  BlockMemory& memory;
  const std::atomic<bool>* cancel;
  std::uint32_t lane_blocks;     // q
  std::uint32_t segment_blocks;  // a slice of a lane
  // Data-independent addresses: zeros, their input and their output.
  alignas(64) std::uint64_t zero[block_words];
  alignas(64) std::uint64_t input[block_words];
  alignas(64) std::uint64_t addresses[block_words];

  void next_addresses() noexcept {
    ++input[6];
    kernel.compress(zero, input, addresses, false, nullptr);
    kernel.compress(zero, addresses, addresses, false, nullptr);
  }

  // What block `index` of a segment may refer to in `lane`: RFC 9106, 3.4.2.
  Argon2Area area_of(std::uint32_t pass, std::uint32_t slice, std::uint32_t index,
                     std::uint32_t lane, bool same_lane) noexcept {
    const std::uint32_t finished =
        pass == 0 ? slice * segment_blocks : lane_blocks - segment_blocks;
    const std::uint32_t count =
        same_lane ? finished + index - 1 : finished - (index == 0 ? 1U : 0U);
    const std::uint32_t start = pass == 0 || slice == slices - 1 ? 0 : (slice + 1) * segment_blocks;
    return {memory.block(std::size_t{lane} * lane_blocks), start, count, lane_blocks};
  }

  void fill_block(std::uint32_t pass, std::uint32_t slice, std::uint32_t lane, std::uint32_t index,
                  std::uint64_t pseudo_random) noexcept {
    const std::uint32_t column = slice * segment_blocks + index;
    const std::uint32_t before = column == 0 ? lane_blocks - 1 : column - 1;
    const auto high = static_cast<std::uint32_t>(pseudo_random >> 32);
    const std::uint32_t from = pass == 0 && slice == 0 ? lane : high % parameters.parallelism;
    const Argon2Area area = area_of(pass, slice, index, from, from == lane);
    // With one lane the next block's reference is in it, wherever this block's first word decides.
    const bool decides = !independent(pass, slice) && index + 1 < segment_blocks;
    const bool foresee = decides && parameters.parallelism == 1;
    const Argon2Area next = area_of(pass, slice, index + 1, lane, true);
    const std::size_t row = std::size_t{lane} * lane_blocks;
    kernel.compress(memory.block(row + before),
                    argon2_reference(area, static_cast<std::uint32_t>(pseudo_random)),
                    memory.block(row + column), pass > 0, foresee ? &next : nullptr);
  }

  // Argon2i's half pass: addresses do not depend on the password.
  static bool independent(std::uint32_t pass, std::uint32_t slice) noexcept {
    return pass == 0 && slice < slices / 2;
  }

  bool cancelled() const noexcept {
    return cancel != nullptr && cancel->load(std::memory_order_relaxed);
  }

  // False where it was cancelled.
  bool fill_segment(std::uint32_t pass, std::uint32_t slice, std::uint32_t lane) noexcept {
    const bool is_independent = independent(pass, slice);
    if (is_independent) {
      std::fill_n(input, block_words, 0);
      const std::uint64_t head[] = {pass,
                                    lane,
                                    slice,
                                    std::uint64_t{lane_blocks} * parameters.parallelism,
                                    parameters.passes,
                                    type_id};
      std::copy(std::begin(head), std::end(head), input);
    }
    const std::size_t row = std::size_t{lane} * lane_blocks;
    for (std::uint32_t index = 0; index < segment_blocks; ++index) {
      if (index % blocks_between_looks == 0 && cancelled()) return false;
      if (is_independent && index % block_words == 0) next_addresses();
      if (pass == 0 && slice == 0 && index < 2) continue;  // made from H0
      const std::uint32_t column = slice * segment_blocks + index;
      const std::uint32_t before = column == 0 ? lane_blocks - 1 : column - 1;
      fill_block(pass, slice, lane, index,
                 is_independent ? addresses[index % block_words] : *memory.block(row + before));
    }
    return true;
  }

  bool fill_all() noexcept {
    for (std::uint32_t pass = 0; pass < parameters.passes; ++pass) {
      for (std::uint32_t slice = 0; slice < slices; ++slice) {
        for (std::uint32_t lane = 0; lane < parameters.parallelism; ++lane) {
          if (!fill_segment(pass, slice, lane)) return false;
        }
      }
    }
    return true;
  }
};

// H0 of RFC 9106, 3.2.
void first_hash(const Argon2Parameters& parameters, ByteSpan password, ByteSpan salt,
                const Argon2Extras& extras, std::size_t out_bytes,
                MutableByteSpan digest) noexcept {
  blake2b({number(parameters.parallelism), number(out_bytes), number(parameters.memory_kib),
           number(parameters.passes), number(version), number(type_id), number(password.size()),
           password, number(salt.size()), salt, number(extras.secret.size()), extras.secret,
           number(extras.associated_data.size()), extras.associated_data},
          digest);
}

void words_from_bytes(const std::uint8_t* bytes, std::uint64_t* words) noexcept {
  for (std::size_t i = 0; i < block_words; ++i) words[i] = load_le<std::uint64_t>(bytes + i * 8);
}

}  // namespace

Status argon2id(const Argon2Parameters& parameters, ByteSpan password, ByteSpan salt,
                MutableByteSpan out, const std::atomic<bool>* cancel, const Argon2Extras& extras) {
  const std::uint32_t lanes = parameters.parallelism;
  if (lanes == 0 || lanes > 255 || parameters.passes == 0 || out.size() < 4 ||
      parameters.memory_kib < 8 * lanes) {
    return Error{ErrorCode::invalid_argument, 0, "Argon2id parameters", parameters.memory_kib};
  }
  const std::uint32_t segment_blocks = parameters.memory_kib / (slices * lanes);
  const std::uint32_t lane_blocks = segment_blocks * slices;
  BlockMemory memory(std::size_t{lane_blocks} * lanes);
  // The scratch holds a Filler, a block in bytes and H0.
  auto scratch = SecureBuffer::create(sizeof(Filler) + block_bytes + 64);
  if (!memory.ok() || !scratch) {
    return Error{ErrorCode::no_memory, ENOMEM, "memory for Argon2id", parameters.memory_kib};
  }
  std::uint8_t* bytes = scratch->data() + sizeof(Filler);
  const MutableByteSpan h0{bytes + block_bytes, 64};
  first_hash(parameters, password, salt, extras, out.size(), h0);
  for (std::uint32_t lane = 0; lane < lanes; ++lane) {
    for (std::uint32_t column = 0; column < 2; ++column) {
      std::array<std::uint8_t, 8> place;
      store_le(place.data(), column);
      store_le(place.data() + 4, lane);
      long_hash(h0, place, {bytes, block_bytes});
      words_from_bytes(bytes, memory.block(std::size_t{lane} * lane_blocks + column));
    }
  }
  auto* filler = new (scratch->data()) Filler{.parameters = parameters,
                                              .kernel = select_argon2_kernel(cpu_features()),
                                              .memory = memory,
                                              .cancel = cancel,
                                              .lane_blocks = lane_blocks,
                                              .segment_blocks = segment_blocks,
                                              .zero = {},
                                              .input = {},
                                              .addresses = {}};
  if (!filler->fill_all())
    return Error{ErrorCode::cancelled, 0, "interrupted while deriving the key", 0};
  std::uint64_t* sum = memory.block(lane_blocks - 1);
  for (std::uint32_t lane = 1; lane < lanes; ++lane) {
    const std::uint64_t* last = memory.block(std::size_t{lane + 1} * lane_blocks - 1);
    for (std::size_t i = 0; i < block_words; ++i) sum[i] ^= last[i];
  }
  for (std::size_t i = 0; i < block_words; ++i) store_le(bytes + i * 8, sum[i]);
  long_hash({bytes, block_bytes}, {}, out);
  return {};
}

}  // namespace volt
