// Memory for requests, and a read or write of the volume as the serving threads see it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "crypto/bytes.h"

namespace volt {

inline constexpr unsigned max_request_bytes = 1048576;  // payload of one read or write

// Memory for one request and its reply, a part of a locked area that outlives it. The request's
// headers lie just below a page boundary, so that the data of a write request starts on it. A
// read's data is put in the same place: by then the request has been taken apart.
class RequestBuffer {
 public:
  // Room for the longest headers that any front door puts before a write's data.
  static constexpr std::size_t header_bytes = 80;
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

// A read or write of the volume. `data`: where a read's data has to go, or where a write's lies.
struct VolumeRequest {
  bool write = false;
  std::uint64_t unique = 0;  // the front door's own number, for the answer
  std::uint64_t offset = 0;
  MutableByteSpan data;
};

}  // namespace volt
