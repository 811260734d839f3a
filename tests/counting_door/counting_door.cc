#include "tests/counting_door/counting_door.h"

#include <sys/socket.h>
#include <sys/uio.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace volt {
namespace {

constexpr int largest_message = 4 << 20;  // bytes that may wait in the sockets

void transmit(int fd, const CountingDoor::Wire& wire, std::span<const std::uint8_t> payload) {
  std::array<struct iovec, 2> parts = {
      {{const_cast<CountingDoor::Wire*>(&wire), sizeof wire},
       {const_cast<std::uint8_t*>(payload.data()), payload.size()}}};
  struct msghdr message {};
  message.msg_iov = parts.data();
  message.msg_iovlen = parts.size();
  if (::sendmsg(fd, &message, MSG_NOSIGNAL) < 0 && errno != EPIPE) std::abort();
}

}  // namespace

Result<std::unique_ptr<FrontDoor>> CountingDoor::open(const FrontDoorRequest&, std::string* why) {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    *why = "no sockets";
    return error_from_errno("socketpair", errno);
  }
  for (const int end : ends) {
    ::setsockopt(end, SOL_SOCKET, SO_SNDBUFFORCE, &largest_message, sizeof largest_message);
    ::setsockopt(end, SOL_SOCKET, SO_SNDBUF, &largest_message, sizeof largest_message);
  }
  return std::unique_ptr<FrontDoor>(
      new CountingDoor(FileDescriptor(ends[0]), FileDescriptor(ends[1])));
}

// Laid out in the buffer so that a write's data begins where the pool expects it.
Received CountingDoor::receive(RequestBuffer& buffer, std::size_t* length) noexcept {
  std::uint8_t* const header = buffer.payload() - sizeof(Wire);
  std::array<struct iovec, 2> parts = {
      {{header, sizeof(Wire)}, {buffer.payload(), max_request_bytes}}};
  struct msghdr message {};
  message.msg_iov = parts.data();
  message.msg_iovlen = parts.size();
  const ssize_t got = ::recvmsg(served_.get(), &message, 0);
  if (got < 0 && (errno == EINTR || errno == EAGAIN)) return Received::none_yet;
  if (got <= 0) return Received::ended;
  *length = static_cast<std::size_t>(got);
  return Received::request;
}

bool CountingDoor::parse(RequestBuffer& buffer, std::size_t length,
                         VolumeRequest* request) noexcept {
  Wire wire;
  std::memcpy(&wire, buffer.payload() - sizeof wire, sizeof wire);
  if (length < sizeof wire || wire.kind == other_kind) return false;
  *request = {wire.kind == write_kind, wire.unique, wire.offset, {buffer.payload(), wire.bytes}};
  return true;
}

void CountingDoor::answer(const VolumeRequest& request, std::int64_t done) noexcept {
  const Wire wire{request.unique, request.offset, 0, static_cast<std::int32_t>(done)};
  const bool carries = !request.write && done > 0;
  send(wire, carries
                 ? std::span<const std::uint8_t>(request.data).first(static_cast<std::size_t>(done))
                 : std::span<const std::uint8_t>());
}

void CountingDoor::serve_other(RequestBuffer& buffer, std::size_t) noexcept {
  Wire wire;
  std::memcpy(&wire, buffer.payload() - sizeof wire, sizeof wire);
  wire.kind = 7;
  send(wire, {});
}

void CountingDoor::send(const Wire& wire, std::span<const std::uint8_t> payload) noexcept {
  ++answered_;
  transmit(served_.get(), wire, payload);
}

Status CountingDoor::close() {
  ::shutdown(served_.get(), SHUT_RD);
  return {};
}

void CountingDoor::ask(std::int32_t kind, std::uint64_t unique, std::uint64_t offset,
                       std::uint32_t bytes, std::span<const std::uint8_t> payload) {
  transmit(asking_.get(), {unique, offset, bytes, kind}, payload);
}

CountingDoor::Wire CountingDoor::next_answer(std::vector<std::uint8_t>* payload) {
  payload->resize(max_request_bytes);
  Wire wire;
  std::array<struct iovec, 2> parts = {{{&wire, sizeof wire}, {payload->data(), payload->size()}}};
  struct msghdr message {};
  message.msg_iov = parts.data();
  message.msg_iovlen = parts.size();
  const ssize_t got = ::recvmsg(asking_.get(), &message, 0);
  payload->resize(
      got > static_cast<ssize_t>(sizeof wire) ? static_cast<std::size_t>(got) - sizeof wire : 0);
  return wire;
}

}  // namespace volt
