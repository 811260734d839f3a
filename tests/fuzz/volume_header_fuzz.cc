// Any bytes as a decrypted header: they are refused, or mean a data area inside the container, and
// come back from serialising as they were. Built for libFuzzer by clang with -Dfuzz=true, and run
// shortly on random bytes by volume_header_fuzz_test.
#include "tests/fuzz/volume_header_fuzz.h"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "blockdev/formats/veracrypt/volume_geometry.h"
#include "blockdev/formats/veracrypt/volume_header.h"
#include "crypto/base/crc32.h"

namespace volt {
namespace {

constexpr std::size_t at_keys = 192;  // in the plain part
constexpr std::size_t at_header_crc = 188;

using Plain = std::array<std::uint8_t, header_plain_bytes>;
using Keys = std::array<std::uint8_t, header_key_area_bytes>;

// Random bytes hardly ever have good CRCs, so that the fields behind them would never be seen.
void repair_crcs(Plain* plain) {
  store_be(plain->data() + 8, crc32(ByteSpan(*plain).subspan(at_keys)));
  store_be(plain->data() + at_header_crc, crc32(ByteSpan(*plain).first(at_header_crc)));
}

void require(bool condition) {
  if (!condition) std::abort();
}

void check_geometry(const VolumeHeader& header, std::uint64_t container_bytes) {
  for (int place = 0; place <= static_cast<int>(HeaderPlace::system); ++place) {
    const auto where = static_cast<HeaderPlace>(place);
    const auto offset = place_offset(where, container_bytes);
    if (offset) {
      require(*offset <= container_bytes && container_bytes - *offset >= header_bytes);
    }
    for (const auto mode : {CipherMode::xts, CipherMode::lrw, CipherMode::cbc}) {
      const auto geometry = volume_geometry(header, where, mode, container_bytes);
      if (!geometry) continue;
      require(geometry->data_bytes > 0 && geometry->data_bytes % unit_bytes == 0);
      require(geometry->data_offset_bytes <= container_bytes);
      require(geometry->data_bytes <= container_bytes - geometry->data_offset_bytes);
      require(geometry->sector_bytes >= unit_bytes);
    }
  }
}

void check_parse(const Plain& plain, std::uint64_t container_bytes) {
  Keys keys{};
  const auto header = parse_header(plain, keys);
  if (!header) return;
  Plain again{};
  serialise_header(*header, keys, again);
  Keys keys_again{};
  const auto reparsed = parse_header(again, keys_again);
  require(reparsed.ok() && *reparsed == *header && keys_again == keys);
  check_geometry(*header, container_bytes);
}

}  // namespace

bool header_fuzz_opens(const std::uint8_t* data, std::size_t size) {
  Plain plain{};
  std::copy_n(data, std::min(size, plain.size()), plain.begin());
  Keys keys{};
  return parse_header(plain, keys).ok();
}

void fuzz_header(const std::uint8_t* data, std::size_t size) {
  if (size < 16) return;
  const auto container_bytes = load_le<std::uint64_t>(data);
  const std::uint64_t small = container_bytes % (std::uint64_t{1} << 24);
  const bool truecrypt = (data[8] & 1U) != 0;
  const std::uint16_t version = data[9] % 8;
  Plain plain{};
  std::copy_n(data + 16, std::min(size - 16, plain.size()), plain.begin());
  check_parse(plain, container_bytes);
  std::copy_n(truecrypt ? "TRUE" : "VERA", 4, plain.begin());
  store_be(plain.data() + 4, version);
  for (const bool tame : {false, true}) {
    if (tame) {
      // Fields of plausible size, so that whole headers pass.
      for (const std::size_t at : {28U, 36U, 44U, 52U}) {
        const auto value = load_be<std::uint64_t>(plain.data() + at);
        store_be(plain.data() + at, (value % (small + 1)) & ~std::uint64_t{511});
      }
      store_be<std::uint32_t>(plain.data() + 64, 512U << (data[10] % 5));
      store_be<std::uint16_t>(plain.data() + 6, 0x0500);
    }
    repair_crcs(&plain);
    check_parse(plain, container_bytes);
    check_parse(plain, small);
  }
}

}  // namespace volt
