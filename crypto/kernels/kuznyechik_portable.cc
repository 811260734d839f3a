#include "crypto/kernels/kernel_rows.h"
#include "crypto/kernels/kuznyechik_schedule.h"
#include "crypto/kernels/kuznyechik_xts.inl.h"

namespace volt {
namespace {

// Vectors of 128 bits: every compiler of ours has them on every machine.
using V2x64 = std::uint64_t __attribute__((vector_size(16)));

// One block in bit 0 of plain words: the key schedule's only use.
using OneBlock = KuzState<std::uint64_t>;

void spread(const std::uint8_t* block, std::uint8_t* mask) {
  for (int i = 0; i < 128; ++i) {
    mask[i] = static_cast<std::uint8_t>(0 - ((block[i / 8] >> (i % 8)) & 1));
  }
}

// The linear map of one block.
void linear_map(OneBlock& s) {
  for (int q = 0; q < 16; ++q) {
    for (int j = 0; j < 8; ++j) s.row[q + 16][j] = s.row[q][j];
  }
  for (int head = 16; head > 0; --head) kuz_form(s.row + head, s.row[head + 15], s.row[head - 1]);
}

void load_one(const std::uint8_t* block, OneBlock& s) {
  for (int i = 0; i < 128; ++i) s.row[i / 8][i % 8] = (block[i / 8] >> (i % 8)) & 1U;
}

void store_one(const OneBlock& s, std::uint8_t* block) {
  for (int q = 0; q < 16; ++q) {
    block[q] = 0;
    for (int j = 0; j < 8; ++j) {
      block[q] = static_cast<std::uint8_t>(block[q] | (s.row[q][j] & 1U) << j);
    }
  }
}

struct ExpandWork {
  OneBlock state;
  std::uint8_t left[16];
  std::uint8_t right[16];
  std::uint8_t mixed[16];
  std::uint8_t mask[128];
};

// The round keys with every bit spread over a byte.
void expand_key(const std::uint8_t* key, KuzKey& expanded) {
  std::uint8_t round_keys[10 * 16];
  kuznyechik_round_keys(key, round_keys);
  for (int i = 0; i < 10; ++i) spread(round_keys + 16 * i, expanded.mask[i]);
  wipe(round_keys, sizeof round_keys);
}

}  // namespace

// The key's halves are the first two round keys; every eight Feistel rounds with the constants
// L(1) ... L(32) give the next two.
void kuznyechik_round_keys(const std::uint8_t* key, std::uint8_t* round_keys) noexcept {
  ExpandWork work;
  std::memcpy(work.left, key, 16);
  std::memcpy(work.right, key + 16, 16);
  for (int i = 0; i < 32; ++i) {
    if (i % 8 == 0) {
      std::memcpy(round_keys + 4 * i, work.left, 16);
      std::memcpy(round_keys + 4 * i + 16, work.right, 16);
    }
    std::uint8_t number[16] = {};
    number[15] = static_cast<std::uint8_t>(i + 1);
    load_one(number, work.state);
    linear_map(work.state);
    std::uint8_t constant[16];
    store_one(work.state, constant);
    spread(constant, work.mask);
    load_one(work.left, work.state);
    kuz_round(work.state, work.mask);
    store_one(work.state, work.mixed);
    for (int q = 0; q < 16; ++q) {
      const std::uint8_t mixed = work.mixed[q] ^ work.right[q];
      work.right[q] = work.left[q];
      work.left[q] = mixed;
    }
  }
  std::memcpy(round_keys + 128, work.left, 16);
  std::memcpy(round_keys + 144, work.right, 16);
  wipe(&work, sizeof work);
}

void kuznyechik_expand(const std::uint8_t* data_key, const std::uint8_t* tweak_key,
                       void* schedule) {
  auto* keys = static_cast<KuzXts<V2x64>::Schedule*>(schedule);
  expand_key(data_key, keys->data);
  expand_key(tweak_key, keys->tweak);
}

constinit const XtsKernel kernel_kuznyechik_portable =
    KuzXts<V2x64>::row("portable", 0, kuznyechik_expand);

}  // namespace volt
