// Everything that is not a read or write of the volume: marshalling between libfuse and the files.
#pragma once

#include "daemon/fuse_api.h"
#include "daemon/request_buffer.h"
#include "daemon/served_volume.h"

namespace volt {

// What the callbacks get as user data. `protocol_minor` is set by the kernel's first request.
struct FuseContext {
  ServedVolume* volume = nullptr;
  unsigned protocol_minor = 0;
};

// Callbacks for fuse_session_new(); they may run in any thread.
const fuse_lowlevel_ops& fuse_operations() noexcept;

}  // namespace volt
