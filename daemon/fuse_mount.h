// A FUSE session on a mount point, from mount to unmount.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "crypto/result.h"
#include "daemon/fast_path.h"
#include "daemon/fuse_ops.h"

namespace volt {

// Thread contract: fd() and process() from any thread; the rest from one.
class FuseMount {
 public:
  // Mounts (fusermount3 where not permitted to oneself) and answers the kernel's first request, so
  // that the files can be reached as soon as threads serve. On an error `*why` is a sentence.
  // Errors: not_found (no /dev/fuse, no fusermount3), permission, no_memory, io.
  static Result<std::unique_ptr<FuseMount>> create(FuseContext* context, RequestBuffer& buffer,
                                                   bool allow_other, std::string* why);
  ~FuseMount();
  FuseMount(const FuseMount&) = delete;
  FuseMount& operator=(const FuseMount&) = delete;

  int fd() const noexcept { return fd_; }
  // Hands a request that serve_fast() left to libfuse.
  void process(std::uint8_t* request, std::size_t length) noexcept;
  // Detaches the mount, if it is still there, even where files are open; their users can no longer
  // reach the volume once this object is gone.
  Status detach();

 private:
  FuseMount() = default;
  Status mount(bool allow_other, std::string* why);
  Status answer_first_request(RequestBuffer& buffer);

  FuseContext* context_ = nullptr;
  fuse_session* session_ = nullptr;
  int fd_ = -1;
  std::string mount_point_;
  std::uint32_t device_minor_ = 0;  // tells our mount from another one on the same folder
  bool mounted_ = false;
};

}  // namespace volt
