// What an owner does with a volume over the years: change its password, keep and restore its
// headers, grow it. Every change can be cut off after any single write and leaves a header that
// opens the volume with the old or the new secret.
#pragma once

#include <cstdint>
#include <vector>

#include "blockdev/block_device.h"
#include "blockdev/volume_secret.h"
#include "blockdev/volume_unlock.h"
#include "crypto/result.h"

namespace volt {

// Seals the volume's header anew, with fresh salts: password, key files, PIM and PRF may change,
// the master keys stay. The place that the volume was not opened from is written and flushed
// first, so one of them is good at any moment. Volumes of TrueCrypt before 6 and system-encrypted
// ones have one place only: one sector, old or new.
// In a container that is longer than its volume says, the backups that the old secret opens are
// written, at the end or right behind the data, and never foreign bytes.
// Errors: invalid_argument (nothing would change; a secret the format cannot have); wrong_file
// (longer than its volume, and no backup found); io ...
Status change_secret(BlockDevice& container, const UnlockedVolume& volume,
                     const VolumeSecret& old_secret, const VolumeSecret& new_secret);

// The same for a detached header: `file` is the header backup from which the volume was opened, as
// make_header_backup makes it, whole. Errors: as change_secret.
Status change_backup_secret(MutableByteSpan file, const UnlockedVolume& volume,
                            const VolumeSecret& old_secret, const VolumeSecret& new_secret);

// A header backup as VeraCrypt writes and reads it: 131072 bytes, the outer header at 0 and the
// hidden one at 65536, both with fresh salts, random bytes elsewhere (also where no hidden volume
// is given). For TrueCrypt before 6, whose programs differ: 1024 bytes, hidden header at 512.
// `hidden` and `hidden_secret` may both be null.
Result<std::vector<std::uint8_t>> make_header_backup(const UnlockedVolume& outer,
                                                     const VolumeSecret& secret,
                                                     const UnlockedVolume* hidden,
                                                     const VolumeSecret* hidden_secret);

// Opens a header from `backup_file` (as above; null: from the container's own backup places) and
// seals it anew into the container: that of the outer or the hidden volume, whichever the secret of
// `request` opens. In a container that is longer than the volume, its backups only where that
// secret opens them. Errors: those of unlock_volume; bad_header where the header does not belong to
// a container of this size.
Result<UnlockedVolume> restore_header(BlockDevice& container, BlockDevice* backup_file,
                                      const UnlockRequest& request, UnlockReport* report);

// Makes the outer volume fill a container that has been made larger. The new backup group is
// written first (a hidden volume's backup header moves along), then the primary header; the old
// backup group becomes free space, overwritten with random bytes.
// `old_container_bytes` is the size before; 0: what the volume's header says.
// Errors: invalid_argument (hidden, system-encrypted or older volume; nothing to grow), io ...
Result<UnlockedVolume> expand_volume(BlockDevice& container, const UnlockedVolume& volume,
                                     const VolumeSecret& secret,
                                     std::uint64_t old_container_bytes = 0);

// Whether each place of an opened volume holds a header that the secret opens.
struct PlaceState {
  HeaderPlace place;
  std::uint64_t offset_bytes = 0;  // in the container
  bool opens = false;
  bool same_keys = false;    // the same master keys
  bool same_volume = false;  // the same master keys and data area
};
Result<std::vector<PlaceState>> check_places(BlockDevice& container, const UnlockedVolume& volume,
                                             const VolumeSecret& secret);

}  // namespace volt
