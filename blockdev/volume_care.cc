#include "blockdev/volume_care.h"

#include <algorithm>
#include <array>
#include <utility>

#include "blockdev/header_trial.h"
#include "blockdev/unaligned_view.h"
#include "blockdev/volume_format.h"
#include "crypto/kdf.h"
#include "crypto/random.h"

namespace volt {
namespace {

constexpr std::size_t hidden_in_group = 65536;
constexpr std::size_t legacy_backup_bytes = 1024;

Error invalid(const char* context, std::uint64_t detail = 0) noexcept {
  return Error{ErrorCode::invalid_argument, 0, context, detail};
}

bool is_old(const UnlockedVolume& volume) noexcept {
  return is_old_header_version(volume.header.version);
}

KdfParameters parameters_of(const VolumeSecret& secret) noexcept {
  return kdf_parameters(*secret.kdf, secret.pim);
}

// The places of this volume's header in a container of that size, the one to be written last
// (that from which it was opened, or the primary one) at the end.
std::vector<HeaderPlace> places_to_write(const UnlockedVolume& volume,
                                         std::uint64_t container_bytes) {
  if (volume.place == HeaderPlace::system) return {HeaderPlace::system};
  if (is_old(volume)) {
    return {volume.hidden() ? HeaderPlace::legacy_hidden : HeaderPlace::primary};
  }
  const HeaderPlace own = volume.hidden() ? HeaderPlace::hidden : HeaderPlace::primary;
  const HeaderPlace backup = volume.hidden() ? HeaderPlace::backup_hidden : HeaderPlace::backup;
  const auto backup_at = place_offset(HeaderPlace::backup, container_bytes);
  const VolumeGeometry& geometry = volume.geometry;
  const bool room_for_backup =
      backup_at.ok() && *backup_at >= geometry.data_offset_bytes + geometry.data_bytes;
  if (!room_for_backup) return {own};
  if (place_is_backup(volume.place)) return {own, backup};
  return {backup, own};
}

// One header into all `places`, each with its own salt, each flushed before the next.
Status write_sealed(BlockDevice& container, const UnlockedVolume& volume,
                    const VolumeSecret& secret, ByteSpan mixed,
                    const std::vector<HeaderPlace>& places) {
  std::vector<SealedHeader> sealed(places.size());
  const std::vector<MutableByteSpan> outputs(sealed.begin(), sealed.end());
  VOLT_TRY(seal_headers(volume.header, volume.keys.span(), volume.mode, *volume.cascade,
                        parameters_of(secret), mixed, outputs, secret.cancel));
  auto view = unaligned_view(container);
  if (!view) return view.error();
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto offset = place_offset(places[i], container.size());
    if (!offset) return offset.error();
    VOLT_TRY((*view)->write(*offset, sealed[i]));
    VOLT_TRY((*view)->flush());
  }
  return {};
}

VolumeSecret secret_of(const UnlockRequest& request, const UnlockedVolume& volume) noexcept {
  return {request.password, request.keyfiles, volume.kdf, volume.pim, request.cancel};
}

Status seal_into(MutableByteSpan output, const UnlockedVolume& volume, const VolumeSecret& secret) {
  auto mixed = mixed_password(secret);
  if (!mixed) return mixed.error();
  return seal_headers(volume.header, volume.keys.span(), volume.mode, *volume.cascade,
                      parameters_of(secret), mixed->span(), {&output, 1}, secret.cancel);
}

// What the new secret is sealed with, where it may replace the old one and differs from it.
Result<SecureBuffer> changed_secret(const UnlockedVolume& volume, const VolumeSecret& old_secret,
                                    const VolumeSecret& new_secret) {
  const auto old_mixed = mixed_password(old_secret);
  if (!old_mixed) return old_mixed.error();
  auto new_mixed = mixed_password(new_secret);
  if (!new_mixed) return new_mixed.error();
  if (new_secret.kdf->format != volume.header.format ||
      new_secret.kdf->system != volume.kdf->system) {
    return invalid("the volume's format does not have this PRF");
  }
  const bool same_password = old_mixed->size() == new_mixed->size() &&
                             secure_equal(old_mixed->data(), new_mixed->data(), new_mixed->size());
  if (same_password && old_secret.kdf == new_secret.kdf && old_secret.pim == new_secret.pim) {
    return invalid("password, key files, PIM and PRF are the same as before");
  }
  return new_mixed;
}

// Where the outer volume's backup group stood before the container grew.
Result<std::uint64_t> old_group_offset(const UnlockedVolume& volume, std::uint64_t old_bytes,
                                       std::uint64_t new_bytes) {
  const std::uint64_t data_end = volume.geometry.data_offset_bytes + volume.geometry.data_bytes;
  if (old_bytes == 0) old_bytes = data_end + header_group_bytes;
  if (old_bytes < data_end + header_group_bytes) {
    return invalid("size before growing is less than the volume's", old_bytes);
  }
  if (new_bytes <= old_bytes || new_bytes % unit_bytes != 0) {
    return invalid("the container has not grown by a multiple of 512", new_bytes);
  }
  return old_bytes - header_group_bytes;
}

// The group at the new end: the outer header, and what stood beside it (random bytes, or a hidden
// volume's backup header, which nobody can tell apart).
Status write_new_group(BlockDevice& view, std::uint64_t old_group, const SealedHeader& sealed) {
  std::vector<std::uint8_t> group(header_group_bytes);
  VOLT_TRY(random_bytes(group));
  std::copy(sealed.begin(), sealed.end(), group.begin());
  const MutableByteSpan hidden = MutableByteSpan(group).subspan(hidden_in_group);
  VOLT_TRY(view.read(old_group + hidden_in_group, hidden));
  VOLT_TRY(view.write(view.size() - header_group_bytes, group));
  return view.flush();
}

// What was the backup group is data area now. It may overlap the new group, which stays.
Status scrub_old_group(BlockDevice& view, std::uint64_t old_group) {
  const std::uint64_t new_group = view.size() - header_group_bytes;
  const std::uint64_t bytes = std::min(header_group_bytes, new_group - old_group);
  std::vector<std::uint8_t> noise(static_cast<std::size_t>(bytes));
  VOLT_TRY(random_bytes(noise));
  VOLT_TRY(view.write(old_group, noise));
  return view.flush();
}

}  // namespace

