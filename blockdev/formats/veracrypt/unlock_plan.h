// What a search for the right key derives, in which pieces and in which order.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "blockdev/formats/veracrypt/header_trial.h"
#include "blockdev/formats/veracrypt/kdf_table.h"
#include "blockdev/formats/veracrypt/unlock_preference.h"
#include "blockdev/formats/veracrypt/volume_geometry.h"
#include "blockdev/formats/veracrypt/volume_unlock.h"
#include "crypto/base/secure_buffer.h"
#include "crypto/kdf/kdf.h"

namespace volt {

struct PlacedHeader {
  HeaderPlace place;
  SealedHeader sealed;
};

// The derived keys of some headers, side by side; filled piece by piece.
struct UnlockKeys {
  static constexpr std::size_t piece_bytes = 64;  // a single XTS cipher needs no more
  static constexpr std::size_t pieces = 3;
  static constexpr std::size_t key_bytes = piece_bytes * pieces;  // for every mode and cascade

  const KdfSpec* kdf;
  KdfParameters parameters;
  std::vector<const PlacedHeader*> headers;  // in the order in which they are preferred
  SecureBuffer bytes;                        // key_bytes for each header
  std::vector<unsigned> done;                // for each header the set of its pieces that are there
  std::size_t own;                           // headers before this one are not spare
  // For each header and piece the turn of its task in the plan; `never` where none derives it.
  std::vector<std::array<std::size_t, pieces>> turns;
  static constexpr std::size_t never = SIZE_MAX;

  MutableByteSpan key(std::size_t header) noexcept {
    return bytes.span().subspan(header * key_bytes, key_bytes);
  }
  // The rank of `header` where the first `count` pieces of its key open it.
  UnlockRank rank(std::size_t header, std::size_t count) const noexcept;
  // Bytes that are there from the key's beginning.
  std::size_t ready_bytes(std::size_t header) const noexcept;

  // Errors: no_memory.
  static Result<std::unique_ptr<UnlockKeys>> create(const KdfSpec& kdf,
                                                    const KdfParameters& parameters,
                                                    std::vector<const PlacedHeader*> headers,
                                                    std::size_t own);
};

// Pieces [from, to) of the key of one header.
struct UnlockPart {
  std::size_t header;
  std::size_t from;
  std::size_t to;
};

// What one thread derives in one go.
struct UnlockTask {
  UnlockKeys* keys;
  std::vector<UnlockPart> parts;
  double cost_ns;

  bool needs_memory() const noexcept { return keys->parameters.prf == PrfId::argon2id; }
};

std::vector<KdfJob> jobs_of(UnlockKeys& keys, const std::vector<UnlockPart>& parts);

// A search in one format. Stages follow one another; within one, tasks run side by side and are
// begun in their order (mostly). Which header wins is wins_over()'s matter, not that of speed.
//
// A header that shows damage changes places with its backup. What is left of backups after that is
// tried where it costs little: their first pieces in lanes that would stand idle, the rest of
// PBKDF2 last of all, as long as a PRF takes at most a second of one core, and Argon2id never. A
// named PRF, or a request for the backup headers, removes these limits. A wrong password so pays
// little for backups, and a damaged header is nearly always made up for without being asked.
struct UnlockPlan {
  std::vector<std::unique_ptr<UnlockKeys>> keys;
  std::vector<UnlockTask> first;      // PBKDF2
  std::vector<UnlockTask> last;       // Argon2id, then PBKDF2 of backup headers
  std::vector<std::string> left_out;  // for the report

  // Errors: no_memory. The plan points into `headers`.
  static Result<UnlockPlan> create(const UnlockRequest& request, VolumeFormat format,
                                   const std::vector<PlacedHeader>& headers,
                                   KdfRule parameters = kdf_parameters);
};

}  // namespace volt
