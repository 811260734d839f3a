// Serpent's key schedule (Anderson, Biham, Knudsen: "Serpent: A Proposal for the Advanced
// Encryption Standard", section 4), for all kernels of ours.
#pragma once

#include <cstddef>
#include <cstdint>

namespace volt {

inline constexpr std::size_t serpent_round_words = 132;  // 33 round keys of four words

// Round keys of one XTS layer, each word repeated `copies` times so that a kernel may load a whole
// register. `encrypt` and `decrypt` belong to the data key, `tweak` encrypts unit numbers.
template <int copies>
struct SerpentSchedule {
  std::uint32_t encrypt[serpent_round_words * copies];
  std::uint32_t decrypt[serpent_round_words * copies];
  std::uint32_t tweak[serpent_round_words * copies];
};

// Expands a 32-byte key into the cipher's round keys. Constant time: the S-boxes are computed by
// gates. Leaves no copy behind.
void serpent_round_keys(const std::uint8_t* key, std::uint32_t* round_keys) noexcept;

// XtsKernel::expand for kernels that compute S(x) by ternary logic.
void serpent_expand_plain(const std::uint8_t* data_key, const std::uint8_t* tweak_key,
                          void* schedule);

// XtsKernel::expand for kernels on serpent_sboxes.inl.h, whose boxes give S(x) ^ S(0): the
// constants are taken back by the next round key.
void serpent_expand_folded(const std::uint8_t* data_key, const std::uint8_t* tweak_key,
                           void* schedule);

// The same with every word four times.
void serpent_expand_folded4(const std::uint8_t* data_key, const std::uint8_t* tweak_key,
                            void* schedule);

}  // namespace volt
