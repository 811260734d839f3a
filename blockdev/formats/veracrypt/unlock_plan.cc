#include "blockdev/formats/veracrypt/unlock_plan.h"

#include <algorithm>
#include <bitset>
#include <utility>

namespace volt {
namespace {

using Parts = std::vector<UnlockPart>;

constexpr double idle_lanes = 1.15;  // what costs no more than this much of something, comes along
constexpr double most_unasked_backup_ns = 1e9;
constexpr std::size_t all_pieces = UnlockKeys::pieces;

// Sealed headers look random: of 256 values some 221 occur in 512 bytes, and hardly ever fewer than
// 190. What a file system or a partition table wrote over a header has far fewer.
bool looks_sealed(const SealedHeader& sealed) {
  constexpr std::size_t fewest_values = 190;
  std::bitset<256> seen;
  for (const std::uint8_t byte : sealed) seen.set(byte);
  return seen.count() >= fewest_values;
}

// True for the header that stands in for another one, which shows no damage.
bool is_spare(const PlacedHeader& header, const std::vector<PlacedHeader>& all) {
  if (!place_is_backup(header.place)) {
    return !looks_sealed(header.sealed) && all.size() > 1;
  }
  const HeaderPlace own =
      header.place == HeaderPlace::backup ? HeaderPlace::primary : HeaderPlace::hidden;
  return std::any_of(all.begin(), all.end(), [&](const PlacedHeader& other) {
    return other.place == own && looks_sealed(other.sealed);
  });
}

Parts joined(Parts a, const Parts& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

class Planner {
 public:
  Planner(const UnlockRequest& request, VolumeFormat format,
          const std::vector<PlacedHeader>& headers, KdfRule parameters, UnlockPlan* plan)
      : request_(request), format_(format), parameters_(parameters), plan_(plan) {
    const bool old = format == VolumeFormat::truecrypt;
    limited_ = !old && !request.prf && !request.backup_header;
    for (const bool spare : {false, true}) {
      for (const PlacedHeader& header : headers) {
        if (header.place == HeaderPlace::legacy_hidden && !old) continue;
        if (is_spare(header, headers) != spare) continue;
        headers_.push_back(&header);
        if (!spare) ++own_;
      }
    }
    if (own_ == 0) own_ = headers_.size();
    const bool short_key = request.cascade != nullptr && !old;
    needed_ = short_key
                  ? header_key_bytes(CipherMode::xts, *request.cascade) / UnlockKeys::piece_bytes
                  : all_pieces;
  }

  Status add(const KdfSpec& kdf) {
    if (headers_.empty()) return {};
    auto keys = UnlockKeys::create(kdf, parameters_(kdf, request_.pim), headers_, own_);
    if (!keys) return keys.error();
    keys_ = keys->get();
    plan_->keys.push_back(std::move(*keys));
    if (kdf.prf == PrfId::argon2id) {
      add_argon2();
    } else if (format_ == VolumeFormat::truecrypt) {
      // So short that one step does.
      add_task(&plan_->first, joined(own(0, all_pieces), spare(0, all_pieces)));
    } else {
      add_pbkdf2();
    }
    return {};
  }

  // The second steps and the leftovers come after everything of the step before.
  void finish() {
    for (UnlockTask& task : second_) plan_->first.push_back(std::move(task));
    for (UnlockTask& task : leftovers_) plan_->last.push_back(std::move(task));
    std::size_t turn = 0;
    for (const auto* list : {&plan_->first, &plan_->last}) {
      for (const UnlockTask& task : *list) note_turn(task, turn++);
    }
    if (!left_out_.empty()) {
      plan_->left_out.push_back(
          left_out_ + " on the backup headers: name the PRF, or ask for the backup header");
    }
  }

 private:
  static void note_turn(const UnlockTask& task, std::size_t turn) {
    for (const UnlockPart& part : task.parts) {
      auto& turns = task.keys->turns[part.header];
      std::fill(turns.begin() + static_cast<std::ptrdiff_t>(part.from),
                turns.begin() + static_cast<std::ptrdiff_t>(part.to), turn);
    }
  }

  Parts parts(std::size_t begin, std::size_t end, std::size_t from, std::size_t to) const {
    Parts out;
    for (std::size_t i = begin; i < end && from < to; ++i) out.push_back({i, from, to});
    return out;
  }
  Parts own(std::size_t from, std::size_t to) const { return parts(0, own_, from, to); }
  Parts spare(std::size_t from, std::size_t to) const {
    return parts(own_, headers_.size(), from, to);
  }

  double cost(const Parts& parts) const {
    return derivation_cost_ns(keys_->parameters, jobs_of(*keys_, parts));
  }

  // Cut into as many tasks as possible where that costs nothing.
  void add_task(std::vector<UnlockTask>* list, const Parts& parts) {
    if (parts.empty()) return;
    std::vector<UnlockTask> single;
    double sum = 0;
    for (const UnlockPart& part : parts) {
      for (std::size_t piece = part.from; piece < part.to; ++piece) {
        const Parts one = {{part.header, piece, piece + 1}};
        single.push_back({keys_, one, cost(one)});
        sum += single.back().cost_ns;
      }
    }
    const double whole = cost(parts);
    constexpr double nothing = 1.01;
    if (sum > whole * nothing || format_ == VolumeFormat::truecrypt) {
      list->push_back({keys_, parts, whole});
      return;
    }
    for (UnlockTask& task : single) list->push_back(std::move(task));
  }

  void add_argon2() {
    // One by one, so that as many run at once as memory allows. The output is of one length.
    const std::size_t end = limited_ ? own_ : headers_.size();
    for (std::size_t i = 0; i < end; ++i) {
      const Parts one = {{i, 0, all_pieces}};
      plan_->last.push_back({keys_, one, cost(one)});
    }
    if (end < headers_.size()) leave_out();
  }

  // Short keys of all PRFs first, then what only cascades need, unless both at once cost less.
  void add_pbkdf2() {
    const Parts begin = own(0, 1);
    const Parts rest = own(1, needed_);
    const Parts all = joined(own(0, needed_), spare(0, 1));
    std::size_t spare_from = 0;
    const double begin_cost = cost(begin);
    if (cost(all) <= begin_cost * idle_lanes || cost(all) < begin_cost + cost(rest)) {
      add_task(&plan_->first, all);
      spare_from = 1;
    } else {
      spare_from += add_with_spares(&plan_->first, begin, spare_from);
      spare_from += add_with_spares(&second_, rest, spare_from);
    }
    const Parts left = spare(spare_from, needed_);
    if (left.empty()) return;
    if (limited_ && cost(left) > most_unasked_backup_ns) return leave_out();
    add_task(limited_ ? &leftovers_ : &second_, left);
  }

  // Pieces of the spare headers that came along: 0 or 1.
  std::size_t add_with_spares(std::vector<UnlockTask>* list, const Parts& parts,
                              std::size_t spare_from) {
    const Parts more = joined(parts, spare(spare_from, 1));
    const bool free = spare_from == 0 && !parts.empty() && own_ < headers_.size() &&
                      cost(more) <= cost(parts) * idle_lanes;
    add_task(list, free ? more : parts);
    return free ? 1 : 0;
  }

  void leave_out() {
    if (!left_out_.empty()) left_out_ += ", ";
    left_out_ += keys_->kdf->name;
  }

  const UnlockRequest& request_;
  VolumeFormat format_;
  KdfRule parameters_;
  UnlockPlan* plan_;
  bool limited_ = false;
  std::vector<const PlacedHeader*> headers_;  // spare ones last
  std::size_t own_ = 0;                       // those that are not spare
  std::size_t needed_ = all_pieces;
  UnlockKeys* keys_ = nullptr;
  std::vector<UnlockTask> second_;
  std::vector<UnlockTask> leftovers_;
  std::string left_out_;
};

}  // namespace

UnlockRank UnlockKeys::rank(std::size_t header, std::size_t count) const noexcept {
  const auto begin = turns[header].begin();
  const std::size_t turn = *std::max_element(begin, begin + static_cast<std::ptrdiff_t>(count));
  return {kdf, headers[header]->place, header >= own, header, turn};
}

std::size_t UnlockKeys::ready_bytes(std::size_t header) const noexcept {
  std::size_t piece = 0;
  while (piece < pieces && ((done[header] >> piece) & 1U) != 0) ++piece;
  return piece * piece_bytes;
}

Result<std::unique_ptr<UnlockKeys>> UnlockKeys::create(const KdfSpec& kdf,
                                                       const KdfParameters& parameters,
                                                       std::vector<const PlacedHeader*> headers,
                                                       std::size_t own) {
  const std::size_t count = headers.size();
  auto bytes = SecureBuffer::create(count * key_bytes);
  if (!bytes) return bytes.error();
  auto keys = std::make_unique<UnlockKeys>(
      UnlockKeys{&kdf, parameters, std::move(headers), std::move(*bytes), {}, own, {}});
  keys->done.resize(count);
  keys->turns.resize(count);
  for (auto& turns : keys->turns) turns.fill(never);
  return keys;
}

std::vector<KdfJob> jobs_of(UnlockKeys& keys, const std::vector<UnlockPart>& parts) {
  std::vector<KdfJob> jobs;
  for (const UnlockPart& part : parts) {
    const std::size_t from = part.from * UnlockKeys::piece_bytes;
    const std::size_t bytes = (part.to - part.from) * UnlockKeys::piece_bytes;
    jobs.push_back({ByteSpan(keys.headers[part.header]->sealed).first(header_salt_bytes),
                    keys.key(part.header).subspan(from, bytes), from});
  }
  return jobs;
}

Result<UnlockPlan> UnlockPlan::create(const UnlockRequest& request, VolumeFormat format,
                                      const std::vector<PlacedHeader>& headers,
                                      KdfRule parameters) {
  UnlockPlan plan;
  Planner planner(request, format, headers, parameters, &plan);
  for (const KdfSpec& kdf : all_kdfs()) {
    if (kdf.format != format || kdf.system != request.system) continue;
    if (request.prf && *request.prf != kdf.prf) continue;
    VOLT_TRY(planner.add(kdf));
  }
  planner.finish();
  return plan;
}

}  // namespace volt