Status change_secret(BlockDevice& container, const UnlockedVolume& volume,
                     const VolumeSecret& old_secret, const VolumeSecret& new_secret) {
  const auto mixed = changed_secret(volume, old_secret, new_secret);
  if (!mixed) return mixed.error();
  return write_sealed(container, volume, new_secret, mixed->span(),
                      places_to_write(volume, container.size()));
}

Status change_backup_secret(MutableByteSpan file, const UnlockedVolume& volume,
                            const VolumeSecret& old_secret, const VolumeSecret& new_secret) {
  const auto mixed = changed_secret(volume, old_secret, new_secret);
  if (!mixed) return mixed.error();
  std::size_t at = 0;
  if (volume.hidden()) at = is_old(volume) ? header_bytes : hidden_in_group;
  if (file.size() < at + header_bytes) return invalid("not a header backup file", file.size());
  return seal_into(file.subspan(at, header_bytes), volume, new_secret);
}

Result<std::vector<std::uint8_t>> make_header_backup(const UnlockedVolume& outer,
                                                     const VolumeSecret& secret,
                                                     const UnlockedVolume* hidden,
                                                     const VolumeSecret* hidden_secret) {
  if (outer.hidden() || (hidden != nullptr && (!hidden->hidden() || hidden_secret == nullptr))) {
    return invalid("a header backup is of an outer and perhaps a hidden volume");
  }
  const bool old = is_old(outer);
  std::vector<std::uint8_t> file(old ? legacy_backup_bytes : header_group_bytes);
  VOLT_TRY(random_bytes(file));
  const MutableByteSpan bytes(file);
  VOLT_TRY(seal_into(bytes.first(header_bytes), outer, secret));
  if (hidden != nullptr) {
    const std::size_t at = old ? header_bytes : hidden_in_group;
    VOLT_TRY(seal_into(bytes.subspan(at, header_bytes), *hidden, *hidden_secret));
  }
  return file;
}

