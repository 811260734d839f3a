#include "blockdev/volume_unlock.h"

#include <algorithm>
#include <mutex>
#include <thread>
#include <utility>

#include "blockdev/available_memory.h"
#include "blockdev/container_fit.h"
#include "blockdev/unaligned_view.h"
#include "blockdev/unlock_plan.h"
#include "blockdev/unlock_search.h"
#include "blockdev/volume_secret.h"
#include "crypto/legacy_cipher.h"

namespace volt {
namespace {

// Argon2id without being asked for by name: above this a wrong guess takes a minute or more.
constexpr std::uint32_t most_unasked_passes = 13;

Error invalid(const char* context, std::uint64_t detail = 0) noexcept {
  return Error{ErrorCode::invalid_argument, 0, context, detail};
}

std::vector<HeaderPlace> places_of(const UnlockRequest& request) {
  if (request.system) return {HeaderPlace::system};
  std::vector<HeaderPlace> places;
  const bool outer = !request.hidden;
  const bool hidden = !request.only_outer;
  if (!request.backup_header) {
    if (outer) places.push_back(HeaderPlace::primary);
    if (hidden) places.push_back(HeaderPlace::hidden);
    if (hidden) places.push_back(HeaderPlace::legacy_hidden);
  }
  if (outer) places.push_back(HeaderPlace::backup);
  if (hidden) places.push_back(HeaderPlace::backup_hidden);
  return places;
}

// In a file of headers, two places are different: that of a system volume, where the file is the
// bare header, and that of an old hidden volume, where TrueCrypt wrote the file as a backup.
Result<std::uint64_t> offset_in(HeaderPlace place, const UnlockRequest& request,
                                std::uint64_t size) noexcept {
  if (request.headers != nullptr && place == HeaderPlace::legacy_hidden) {
    if (size == 2 * header_bytes) return std::uint64_t{header_bytes};
    return Error{ErrorCode::out_of_range, 0, "not a backup of old headers", size};
  }
  const bool bare =
      request.headers != nullptr && place == HeaderPlace::system && !place_offset(place, size).ok();
  return place_offset(bare ? HeaderPlace::primary : place, size);
}

Result<std::vector<PlacedHeader>> read_headers(BlockDevice& device, const UnlockRequest& request) {
  auto view = unaligned_view(device);
  if (!view) return view.error();
  std::vector<PlacedHeader> headers;
  bool any_place = false;
  for (const HeaderPlace place : places_of(request)) {
    const auto offset = offset_in(place, request, device.size());
    if (!offset) continue;
    any_place = true;
    PlacedHeader header{place, {}};
    VOLT_TRY((*view)->read(*offset, header.sealed));
    // A hole is nobody's header.
    const auto is_zero = [](std::uint8_t byte) { return byte == 0; };
    if (std::all_of(header.sealed.begin(), header.sealed.end(), is_zero)) continue;
    headers.push_back(header);
  }
  if (!any_place) {
    return Error{ErrorCode::wrong_file, 0,
                 request.headers != nullptr ? "the file of headers is too short"
                                            : "too short to be a volume",
                 device.size()};
  }
  return headers;
}

class Unlocker {
 public:
  // `cut`: take the container for as long as a header says.
  Unlocker(BlockDevice& container, const UnlockRequest& request, bool cut, UnlockReport* report,
           const UnlockConditions& conditions)
      : container_(container),
        request_(request),
        cut_(cut),
        report_(report),
        conditions_(conditions),
        search_(
            request,
            [this](const VolumeHeader& header, HeaderPlace place, CipherMode mode) {
              return geometry_of(header, place, mode);
            },
            report, conditions) {}

  Result<UnlockedVolume> run() {
    VOLT_TRY(check_request());
    BlockDevice& source = request_.headers != nullptr ? *request_.headers : container_;
    const auto headers = read_headers(source, request_);
    if (!headers) return headers.error();
    if (headers->empty()) report_->header_problem = "there are only zeros where headers stand";
    for (const auto format : {VolumeFormat::truecrypt, VolumeFormat::veracrypt}) {
      if (headers->empty() || (request_.format && *request_.format != format)) continue;
      auto mixed = mixed_password(format);
      if (!mixed) return mixed.error();
      if (mixed->empty()) continue;
      const auto over = search(format, *headers, mixed->span());
      if (!over) return over.error();
      if (*over) break;
    }
    auto result = search_.result();
    note_places(*headers);
    return result;
  }

 private:
  unsigned cores() const {
    if (conditions_.threads != 0) return conditions_.threads;
    return std::max(std::thread::hardware_concurrency(), 1U);
  }

  Status check_request() const {
    VOLT_TRY(check_pim(request_.format, request_.system, request_.pim));
    if (request_.hidden && (request_.only_outer || request_.system)) {
      return invalid("hidden and outer or system volume at once");
    }
    return {};
  }

  // True where the search is over.
  Result<bool> search(VolumeFormat format, const std::vector<PlacedHeader>& headers,
                      ByteSpan mixed_password) {
    auto plan = UnlockPlan::create(request_, format, headers, conditions_.parameters);
    if (!plan) return plan.error();
    // Before the reckoning, so that the progress does not wait for what is left out.
    const unsigned at_once = argon2_at_once(&plan->last);
    search_.expect(cost_of(plan->first) + cost_of(plan->last));
    const bool over = search_.run(plan->first, mixed_password, cores(), 1) ||
                      search_.run(plan->last, mixed_password, cores(), at_once);
    search_.make_up_for_a_problem(*plan, mixed_password);
    if (over) return true;
    for (std::string& left_out : plan->left_out) report_->skipped.push_back(std::move(left_out));
    return false;
  }

