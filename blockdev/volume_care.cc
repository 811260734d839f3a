#include "blockdev/volume_care.h"

#include <algorithm>
#include <array>
#include <utility>

#include "blockdev/container_fit.h"
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

struct PlacedAt {
  HeaderPlace place;
  std::uint64_t offset;
};

std::uint64_t data_end(const UnlockedVolume& volume) noexcept {
  return volume.geometry.data_offset_bytes + volume.geometry.data_bytes;
}

Result<PlacedAt> own_place(const UnlockedVolume& volume, std::uint64_t container_bytes) {
  HeaderPlace place = volume.hidden() ? HeaderPlace::hidden : HeaderPlace::primary;
  if (volume.place == HeaderPlace::system) place = HeaderPlace::system;
  if (volume.hidden() && is_old(volume)) place = HeaderPlace::legacy_hidden;
  const auto offset = place_offset(place, container_bytes);
  if (!offset) return offset.error();
  return PlacedAt{place, *offset};
}

// Where the volume's backup header may stand: at the container's end, and, where bytes lie between
// it and the data, also right behind the data. They are there where the container was made longer.
// Empty where there is none, or no room for it.
std::vector<PlacedAt> backup_places(const UnlockedVolume& volume, std::uint64_t container_bytes) {
  if (volume.place == HeaderPlace::system || is_old(volume)) return {};
  const auto group = place_offset(HeaderPlace::backup, container_bytes);
  if (!group || *group < data_end(volume)) return {};
  const HeaderPlace place = volume.hidden() ? HeaderPlace::backup_hidden : HeaderPlace::backup;
  const std::uint64_t in_group = volume.hidden() ? hidden_in_group : 0;
  std::vector<PlacedAt> places = {{place, *group + in_group}};
  if (*group - data_end(volume) >= end_slack_bytes) {
    places.push_back({place, data_end(volume) + in_group});
  }
  return places;
}

// What the secret finds in each of these places.
Result<std::vector<PlaceState>> examine(BlockDevice& container, const UnlockedVolume& volume,
                                        const VolumeSecret& secret,
                                        const std::vector<PlacedAt>& places) {
  const auto mixed = mixed_password(secret);
  if (!mixed) return mixed.error();
  auto view = unaligned_view(container);
  if (!view) return view.error();
  const std::size_t key_bytes = header_key_bytes(volume.mode, *volume.cascade);
  auto keys = SecureBuffer::create(places.size() * key_bytes);
  if (!keys) return keys.error();
  std::vector<SealedHeader> sealed(places.size());
  std::vector<KdfJob> jobs;
  for (std::size_t i = 0; i < places.size(); ++i) {
    VOLT_TRY((*view)->read(places[i].offset, sealed[i]));
    jobs.push_back({ByteSpan(sealed[i]).first(header_salt_bytes),
                    keys->span().subspan(i * key_bytes, key_bytes)});
  }
  VOLT_TRY(derive_keys(parameters_of(secret), mixed->span(), jobs, secret.cancel));
  std::vector<PlaceState> states;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto opened = try_header(volume.header.format, sealed[i], jobs[i].key, 0, volume.cascade);
    PlaceState state{places[i].place, places[i].offset};
    state.opens = opened.ok();
    state.same_keys =
        opened.ok() && secure_equal(opened->keys.data(), volume.keys.data(), header_key_area_bytes);
    state.same_volume = state.same_keys &&
                        opened->header.data_offset_bytes == volume.header.data_offset_bytes &&
                        opened->header.data_bytes == volume.header.data_bytes;
    states.push_back(state);
  }
  return states;
}

// The backups that are the volume's own. Where the container is longer than the volume, what stands
// at its end may be foreign, so only what `secret` opens counts.
Result<std::vector<PlacedAt>> own_backups(BlockDevice& container, const UnlockedVolume& volume,
                                          const VolumeSecret& secret) {
  std::vector<PlacedAt> places = backup_places(volume, container.size());
  if (places.size() < 2) return places;
  const auto states = examine(container, volume, secret, places);
  if (!states) return states.error();
  places.clear();
  for (const PlaceState& state : *states) {
    if (state.same_keys) places.push_back({state.place, state.offset_bytes});
  }
  return places;
}

// The order of writing: the place from which the volume was opened comes last.
std::vector<PlacedAt> in_order(const UnlockedVolume& volume, const PlacedAt& own,
                               const std::vector<PlacedAt>& backups) {
  // Backups: the one at the end, from which volumes are opened, is the first of them.
  std::vector<PlacedAt> places(backups.rbegin(), backups.rend());
  places.insert(place_is_backup(volume.place) ? places.begin() : places.end(), own);
  return places;
}

// One header into all `places`, each with its own salt, each flushed before the next.
Status write_sealed(BlockDevice& container, const UnlockedVolume& volume,
                    const VolumeSecret& secret, ByteSpan mixed,
                    const std::vector<PlacedAt>& places) {
  std::vector<SealedHeader> sealed(places.size());
  const std::vector<MutableByteSpan> outputs(sealed.begin(), sealed.end());
  VOLT_TRY(seal_headers(volume.header, volume.keys.span(), volume.mode, *volume.cascade,
                        parameters_of(secret), mixed, outputs, secret.cancel));
  auto view = unaligned_view(container);
  if (!view) return view.error();
  for (std::size_t i = 0; i < places.size(); ++i) {
    VOLT_TRY((*view)->write(places[i].offset, sealed[i]));
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
  SealedHeader old_hidden{};
  VOLT_TRY(view.read(old_group + hidden_in_group, old_hidden));
  // Zeros where the backup headers had been cut off: they would tell that nothing was hidden.
  const auto is_zero = [](std::uint8_t byte) { return byte == 0; };
  if (!std::all_of(old_hidden.begin(), old_hidden.end(), is_zero)) {
    std::copy(old_hidden.begin(), old_hidden.end(), hidden.begin());
  }
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
  const auto own = own_place(volume, container.size());
  if (!own) return own.error();
  const auto backups = own_backups(container, volume, old_secret);
  if (!backups) return backups.error();
  // Another copy of the header may stand anywhere: it would go on opening with the old secret.
  if (backups->empty() && !backup_places(volume, container.size()).empty()) {
    return Error{ErrorCode::wrong_file, 0,
                 "longer than its volume, and its backup header was not found (volt info tells the "
                 "sizes; cut it to the right one first)",
                 container.size()};
  }
  return write_sealed(container, volume, new_secret, mixed->span(),
                      in_order(volume, *own, *backups));
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
  const auto own = own_place(*volume, container.size());
  if (!own) return own.error();
  std::vector<PlacedAt> backups;
  // The container's own backup is good as it is: nothing is gained by writing it.
  if (backup_file != nullptr) {
    auto found = own_backups(container, *volume, secret);
    if (!found) return found.error();
    backups = *std::move(found);
  }
  VOLT_TRY(
      write_sealed(container, *volume, secret, mixed->span(), in_order(*volume, *own, backups)));
  volume->place = own->place;
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
  const auto own = own_place(volume, container.size());
  if (!own) return own.error();
  std::vector<PlacedAt> places = {*own};
  for (const PlacedAt& backup : backup_places(volume, container.size())) places.push_back(backup);
  auto states = examine(container, volume, secret, places);
  if (!states) return states;
  // Of the two places where a backup may stand, one is enough; where neither opens, the usual one.
  if (states->size() == 3) {
    if (!(*states)[2].opens) {
      states->pop_back();
    } else if (!(*states)[1].opens) {
      states->erase(states->begin() + 1);
    }
  }
  return states;
}

}  // namespace volt
