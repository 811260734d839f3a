#include "tests/formats/raw_key/raw_key_format.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>
#include <utility>

#include "blockdev/layers/unaligned_view.h"

namespace volt {
namespace {

constexpr std::string_view magic = "volt raw key  1\n";
constexpr std::uint64_t label_offset = 4096;
constexpr std::uint64_t data_offset = 8192;
constexpr std::uint64_t block = 4096;

class RawKeyFormat final : public Format {
 public:
  std::span<const char* const> names() const noexcept override {
    static constexpr std::array<const char*, 1> only = {"raw-key"};
    return only;
  }
  KeyKinds key_kinds() const noexcept override { return {.volume_key = true}; }

  Likeness looks_like(ByteSpan beginning) const noexcept override {
    const bool same = beginning.size() >= magic.size() &&
                      std::memcmp(beginning.data(), magic.data(), magic.size()) == 0;
    return same ? Likeness::certain : Likeness::no;
  }

  Outcome<void> check(const VolumeOptions& options) const override {
    const bool none = options.prf.empty() && options.cipher.empty() && options.pim == 0 &&
                      !options.hidden && !options.system && !options.backup_header &&
                      !options.detached;
    if (none) return {};
    return Failure{exit_wrong_parameters, "--format raw-key", "has nothing to choose", {}};
  }

  Outcome<OpenedVolumePtr> unlock(const NamedContainer& container,
                                  const OpenRequest& request) const override {
    auto bytes = read_length(container.device);
    if (!bytes) return Failure::of(container.name, bytes.error());
    auto cipher =
        CascadeCipher::create(*find_cascade("aes"), request.key.volume_key, request.kernels);
    if (!cipher) {
      return Failure{exit_no_permission, container.name, "the key must have 64 bytes", {}};
    }
    auto map = ExtentMap::create({Extent::encrypted(0, *bytes, data_offset, /*writable=*/true),
                                  Extent::plain(*bytes, block, label_offset, /*writable=*/false),
                                  Extent::zeros(*bytes + block, block)});
    if (!map) return Failure::of(container.name, map.error());
    auto volume = std::make_unique<OpenedVolume>(*this, *std::move(map));
    volume->format_name = names().front();
    volume->facts = {{"format", volume->format_name, "format", {}, FactPlace::both},
                     {"cipher", std::string("aes"), "cipher", {}, FactPlace::both},
                     field("kernel", (*cipher)->kernel_names(), FactPlace::both),
                     {"encrypted_bytes", *bytes, "encrypted", {}, FactPlace::both, true}};
    volume->notices = {"a format for tests"};
    volume->cipher = *std::move(cipher);
    return OpenedVolumePtr(std::move(volume));
  }

 private:
  static Result<std::uint64_t> read_length(BlockDevice& container) {
    std::array<std::uint8_t, magic.size() + sizeof(std::uint64_t)> head{};
    auto view = unaligned_view(container);
    if (!view) return view.error();
    VOLT_TRY((*view)->read(0, head));
    std::uint64_t bytes = 0;
    for (std::size_t i = sizeof bytes; i-- > 0;) bytes = bytes << 8 | head[magic.size() + i];
    if (bytes == 0 || bytes % unit_bytes != 0 || bytes > container.size() - data_offset) {
      return Error{ErrorCode::bad_header, 0, "length of the data", bytes};
    }
    return bytes;
  }
};

}  // namespace

const Format& raw_key_format() noexcept {
  static const RawKeyFormat format;
  return format;
}

}  // namespace volt
