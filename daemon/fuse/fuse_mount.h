// A FUSE session on a mount point, from mount to unmount.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "crypto/base/result.h"
#include "daemon/fuse/fuse_ops.h"
#include "daemon/serve/front_door.h"

namespace volt {

// The front door "fuse". Thread contract: FrontDoor's.
class FuseMount final : public FrontDoor {
 public:
  // Mounts (fusermount3 where not permitted to oneself) and answers the kernel's first request, so
  // that the files can be reached as soon as threads serve. On an error `*why` is a sentence.
  // Errors: not_found (no /dev/fuse, no fusermount3), permission, no_memory, io.
  static Result<std::unique_ptr<FuseMount>> create(const FrontDoorRequest& request,
                                                   std::string* why);
  ~FuseMount() override;

  int fd() const noexcept override { return fd_; }
  Received receive(RequestBuffer& buffer, std::size_t* length) noexcept override;
  bool parse(RequestBuffer& buffer, std::size_t length, VolumeRequest* request) noexcept override;
  void answer(const VolumeRequest& request, std::int64_t done) noexcept override;
  // What is left goes to libfuse.
  void serve_other(RequestBuffer& buffer, std::size_t length) noexcept override;
  // Detaches the mount, if it is still there, even where files are open; their users can no longer
  // reach the volume once this object is gone.
  Status close() override;

 private:
  FuseMount() = default;
  Status mount(const std::string& target, bool allow_other, std::string* why);
  Status answer_first_request(RequestBuffer& buffer);

  FuseContext context_;
  fuse_session* session_ = nullptr;
  int fd_ = -1;
  std::string mount_point_;
  std::uint32_t device_minor_ = 0;  // tells our mount from another one on the same folder
  bool mounted_ = false;
};

// For the table of front doors.
Result<std::unique_ptr<FrontDoor>> open_fuse_mount(const FrontDoorRequest& request,
                                                   std::string* why);

}  // namespace volt
