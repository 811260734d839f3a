#include "blockdev/backing/stripe_device.h"

#include <algorithm>
#include <array>
#include <utility>

#include "blockdev/device/io_range.h"

namespace volt {

namespace {

constexpr std::uint64_t min_chunk_bytes = 4096;
constexpr std::uint64_t max_chunk_bytes = std::uint64_t{1} << 30;
// Helpers wait for disks, so there are more of them than cores: for several long requests at once.
constexpr std::size_t helpers_per_member = 4;

// What all members can do, and the sum of their sizes.
Result<Geometry> joint_geometry(const std::vector<DevicePtr>& members, std::uint64_t chunk_bytes) {
  Geometry joint = members.front()->geometry();
  joint.size_bytes = align_down(joint.size_bytes, chunk_bytes);
  for (const DevicePtr& member : members) {
    const Geometry& one = member->geometry();
    const std::uint64_t usable = align_down(one.size_bytes, chunk_bytes);
    if (usable != joint.size_bytes) {
      return Error{ErrorCode::wrong_file, 0, "members of the stripe differ in size",
                   std::min(one.size_bytes, members.front()->size())};
    }
    if (chunk_bytes % one.alignment_bytes != 0) {
      return Error{ErrorCode::misaligned, 0, "chunk of the stripe", chunk_bytes};
    }
    joint.alignment_bytes = std::max(joint.alignment_bytes, one.alignment_bytes);
    joint.memory_alignment = std::max(joint.memory_alignment, one.memory_alignment);
    joint.read_only = joint.read_only || one.read_only;
    joint.can_discard = joint.can_discard && one.can_discard;
  }
  if (joint.size_bytes == 0) {
    return Error{ErrorCode::wrong_file, 0, "members of the stripe are too small", 0};
  }
  joint.size_bytes *= members.size();
  // A request should reach every member.
  const std::uint64_t stripe_bytes = chunk_bytes * members.size();
  joint.preferred_io_bytes =
      static_cast<std::uint32_t>(std::clamp<std::uint64_t>(stripe_bytes, 131072, 1048576));
  return joint;
}

}  // namespace

Result<DevicePtr> StripeDevice::create(std::vector<DevicePtr> members, std::uint64_t chunk_bytes) {
  if (!is_power_of_two(chunk_bytes) || chunk_bytes < min_chunk_bytes ||
      chunk_bytes > max_chunk_bytes) {
    return Error{ErrorCode::invalid_argument, 0, "chunk of the stripe", chunk_bytes};
  }
  if (members.size() < 2 || members.size() > max_members) {
    return Error{ErrorCode::invalid_argument, 0, "number of members of the stripe", members.size()};
  }
  const auto geometry = joint_geometry(members, chunk_bytes);
  if (!geometry.ok()) return geometry.error();
  const std::size_t wanted = (members.size() - 1) * helpers_per_member;
  auto helpers = HelperPool::create(
      static_cast<unsigned>(std::min<std::size_t>(wanted, HelperPool::max_helpers)), 0);
  if (!helpers.ok()) return helpers.error();
  return DevicePtr(
      new StripeDevice(*geometry, std::move(members), chunk_bytes, *std::move(helpers)));
}

StripeDevice::StripeDevice(const Geometry& geometry, std::vector<DevicePtr> members,
                           std::uint64_t chunk_bytes, std::unique_ptr<HelperPool> helpers) noexcept
    : BlockDevice(geometry),
      members_(std::move(members)),
      chunk_bytes_(chunk_bytes),
      helpers_(std::move(helpers)) {}

template <class Call>
Status StripeDevice::chunks_of_member(std::size_t member, std::uint64_t offset,
                                      std::uint64_t length, const Call& call) noexcept {
  const std::uint64_t end = offset + length;
  const std::uint64_t count = members_.size();
  std::uint64_t chunk = offset / chunk_bytes_;
  chunk += (member + count - chunk % count) % count;
  for (; chunk * chunk_bytes_ < end; chunk += count) {
    const std::uint64_t begin = std::max(offset, chunk * chunk_bytes_);
    const std::uint64_t bytes = std::min(end, (chunk + 1) * chunk_bytes_) - begin;
    const std::uint64_t in_member = chunk / count * chunk_bytes_ + begin % chunk_bytes_;
    VOLT_TRY(call(*members_[member], in_member, begin - offset, bytes));
  }
  return {};
}

template <class Call>
Status StripeDevice::for_each_chunk(std::uint64_t offset, std::uint64_t length,
                                    const Call& call) noexcept {
  const std::uint64_t first = offset / chunk_bytes_;
  const std::uint64_t chunks = (offset + length - 1) / chunk_bytes_ - first + 1;
  const std::size_t touched = std::min<std::uint64_t>(chunks, members_.size());
  const auto member_of_part = [&](std::size_t part) { return (first + part) % members_.size(); };
  if (touched == 1) return chunks_of_member(member_of_part(0), offset, length, call);

  std::array<Status, max_members> results;
  const auto work = [&](std::size_t part) {
    results[part] = chunks_of_member(member_of_part(part), offset, length, call);
  };
  helpers_->run(touched, work);
  for (std::size_t part = 0; part < touched; ++part) {
    if (!results[part].ok()) return results[part];
  }
  return {};
}

Status StripeDevice::do_read(std::uint64_t offset, MutableByteSpan buffer) noexcept {
  return for_each_chunk(
      offset, buffer.size(),
      [&](BlockDevice& member, std::uint64_t at, std::uint64_t from, std::uint64_t bytes) {
        return member.read(at, buffer.subspan(from, bytes));
      });
}

Status StripeDevice::do_write(std::uint64_t offset, ByteSpan buffer) noexcept {
  return for_each_chunk(
      offset, buffer.size(),
      [&](BlockDevice& member, std::uint64_t at, std::uint64_t from, std::uint64_t bytes) {
        return member.write(at, buffer.subspan(from, bytes));
      });
}

Status StripeDevice::do_discard(std::uint64_t offset, std::uint64_t length) noexcept {
  return for_each_chunk(offset, length,
                        [&](BlockDevice& member, std::uint64_t at, std::uint64_t,
                            std::uint64_t bytes) { return member.discard(at, bytes); });
}

Status StripeDevice::do_flush() noexcept {
  std::array<Status, max_members> results;
  // Every member is flushed, whatever became of the others.
  const auto work = [&](std::size_t part) { results[part] = members_[part]->flush(); };
  helpers_->run(members_.size(), work);
  for (const Status& result : results) {
    if (!result.ok()) return result;
  }
  return {};
}

}  // namespace volt