Result<UnlockedVolume> restore_header(BlockDevice& container, BlockDevice* backup_file,
                                      const UnlockRequest& request, UnlockReport* report) {
  UnlockRequest from_backup = request;
  from_backup.headers = backup_file;
  from_backup.backup_header = backup_file == nullptr;
  auto volume = unlock_volume(container, from_backup, report);
  if (!volume) return volume;
  const VolumeSecret secret = secret_of(request, *volume);
  const auto mixed = mixed_password(secret);
  if (!mixed) return mixed.error();
  auto places = places_to_write(*volume, container.size());
  // The container's own backup is good as it is: nothing is gained by writing it.
  if (backup_file == nullptr) places.resize(1);
  VOLT_TRY(write_sealed(container, *volume, secret, mixed->span(), places));
  volume->place = place_is_backup(places.back()) ? places.front() : places.back();
  return volume;
}

Result<UnlockedVolume> expand_volume(BlockDevice& container, const UnlockedVolume& volume,
                                     const VolumeSecret& secret,
                                     std::uint64_t old_container_bytes) {
  if (volume.hidden() || volume.place == HeaderPlace::system || is_old(volume)) {
    return invalid("only outer volumes of TrueCrypt 6 and later and of VeraCrypt can grow");
  }
  const auto old_group = old_group_offset(volume, old_container_bytes, container.size());
  if (!old_group) return old_group.error();
  const auto mixed = mixed_password(secret);
  if (!mixed) return mixed.error();
  VolumeHeader header = volume.header;
  const std::uint64_t room = container.size() - header_group_bytes - header.data_offset_bytes;
  header.data_bytes = room / header.sector_bytes * header.sector_bytes;
  header.volume_bytes = header.data_bytes;
  const auto geometry =
      volume_geometry(header, HeaderPlace::primary, volume.mode, container.size());
  if (!geometry) return geometry.error();

  std::array<SealedHeader, 2> sealed{};
  const std::array<MutableByteSpan, 2> outputs = {MutableByteSpan(sealed[0]),
                                                  MutableByteSpan(sealed[1])};
  VOLT_TRY(seal_headers(header, volume.keys.span(), volume.mode, *volume.cascade,
                        parameters_of(secret), mixed->span(), outputs, secret.cancel));
  auto view = unaligned_view(container);
  if (!view) return view.error();
  VOLT_TRY(write_new_group(**view, *old_group, sealed[0]));
  VOLT_TRY((*view)->write(0, sealed[1]));
  VOLT_TRY((*view)->flush());
  VOLT_TRY(scrub_old_group(**view, *old_group));

  auto keys = SecureBuffer::copy_of(volume.keys.span());
  if (!keys) return keys.error();
  UnlockedVolume grown;
  grown.header = header;
  grown.mode = volume.mode;
  grown.cascade = volume.cascade;
  grown.kdf = secret.kdf;
  grown.pim = secret.pim;
  grown.geometry = *geometry;
  grown.keys = std::move(*keys);
  return grown;
}

Result<std::vector<PlaceState>> check_places(BlockDevice& container, const UnlockedVolume& volume,
                                             const VolumeSecret& secret) {
  const auto mixed = mixed_password(secret);
  if (!mixed) return mixed.error();
  auto view = unaligned_view(container);
  if (!view) return view.error();
  auto places = places_to_write(volume, container.size());
  std::sort(places.begin(), places.end());
  const std::size_t key_bytes = header_key_bytes(volume.mode, *volume.cascade);
  auto keys = SecureBuffer::create(places.size() * key_bytes);
  if (!keys) return keys.error();
  std::vector<SealedHeader> sealed(places.size());
  std::vector<KdfJob> jobs;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto offset = place_offset(places[i], container.size());
    if (!offset) return offset.error();
    VOLT_TRY((*view)->read(*offset, sealed[i]));
    jobs.push_back({ByteSpan(sealed[i]).first(header_salt_bytes),
                    keys->span().subspan(i * key_bytes, key_bytes)});
  }
  VOLT_TRY(derive_keys(parameters_of(secret), mixed->span(), jobs, secret.cancel));
  std::vector<PlaceState> states;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto opened = try_header(volume.header.format, sealed[i], jobs[i].key, 0, volume.cascade);
    PlaceState state{places[i]};
    state.opens = opened.ok();
    state.same_volume =
        opened.ok() && opened->header.data_offset_bytes == volume.header.data_offset_bytes &&
        opened->header.data_bytes == volume.header.data_bytes &&
        secure_equal(opened->keys.data(), volume.keys.data(), header_key_area_bytes);
    states.push_back(state);
  }
  return states;
}

}  // namespace volt
