// Reads and writes of the volume, straight from the kernel's request to the device and back.
#pragma once

#include <cstddef>
#include <cstdint>

#include "crypto/bytes.h"
#include "daemon/fuse_ops.h"
#include "daemon/served_volume.h"

namespace volt {

// Memory for one request and its reply, a part of a locked area that outlives it. The request's
// headers lie just below a page boundary, so that the data of a write request starts on it. A
// read's data is put in the same place: by then the request has been taken apart.
class RequestBuffer {
 public:
  static constexpr std::size_t header_bytes = 80;  // fuse_in_header and fuse_write_in
  static constexpr std::size_t payload_offset = 4096;
  static constexpr std::size_t bytes = payload_offset + max_request_bytes;

  // `area`: `bytes` long, on a page boundary.
  explicit RequestBuffer(MutableByteSpan area) noexcept : area_(area) {}

  std::uint8_t* request() noexcept { return area_.data() + request_offset; }
  std::size_t request_bytes() const noexcept { return area_.size() - request_offset; }
  std::uint8_t* payload() noexcept { return area_.data() + payload_offset; }

 private:
  static constexpr std::size_t request_offset = payload_offset - header_bytes;

  MutableByteSpan area_;
};

// A read or write of the volume, as the kernel asks for it. `data`: where a read's data has to go,
// or where a write's lies.
struct VolumeRequest {
  bool write = false;
  std::uint64_t unique = 0;
  std::uint64_t offset = 0;
  MutableByteSpan data;
};

// False: something else.
bool parse_volume_request(RequestBuffer& buffer, std::size_t length,
                          VolumeRequest* request) noexcept;

// Replies to it: bytes done, or a negative errno.
void answer(int fuse_fd, const VolumeRequest& request, std::int64_t done) noexcept;

// Serves a read or write of the volume and sends the reply to `fuse_fd`; swallows the kernel's
// request to interrupt one (a running transfer is never cut short). False: not one of these, the
// request is libfuse's. No allocation, no lock.
bool serve_fast(ServedVolume& volume, int fuse_fd, RequestBuffer& buffer,
                std::size_t length) noexcept;

}  // namespace volt
