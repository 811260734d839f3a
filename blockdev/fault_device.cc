#include "blockdev/fault_device.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "blockdev/io_range.h"
#include "blockdev/seeded_random.h"

namespace volt {

namespace {

// Memory that a direct read or write takes.
class AlignedMemory {
 public:
  AlignedMemory(std::uint64_t size, std::uint64_t alignment)
      : bytes_(size + alignment), size_(size) {
    const auto address = reinterpret_cast<std::uintptr_t>(bytes_.data());
    start_ = align_up(address, alignment) - address;
  }
  MutableByteSpan span() { return MutableByteSpan(bytes_).subspan(start_, size_); }

 private:
  std::vector<std::uint8_t> bytes_;
  std::uint64_t size_;
  std::uint64_t start_ = 0;
};

}  // namespace

FaultDevice::FaultDevice(DevicePtr child, FaultPlan plan) : ForwardingDevice(std::move(child)) {
  arm(std::move(plan));
}

void FaultDevice::arm(FaultPlan plan) {
  const std::scoped_lock lock(mutex_);
  plan_ = std::move(plan);
  random_state_ = plan_.seed;
  kind_calls_ = {};
  all_calls_ = 0;
  strikes_ = 0;
  short_.reset();
  old_units_.clear();
  plans_ = std::all_of(plan_.rules.begin(), plan_.rules.end(),
                       [](const FaultRule& rule) { return rule.fault == FaultKind::fail; });
  keeps_old_ = std::any_of(plan_.rules.begin(), plan_.rules.end(), [](const FaultRule& rule) {
    return rule.fault == FaultKind::stale_read;
  });
}

std::uint64_t FaultDevice::strikes() const noexcept {
  const std::scoped_lock lock(mutex_);
  return strikes_;
}

std::uint64_t FaultDevice::calls() const noexcept {
  const std::scoped_lock lock(mutex_);
  return all_calls_;
}

std::optional<FaultDevice::Strike> FaultDevice::next_call(IoKind kind) {
  const std::scoped_lock lock(mutex_);
  const std::uint64_t of_kind = ++kind_calls_[static_cast<std::size_t>(kind)];
  const std::uint64_t of_any = ++all_calls_;
  for (const FaultRule& rule : plan_.rules) {
    if (rule.kind && *rule.kind != kind) continue;
    const std::uint64_t call = rule.kind ? of_kind : of_any;
    if (call < rule.nth || call - rule.nth >= rule.count) continue;
    ++strikes_;
    if (rule.fault == FaultKind::short_device) short_ = rule;
    return Strike{rule, next_random(&random_state_)};
  }
  return std::nullopt;
}

Status FaultDevice::check_length(std::uint64_t offset, std::uint64_t length) const {
  const std::scoped_lock lock(mutex_);
  if (short_ && offset + length > short_->parameter) return short_->error;
  return {};
}

Status FaultDevice::do_read(std::uint64_t offset, MutableByteSpan buffer) noexcept {
  const auto strike = next_call(IoKind::read);
  VOLT_TRY(check_length(offset, buffer.size()));
  if (strike && strike->rule.fault == FaultKind::fail) return strike->rule.error;
  VOLT_TRY(child().read(offset, buffer));
  if (!strike) return {};
  if (strike->rule.fault == FaultKind::bit_flip) {
    const std::uint64_t bit = strike->random % (buffer.size() * 8);
    buffer[bit / 8] = static_cast<std::uint8_t>(buffer[bit / 8] ^ (1U << (bit % 8)));
  } else if (strike->rule.fault == FaultKind::stale_read) {
    make_stale(offset, buffer);
  }
  return {};
}

Status FaultDevice::do_write(std::uint64_t offset, ByteSpan buffer) noexcept {
  const auto strike = next_call(IoKind::write);
  VOLT_TRY(check_length(offset, buffer.size()));
  remember(offset, buffer.size());
  if (!strike) return child().write(offset, buffer);
  switch (strike->rule.fault) {
    case FaultKind::fail:
      return strike->rule.error;
    case FaultKind::lost_write:
      return {};
    case FaultKind::torn_write: {
      const std::uint64_t grain = std::max<std::uint64_t>(unit_bytes, geometry().alignment_bytes);
      const std::uint64_t kept = strike->random % (buffer.size() / grain + 1) * grain;
      VOLT_TRY(child().write(offset, buffer.first(kept)));
      return strike->rule.error;
    }
    case FaultKind::torn_write_unseen:
      return write_torn(offset, buffer, strike->random);
    case FaultKind::misdirected_write:
      return child().write(other_place(offset, buffer.size(), strike->random), buffer);
    case FaultKind::bit_flip:
      return write_flipped(offset, buffer, strike->random);
    case FaultKind::stale_read:
    case FaultKind::short_device:
      break;
  }
  return child().write(offset, buffer);
}

bool FaultDevice::do_plan(PlannedIo* io) noexcept {
  return plans_ && io->push(*this) != nullptr && plan_child(io);
}

Status FaultDevice::do_finish(const PlannedFrame& /*frame*/, const PlannedIo& io,
                              Status outcome) noexcept {
  const auto strike = next_call(io.write ? IoKind::write : IoKind::read);
  if (strike && strike->rule.fault == FaultKind::fail) return strike->rule.error;
  return outcome;
}

Status FaultDevice::do_flush() noexcept {
  const auto strike = next_call(IoKind::flush);
  if (strike && strike->rule.fault == FaultKind::fail) return strike->rule.error;
  return child().flush();
}

Status FaultDevice::do_discard(std::uint64_t offset, std::uint64_t length) noexcept {
  const auto strike = next_call(IoKind::discard);
  VOLT_TRY(check_length(offset, length));
  if (strike && strike->rule.fault == FaultKind::fail) return strike->rule.error;
  return child().discard(offset, length);
}

// A write of one unit cannot be torn: it is lost.
Status FaultDevice::write_torn(std::uint64_t offset, ByteSpan buffer, std::uint64_t random) {
  const std::uint64_t grain = std::max<std::uint64_t>(unit_bytes, geometry().alignment_bytes);
  const std::uint64_t units = buffer.size() / grain;
  if (units < 2) return {};
  return child().write(offset, buffer.first((1 + random % (units - 1)) * grain));
}

Status FaultDevice::write_flipped(std::uint64_t offset, ByteSpan buffer, std::uint64_t random) {
  AlignedMemory memory(buffer.size(), geometry().memory_alignment);
  const MutableByteSpan copy = memory.span();
  std::memcpy(copy.data(), buffer.data(), buffer.size());
  const std::uint64_t bit = random % (buffer.size() * 8);
  copy[bit / 8] = static_cast<std::uint8_t>(copy[bit / 8] ^ (1U << (bit % 8)));
  return child().write(offset, copy);
}

std::uint64_t FaultDevice::other_place(std::uint64_t offset, std::uint64_t length,
                                       std::uint64_t random) const noexcept {
  const std::uint64_t grain = std::max<std::uint64_t>(unit_bytes, geometry().alignment_bytes);
  const std::uint64_t places = (size() - length) / grain + 1;
  const std::uint64_t place = random % places * grain;
  return place == offset ? (random + 1) % places * grain : place;
}

void FaultDevice::remember(std::uint64_t offset, std::uint64_t length) {
  const std::scoped_lock lock(mutex_);
  if (!keeps_old_) return;
  // The child may want whole blocks.
  const std::uint64_t grain = std::max<std::uint64_t>(unit_bytes, geometry().alignment_bytes);
  const std::uint64_t begin = align_down(offset, grain);
  const std::uint64_t end = std::min(align_up(offset + length, grain), align_down(size(), grain));
  if (end <= begin) return;
  AlignedMemory old(end - begin, geometry().memory_alignment);
  if (!child().read(begin, old.span()).ok()) return;
  for (std::uint64_t unit = begin; unit < end; unit += unit_bytes) {
    Unit content;
    std::memcpy(content.data(), old.span().data() + (unit - begin), unit_bytes);
    old_units_.insert_or_assign(unit, content);
  }
}

void FaultDevice::make_stale(std::uint64_t offset, MutableByteSpan buffer) const {
  const std::scoped_lock lock(mutex_);
  for (auto it = old_units_.lower_bound(align_down(offset, unit_bytes));
       it != old_units_.end() && it->first < offset + buffer.size(); ++it) {
    const std::uint64_t begin = std::max(it->first, offset);
    const std::uint64_t end = std::min(it->first + unit_bytes, offset + buffer.size());
    std::memcpy(buffer.data() + (begin - offset), it->second.data() + (begin - it->first),
                end - begin);
  }
}

}  // namespace volt
