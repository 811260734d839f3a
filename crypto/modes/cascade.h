// Encryption of runs of data units: the interface and its XTS cascade.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "crypto/base/bytes.h"
#include "crypto/base/result.h"
#include "crypto/base/secure_buffer.h"
#include "crypto/modes/cascade_spec.h"
#include "crypto/modes/xts_kernel.h"

namespace volt {

// What an encrypted device needs of a cipher. Immutable after keying.
// Thread contract: both functions may be called from any number of threads at once.
class UnitCipher {
 public:
  virtual ~UnitCipher() = default;
  // The length of a data unit: a power of two. Everything above asks here.
  virtual std::size_t data_unit_bytes() const noexcept { return unit_bytes; }
  // `in` and `out` hold units * data_unit_bytes() bytes; equal or not overlapping. Units are
  // numbered from `first_unit`; the numbering's origin is the caller's business (see
  // docs/reference/formats.md).
  virtual void encrypt_units(std::uint64_t first_unit, const std::uint8_t* in, std::uint8_t* out,
                             std::size_t units) const noexcept = 0;
  virtual void decrypt_units(std::uint64_t first_unit, const std::uint8_t* in, std::uint8_t* out,
                             std::size_t units) const noexcept = 0;
  // Names of the kernels in use, in the label's order: "vaes", or "vaes+avx2+avx2".
  virtual std::string kernel_names() const = 0;
};

// How kernels are chosen for a cascade.
struct KernelChoice {
  std::uint32_t features;             // select among these (cpu_features())
  const char* forced_name = nullptr;  // for tests: only rows of this name
};
KernelChoice default_kernel_choice() noexcept;  // features = cpu_features()

// An XTS cascade. Each layer is a complete XTS with its own tweak key; all layers run over a tile
// that stays in the first-level cache before the next tile is touched.
// Holds its schedules in a SecureBuffer.
class CascadeCipher final : public UnitCipher {
 public:
  // `keys` holds spec.xts_key_bytes() bytes: data keys in order of encryption, then tweak keys.
  // Errors: invalid_argument (length), not_supported (no kernel: a legacy cipher, one that Botan
  // lacks, or the forced name does not exist), no_memory.
  static Result<std::unique_ptr<CascadeCipher>> create(
      const CascadeSpec& spec, ByteSpan keys, KernelChoice choice = default_kernel_choice(),
      DataUnit unit = DataUnit::bytes512);
  ~CascadeCipher() override;

  void encrypt_units(std::uint64_t first_unit, const std::uint8_t* in, std::uint8_t* out,
                     std::size_t units) const noexcept override;
  void decrypt_units(std::uint64_t first_unit, const std::uint8_t* in, std::uint8_t* out,
                     std::size_t units) const noexcept override;
  std::size_t data_unit_bytes() const noexcept override { return bytes_of(unit_); }
  std::string kernel_names() const override;
  const CascadeSpec& spec() const noexcept { return spec_; }
  bool constant_time() const noexcept;

 private:
  struct Layer {
    const XtsKernel* kernel = nullptr;
    void* schedule = nullptr;
    XtsKernel::UnitsFunctions functions{};
  };
  CascadeCipher(const CascadeSpec& spec, DataUnit unit) noexcept : spec_(spec), unit_(unit) {}
  // Units that all layers run over together.
  std::size_t tile_units(std::size_t units) const noexcept;

  const CascadeSpec& spec_;
  const DataUnit unit_;
  std::array<Layer, 3> layers_{};  // in order of encryption
  SecureBuffer schedules_;
};

}  // namespace volt
