#include "blockdev/formats/veracrypt/volume_format.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>
#include <vector>

#include "blockdev/formats/veracrypt/header_trial.h"
#include "blockdev/formats/veracrypt/volume_secret.h"
#include "blockdev/layers/unaligned_view.h"
#include "crypto/base/random.h"
#include "crypto/kdf/kdf.h"

namespace volt {
namespace {

constexpr std::uint16_t veracrypt_minimum_program = 0x010B;
constexpr std::uint16_t truecrypt_minimum_program = 0x0700;
constexpr std::uint32_t largest_sector_bytes = 4096;

Error invalid(const char* context, std::uint64_t detail = 0) noexcept {
  return Error{ErrorCode::invalid_argument, 0, context, detail};
}

Status check_request(const FormatRequest& request, std::uint64_t container_bytes) {
  if (request.cascade == nullptr || request.kdf == nullptr) return invalid("no cipher or PRF");
  const VolumeFormat format = request.kdf->format;
  if (!request.kdf->creatable || request.kdf->system) {
    return invalid("new volumes do not use this PRF");
  }
  if (!format_has(format, CipherMode::xts, *request.cascade)) {
    return invalid("the format does not have this cipher");
  }
  const std::uint32_t sector = request.sector_bytes;
  if (sector < unit_bytes || sector > largest_sector_bytes || !std::has_single_bit(sector)) {
    return invalid("sector size", sector);
  }
  if (container_bytes < min_container_bytes || container_bytes > INT64_MAX) {
    return invalid("container size", container_bytes);
  }
  if (container_bytes % unit_bytes != 0) {
    return invalid("container size is not a multiple of 512", container_bytes);
  }
  return {};
}

Result<VolumeHeader> header_for(const FormatRequest& request, std::uint64_t container_bytes) {
  const bool veracrypt = request.kdf->format == VolumeFormat::veracrypt;
  VolumeHeader header;
  header.format = request.kdf->format;
  header.version = newest_header_version;
  header.minimum_program_version =
      veracrypt ? veracrypt_minimum_program : truecrypt_minimum_program;
  header.sector_bytes = request.sector_bytes;
  const std::uint64_t room = container_bytes - 2 * header_group_bytes;
  if (!request.hidden) {
    header.data_offset_bytes = header_group_bytes;
    header.data_bytes = room / request.sector_bytes * request.sector_bytes;
  } else {
    // At the end of the outer volume's data area.
    if (request.hidden_bytes == 0 || request.hidden_bytes % request.sector_bytes != 0) {
      return invalid("hidden volume size", request.hidden_bytes);
    }
    if (request.hidden_bytes >= room) {
      return Error{ErrorCode::no_space, 0, "hidden volume larger than the outer volume's data area",
                   request.hidden_bytes};
    }
    header.data_offset_bytes = container_bytes - header_group_bytes - request.hidden_bytes;
    header.data_bytes = request.hidden_bytes;
    header.hidden_volume_bytes = request.hidden_bytes;
  }
  header.volume_bytes = header.data_bytes;
  return header;
}

// Fresh master keys. The key area behind them stays zero, as other programs leave it.
Result<SecureBuffer> fresh_keys(const CascadeSpec& cascade) {
  auto keys = SecureBuffer::create(header_key_area_bytes);
  if (!keys) return keys;
  VOLT_TRY(random_bytes(keys->span().first(cascade.xts_key_bytes())));
  return keys;
}

// What one end of the container gets: the sealed header in its place, random bytes elsewhere.
Status write_outer_group(BlockDevice& device, std::uint64_t group_offset, ByteSpan sealed) {
  std::vector<std::uint8_t> group(header_group_bytes);  // nothing secret in it
  VOLT_TRY(random_bytes(group));
  std::copy(sealed.begin(), sealed.end(), group.begin());
  return device.write(group_offset, group);
}

Status write_headers(BlockDevice& device, bool hidden, ByteSpan primary, ByteSpan backup) {
  const std::uint64_t size = device.size();
  const auto primary_at = place_offset(hidden ? HeaderPlace::hidden : HeaderPlace::primary, size);
  const auto backup_at =
      place_offset(hidden ? HeaderPlace::backup_hidden : HeaderPlace::backup, size);
  if (!primary_at) return primary_at.error();
  if (!backup_at) return backup_at.error();
  if (hidden) {
    VOLT_TRY(device.write(*backup_at, backup));
    VOLT_TRY(device.flush());
    VOLT_TRY(device.write(*primary_at, primary));
  } else {
    VOLT_TRY(write_outer_group(device, *backup_at, backup));
    VOLT_TRY(device.flush());
    VOLT_TRY(write_outer_group(device, *primary_at, primary));
  }
  return device.flush();
}

}  // namespace

Status seal_headers(const VolumeHeader& header, ByteSpan master_keys, CipherMode mode,
                    const CascadeSpec& cascade, const KdfParameters& kdf, ByteSpan mixed_password,
                    std::span<const MutableByteSpan> outputs, const std::atomic<bool>* cancel) {
  const std::size_t key_bytes = header_key_bytes(mode, cascade);
  auto keys = SecureBuffer::create(outputs.size() * key_bytes);
  if (!keys) return keys.error();
  std::vector<KdfJob> jobs;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const MutableByteSpan salt = outputs[i].first(header_salt_bytes);
    VOLT_TRY(random_bytes(salt));
    jobs.push_back({salt, keys->span().subspan(i * key_bytes, key_bytes)});
  }
  VOLT_TRY(derive_keys(kdf, mixed_password, jobs, cancel));
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    auto plain = SecureBuffer::create(header_plain_bytes);
    if (!plain) return plain.error();
    serialise_header(header, master_keys, plain->span());
    VOLT_TRY(encrypt_header(mode, cascade, jobs[i].key, plain->span()));
    std::copy_n(plain->data(), header_plain_bytes, outputs[i].data() + header_salt_bytes);
  }
  return {};
}

Result<UnlockedVolume> format_volume(BlockDevice& container, const FormatRequest& request) {
  VOLT_TRY(check_request(request, container.size()));
  const auto header = header_for(request, container.size());
  if (!header) return header.error();
  const HeaderPlace place = request.hidden ? HeaderPlace::hidden : HeaderPlace::primary;
  const auto geometry = volume_geometry(*header, place, CipherMode::xts, container.size());
  if (!geometry) return geometry.error();
  auto mixed = mixed_password({request.password, request.keyfiles, request.kdf, request.pim});
  if (!mixed) return mixed.error();
  auto keys = fresh_keys(*request.cascade);
  if (!keys) return keys.error();
  std::array<std::array<std::uint8_t, header_bytes>, 2> sealed{};
  const std::array<MutableByteSpan, 2> outputs = {MutableByteSpan(sealed[0]),
                                                  MutableByteSpan(sealed[1])};
  VOLT_TRY(seal_headers(*header, keys->span(), CipherMode::xts, *request.cascade,
                        kdf_parameters(*request.kdf, request.pim), mixed->span(), outputs,
                        request.cancel));
  auto view = unaligned_view(container);
  if (!view) return view.error();
  VOLT_TRY(write_headers(**view, request.hidden, sealed[0], sealed[1]));
  UnlockedVolume volume;
  volume.header = *header;
  volume.place = place;
  volume.cascade = request.cascade;
  volume.kdf = request.kdf;
  volume.pim = request.pim;
  volume.geometry = *geometry;
  volume.keys = std::move(*keys);
  return volume;
}

}  // namespace volt
