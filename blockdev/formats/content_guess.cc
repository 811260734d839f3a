#include "blockdev/formats/content_guess.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "blockdev/formats/partition_guess.h"
#include "blockdev/layers/unaligned_view.h"

namespace volt {
namespace {

using std::string_view_literals::operator""sv;

constexpr std::size_t head_bytes = 4096;
constexpr std::size_t tail_bytes = 512;
constexpr std::uint64_t backup_file_bytes = 131072;
constexpr std::uint64_t old_backup_file_bytes = 1024;
constexpr std::size_t certain_magic_bytes = 6;  // by chance once in 2^48 containers

struct Signature {
  std::string_view magic;
  std::size_t offset;
  const char* what;
};
// Kinds of files that libblkid does not know.
constexpr std::array signatures{
    Signature{"-FVE-FS-"sv, 3, "a BitLocker volume"},
    Signature{"LUKS\xba\xbe"sv, 0, "a LUKS volume, which cryptsetup opens"},
    Signature{"vhdxfile"sv, 0, "a VHDX disk image; convert it to a raw image first"},
    Signature{"conectix"sv, 0, "a VHD disk image; convert it to a raw image first"},
    Signature{"QFI\xfb"sv, 0, "a qcow2 disk image; convert it to a raw image first"},
    Signature{"KDMV"sv, 0, "a VMDK disk image; convert it to a raw image first"},
    Signature{"\x7f\x10\xda\xbe"sv, 64, "a VDI disk image; convert it to a raw image first"},
    Signature{"7z\xbc\xaf\x27\x1c"sv, 0, "a 7z archive; unpack it first"},
    Signature{"\xfd"
              "7zXZ\0"sv,
              0, "xz-compressed; unpack it first"},
    Signature{"Rar!\x1a\x07"sv, 0, "a RAR archive; unpack it first"},
    Signature{"PK\3\4"sv, 0, "a ZIP archive; unpack it first"},
    Signature{"\x28\xb5\x2f\xfd"sv, 0, "zstd-compressed; unpack it first"},
    Signature{"BZh91AY&SY"sv, 0, "bzip2-compressed; unpack it first"},
    Signature{"\x1f\x8b\x08"sv, 0, "gzip-compressed; unpack it first"},
    Signature{"ustar"sv, 257, "a tar archive; unpack it first"},
    Signature{"%PDF-1."sv, 0, "a PDF document"},
};

std::string_view view_of(const std::vector<std::uint8_t>& bytes) noexcept {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

ContentGuess looks_like(const std::string& what, bool certain) {
  return {"it looks like " + what, certain, false};
}

bool is_text(std::string_view bytes) noexcept {
  return std::all_of(bytes.begin(), bytes.end(), [](char character) {
    const auto byte = static_cast<unsigned char>(character);
    return byte >= 0x20 || (byte >= 0x09 && byte <= 0x0d);
  });
}

// Bytes of other scripts are only taken beside ASCII: noise has every second byte above 0x7F.
bool is_mostly_ascii(std::string_view bytes) noexcept {
  const auto ascii = std::count_if(bytes.begin(), bytes.end(), [](char character) {
    return static_cast<unsigned char>(character) < 0x80;
  });
  return static_cast<std::size_t>(ascii) >= bytes.size() / 4;
}

std::optional<ContentGuess> guess_from_bytes(std::string_view head, std::string_view tail) {
  for (const Signature& signature : signatures) {
    if (head.size() < signature.offset + signature.magic.size()) continue;
    if (head.substr(signature.offset, signature.magic.size()) != signature.magic) continue;
    return looks_like(signature.what, signature.magic.size() >= certain_magic_bytes);
  }
  if (tail.starts_with("conectix")) {
    return looks_like("a VHD disk image; convert it to a raw image first", false);
  }
  if (is_text(head) && is_mostly_ascii(head)) return looks_like("text", true);
  return std::nullopt;
}

Result<std::vector<std::uint8_t>> read_part(BlockDevice& device, std::uint64_t offset,
                                            std::size_t bytes) {
  auto view = unaligned_view(device);
  if (!view) return view.error();
  std::vector<std::uint8_t> part(bytes);
  VOLT_TRY((*view)->read(offset, part));
  return part;
}

}  // namespace

std::optional<ContentGuess> guess_content(const std::string& path, BlockDevice& device) {
  const std::uint64_t size = device.size();
  const auto head = read_part(device, 0, std::min<std::uint64_t>(size, head_bytes));
  if (!head || head->empty()) return std::nullopt;
  if (!path.empty()) {
    if (auto guess = guess_by_libblkid(path)) return guess;
  }
  std::vector<std::uint8_t> tail;
  if (size >= tail_bytes) {
    if (auto end = read_part(device, size - tail_bytes, tail_bytes)) tail = *std::move(end);
  }
  if (auto guess = guess_from_bytes(view_of(*head), view_of(tail))) return guess;
  const auto is_zero = [](std::uint8_t byte) { return byte == 0; };
  if (std::all_of(head->begin(), head->end(), is_zero)) {
    return ContentGuess{"it begins with zeros: nothing has been written there", false, false};
  }
  if (size == backup_file_bytes || size == old_backup_file_bytes) {
    return ContentGuess{
        "it has the size of a header backup; name the container, and this file "
        "with --header or in volt header restore",
        false, false};
  }
  return std::nullopt;
}

}  // namespace volt
