// A front door for tests: requests come over a pair of sockets from the same process, answers go
// back that way, and it counts them. It shows what a new front door takes: this folder and one row.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "blockdev/file_descriptor.h"
#include "daemon/front_door.h"

namespace volt {

class CountingDoor final : public FrontDoor {
 public:
  struct Wire {
    std::uint64_t unique = 0;
    std::uint64_t offset = 0;
    std::uint32_t bytes = 0;  // of the payload that follows, or that is asked for
    std::int32_t kind = 0;    // see below; in an answer: bytes done, or a negative errno
  };
  static constexpr std::int32_t read_kind = 1;
  static constexpr std::int32_t write_kind = 2;
  static constexpr std::int32_t other_kind = 3;  // answered with 7, by the door itself

  static Result<std::unique_ptr<FrontDoor>> open(const FrontDoorRequest& request, std::string* why);

  int fd() const noexcept override { return served_.get(); }
  Received receive(RequestBuffer& buffer, std::size_t* length) noexcept override;
  bool parse(RequestBuffer& buffer, std::size_t length, VolumeRequest* request) noexcept override;
  void answer(const VolumeRequest& request, std::int64_t done) noexcept override;
  void serve_other(RequestBuffer& buffer, std::size_t length) noexcept override;
  Status close() override;

  // The other side. ask() sends a request; next_answer() waits for any answer, with what was read.
  void ask(std::int32_t kind, std::uint64_t unique, std::uint64_t offset, std::uint32_t bytes,
           std::span<const std::uint8_t> payload = {});
  Wire next_answer(std::vector<std::uint8_t>* payload);

  std::uint64_t answered() const noexcept { return answered_; }

 private:
  CountingDoor(FileDescriptor served, FileDescriptor asking) noexcept
      : served_(std::move(served)), asking_(std::move(asking)) {}
  void send(const Wire& wire, std::span<const std::uint8_t> payload) noexcept;

  FileDescriptor served_;
  FileDescriptor asking_;
  std::atomic<std::uint64_t> answered_{0};
};

}  // namespace volt