  static double cost_of(const std::vector<UnlockTask>& tasks) {
    double sum = 0;
    for (const UnlockTask& task : tasks) sum += task.cost_ns;
    return sum;
  }

  // Empty where the format cannot have such a password and need not be tried.
  Result<SecureBuffer> mixed_password(VolumeFormat format) const {
    const bool old = format == VolumeFormat::truecrypt;
    if (request_.pim != 0 && !format_has_pim(format)) {
      report_->skipped.push_back(std::string(format_name(format)) + ": its volumes have no PIM");
      return SecureBuffer();
    }
    if (old && request_.password.size() > truecrypt_max_password && !request_.format) {
      report_->skipped.emplace_back("truecrypt: the password is longer than 64 bytes");
      return SecureBuffer();
    }
    return volt::mixed_password(format, request_.password, request_.keyfiles);
  }

  // How many Argon2id derivations memory allows at a time; takes them out where it allows none.
  unsigned argon2_at_once(std::vector<UnlockTask>* tasks) const {
    const auto is_argon2 = [](const UnlockTask& task) { return task.needs_memory(); };
    const auto first = std::find_if(tasks->begin(), tasks->end(), is_argon2);
    if (first == tasks->end()) return 1;
    const Argon2Parameters parameters = first->keys->parameters.argon2;
    const std::uint64_t needed = std::uint64_t{parameters.memory_kib} * 1024;
    const std::uint64_t available = available_memory_bytes();
    const std::string mib = std::to_string(needed >> 20);
    std::string why;
    if (!request_.prf && parameters.passes > most_unasked_passes) {
      why = "argon2id: with this PIM it takes " + std::to_string(parameters.passes) +
            " passes over " + mib + " MiB; name the PRF to try it";
    } else if (needed > available) {
      why = "argon2id: needs " + mib + " MiB, " + std::to_string(available >> 20) + " MiB are free";
    } else {
      return static_cast<unsigned>(std::min<std::uint64_t>(available / needed, cores()));
    }
    report_->skipped.push_back(std::move(why));
    tasks->erase(std::remove_if(tasks->begin(), tasks->end(), is_argon2), tasks->end());
    return 1;
  }

  // A drive's image, or the image of one partition beside a header from elsewhere. Called from any
  // thread.
  Result<VolumeGeometry> geometry_of(const VolumeHeader& header, HeaderPlace place,
                                     CipherMode mode) {
    const std::uint64_t size = container_.size();
    const bool partition = place == HeaderPlace::system && request_.headers != nullptr &&
                           (size == header.volume_bytes || size <= header.data_offset_bytes);
    if (partition) return system_partition_geometry(header, size);
    const std::uint64_t expected = expected_container_bytes(header, place);
    // Whether a container is cut short is asked only of a header that is sound otherwise.
    const bool possible = expected > size && expected <= INT64_MAX;
    auto whole = volume_geometry(header, place, mode, possible ? expected : size);
    if (!whole || whole->data_offset_bytes + whole->data_bytes <= size) return whole;
    {
      const std::lock_guard lock(mutex_);
      report_->expected_container_bytes = std::max(report_->expected_container_bytes, expected);
      report_->container_bytes = size;
    }
    if (cut_) return whole;
    auto refused = volume_geometry(header, place, mode, size);
    if (!refused) return refused;
    return Error{ErrorCode::bad_header, 0, "data size (past the end of the container)",
                 header.data_bytes};
  }

  void note_places(const std::vector<PlacedHeader>& headers) const {
    if (report_->tried.empty()) return;
    std::string places;
    for (const PlacedHeader& header : headers) {
      places += places.empty() ? "headers: " : " + ";
      places += place_name(header.place);
    }
    report_->tried.push_back(std::move(places));
  }

  BlockDevice& container_;
  const UnlockRequest& request_;
  bool cut_;
  UnlockReport* report_;
  const UnlockConditions& conditions_;
  std::mutex mutex_;  // guards report_->expected_container_bytes
  UnlockSearch search_;
};

}  // namespace

Result<UnlockedVolume> unlock_volume(BlockDevice& container, const UnlockRequest& request,
                                     UnlockReport* report, const UnlockConditions& conditions) {
  UnlockReport unread;
  if (report == nullptr) report = &unread;
  auto volume = Unlocker(container, request, false, report, conditions).run();
  // Once more, so that a header that fits the container as it is has been looked for first.
  const bool cut = !volume.ok() && volume.error().code == ErrorCode::bad_header &&
                   report->expected_container_bytes != 0;
  if (!cut || !request.cut_allowed) return volume;
  *report = {};
  return Unlocker(container, request, true, report, conditions).run();
}

Result<std::unique_ptr<UnitCipher>> make_volume_cipher(const UnlockedVolume& volume,
                                                       KernelChoice choice) {
  const std::size_t needed = header_key_bytes(volume.mode, *volume.cascade);
  const ByteSpan keys = volume.keys.span().first(needed);
  if (volume.mode != CipherMode::xts) {
    auto legacy = LegacyCipher::create(volume.mode, *volume.cascade, keys);
    if (!legacy) return legacy.error();
    return std::unique_ptr<UnitCipher>(std::move(*legacy));
  }
  auto cipher = CascadeCipher::create(*volume.cascade, keys, choice);
  if (!cipher) return cipher.error();
  return std::unique_ptr<UnitCipher>(std::move(*cipher));
}

}  // namespace volt
