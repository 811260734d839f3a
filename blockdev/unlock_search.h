// The search for what opens a header: derivations side by side, the first hit ends it.
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "blockdev/header_trial.h"
#include "blockdev/volume_geometry.h"
#include "blockdev/volume_unlock.h"
#include "crypto/kdf_spec.h"
#include "crypto/secure_buffer.h"

namespace volt {

struct PlacedHeader {
  HeaderPlace place;
  SealedHeader sealed;
};

// The derived keys of some headers, side by side; filled step by step.
struct UnlockKeys {
  const KdfSpec* kdf;
  std::vector<const PlacedHeader*> headers;
  SecureBuffer bytes;  // key_bytes for each header

  static constexpr std::size_t key_bytes = 192;  // enough for every mode and cascade
  MutableByteSpan key(std::size_t header) noexcept {
    return bytes.span().subspan(header * key_bytes, key_bytes);
  }
  static Result<UnlockKeys> create(const KdfSpec& kdf, std::vector<const PlacedHeader*> headers);
};

// One step: derives bytes [from, to) of the keys and tries what needs no more than `to` bytes, but
// more than `from`. A later step of the same keys stands in a later run().
struct UnlockTask {
  UnlockKeys* keys;
  std::size_t from;
  std::size_t to;
};

// Thread contract: run() starts threads of its own and joins them; all else from one thread.
class UnlockSearch {
 public:
  // `geometry_of` judges a header that opened: a bad_header keeps it from being a hit.
  using GeometryFunction =
      std::function<Result<VolumeGeometry>(const VolumeHeader&, HeaderPlace, CipherMode)>;

  UnlockSearch(const UnlockRequest& request, GeometryFunction geometry_of, UnlockReport* report);

  // Runs the tasks in their order on at most `threads` threads. True where the search is over: with
  // a hit, or with an error that ends it (see result()).
  bool run(const std::vector<UnlockTask>& tasks, ByteSpan mixed_password, unsigned threads);

  // The hit, or why there is none.
  Result<UnlockedVolume> result();

 private:
  void work(const std::vector<UnlockTask>& tasks, ByteSpan mixed_password);
  void run_task(const UnlockTask& task, ByteSpan mixed_password);
  void try_headers(const UnlockTask& task);
  void keep_hit(const UnlockTask& task, HeaderPlace place, OpenedHeader opened,
                const VolumeGeometry& geometry);
  void keep_problem(HeaderPlace place, const Error& error);
  void derivation_failed(const UnlockTask& task, const Error& error);
  void announce(const UnlockTask& task);
  void finished(const UnlockTask& task);
  void wait_for_workers();

  const UnlockRequest& request_;
  GeometryFunction geometry_of_;
  UnlockReport* report_;

  std::atomic<bool> stop_{false};
  std::atomic<std::size_t> next_task_{0};

  std::mutex mutex_;  // guards what follows
  std::condition_variable worker_done_;
  std::size_t workers_ = 0;
  double cost_done_ = 0;
  double cost_total_ = 0;
  std::optional<UnlockedVolume> hit_;
  std::optional<Error> error_;
};

}  // namespace volt
