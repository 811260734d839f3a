#include "crypto/modes/cascade.h"

#include <algorithm>

#include "crypto/base/cpu_features.h"
#include "crypto/modes/kernel_table.h"

namespace volt {
namespace {

// All layers run over a tile before the next tile is touched: small enough to stay in a 32 KiB
// first-level cache beside the schedules, large enough to amortise a kernel's start.
constexpr std::size_t tile_bytes = 8192;

constexpr std::size_t round_up(std::size_t value, std::size_t multiple) noexcept {
  return (value + multiple - 1) / multiple * multiple;
}

const XtsKernel* choose(CipherId cipher, const KernelChoice& choice) noexcept {
  if (choice.forced_name == nullptr) return select_kernel(cipher, choice.features);
  const XtsKernel* kernel = find_kernel(cipher, choice.forced_name);
  if (kernel == nullptr || (kernel->required_features & ~choice.features) != 0) return nullptr;
  return kernel;
}

}  // namespace

KernelChoice default_kernel_choice() noexcept {
  return {cpu_features(), nullptr};
}

Result<std::unique_ptr<CascadeCipher>> CascadeCipher::create(const CascadeSpec& spec, ByteSpan keys,
                                                             KernelChoice choice, DataUnit unit) {
  if (keys.size() != spec.xts_key_bytes()) {
    return Error{ErrorCode::invalid_argument, 0, "length of the XTS keys", keys.size()};
  }
  std::array<const XtsKernel*, 3> kernels{};
  std::size_t total_bytes = 0;
  for (std::size_t i = 0; i < spec.layers; ++i) {
    kernels[i] = choose(spec.encryption_order[i], choice);
    if (kernels[i] == nullptr) {
      return Error{ErrorCode::not_supported, 0, "no kernel for the cipher", 0};
    }
    total_bytes += round_up(kernels[i]->schedule_bytes, schedule_alignment);
  }
  auto schedules = SecureBuffer::create(total_bytes);
  if (!schedules) return schedules.error();
  std::unique_ptr<CascadeCipher> cipher(new (std::nothrow) CascadeCipher(spec, unit));
  if (cipher == nullptr) return Error{ErrorCode::no_memory, 0, "cipher", 0};
  cipher->schedules_ = *std::move(schedules);
  std::uint8_t* place = cipher->schedules_.data();
  const std::size_t key_bytes = spec.layer_key_bytes();
  const std::size_t tweak_keys = spec.layers * key_bytes;
  for (std::size_t i = 0; i < spec.layers; ++i) {
    kernels[i]->expand(&keys[i * key_bytes], &keys[tweak_keys + i * key_bytes], place);
    cipher->layers_[i] = {kernels[i], place, units_functions(*kernels[i], unit)};
    place += round_up(kernels[i]->schedule_bytes, schedule_alignment);
  }
  return cipher;
}

CascadeCipher::~CascadeCipher() {
  for (const Layer& layer : layers_) {
    if (layer.kernel != nullptr && layer.kernel->destroy != nullptr) {
      layer.kernel->destroy(layer.schedule);
    }
  }
}

std::size_t CascadeCipher::tile_units(std::size_t units) const noexcept {
  return spec_.layers == 1 ? units : tile_bytes / bytes_of(unit_);
}

void CascadeCipher::encrypt_units(std::uint64_t first_unit, const std::uint8_t* in,
                                  std::uint8_t* out, std::size_t units) const noexcept {
  const std::size_t tile = tile_units(units);
  const std::size_t bytes = bytes_of(unit_);
  while (units > 0) {
    const std::size_t count = std::min(units, tile);
    const std::uint8_t* source = in;
    for (std::size_t i = 0; i < spec_.layers; ++i) {
      layers_[i].functions.encrypt(layers_[i].schedule, first_unit, source, out, count);
      source = out;
    }
    first_unit += count;
    in += count * bytes;
    out += count * bytes;
    units -= count;
  }
}

void CascadeCipher::decrypt_units(std::uint64_t first_unit, const std::uint8_t* in,
                                  std::uint8_t* out, std::size_t units) const noexcept {
  const std::size_t tile = tile_units(units);
  const std::size_t bytes = bytes_of(unit_);
  while (units > 0) {
    const std::size_t count = std::min(units, tile);
    const std::uint8_t* source = in;
    for (std::size_t i = spec_.layers; i-- > 0;) {
      layers_[i].functions.decrypt(layers_[i].schedule, first_unit, source, out, count);
      source = out;
    }
    first_unit += count;
    in += count * bytes;
    out += count * bytes;
    units -= count;
  }
}

std::string CascadeCipher::kernel_names() const {
  std::string names;
  for (std::size_t i = spec_.layers; i-- > 0;) {
    if (!names.empty()) names += '+';
    names += layers_[i].kernel->name;
  }
  return names;
}

bool CascadeCipher::constant_time() const noexcept {
  return std::all_of(layers_.begin(), layers_.begin() + spec_.layers,
                     [](const Layer& layer) { return layer.kernel->constant_time; });
}

}  // namespace volt
