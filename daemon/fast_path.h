// FUSE's own words for reads and writes of the volume.
#pragma once

#include <cstddef>
#include <cstdint>

#include "daemon/request_buffer.h"

namespace volt {

// Whether the kernel's request is a read or write of the volume, and which.
bool parse_volume_request(RequestBuffer& buffer, std::size_t length,
                          VolumeRequest* request) noexcept;

// Replies to it on `fuse_fd`: bytes done, or a negative errno.
void answer_volume_request(int fuse_fd, const VolumeRequest& request, std::int64_t done) noexcept;

// The kernel's request to interrupt another. It is swallowed: a running transfer is never cut
// short.
bool is_interrupt(RequestBuffer& buffer, std::size_t length) noexcept;

}  // namespace volt
