// Loop devices on a volume's file: the kernel's own block device on top of the daemon.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "crypto/base/result.h"

namespace volt {

struct LoopRequest {
  int fd = -1;                       // the file itself, open for what the device is to do
  std::string file;                  // its name, which the device keeps
  std::uint32_t sector_bytes = 512;  // logical block size
  bool read_only = false;
};

struct LoopDevice {
  std::string path;
  bool direct_io = false;            // else the kernel caches the file as well
  std::uint32_t sector_bytes = 512;  // as the kernel accepted it
};

// Whether this process may attach loop devices. Errors: permission, not_found.
Status check_loop_permission();

// Attaches the next free device, with direct I/O where the kernel grants it. Errors: permission,
// not_found (no loop devices), busy, io.
Result<LoopDevice> attach_loop(const LoopRequest& request);

// Makes the kernel write zeros where it is asked for zeros, instead of punching holes: a hole in an
// encrypted container does not read back as zeros. A loop device gives up zeroing by itself once
// the file has refused it; so it is asked to zero one sector, which must be refused, as must the
// writes that the kernel then tries instead: the daemon is to hold writes meanwhile. Errors:
// not_supported where the kernel does not give it up.
Status forbid_zeroing_by_holes(const LoopDevice& device);

// Devices whose backing file is `file`, by the kernel's name for it.
std::vector<std::string> loop_devices_on(const std::string& file);

// The kernel's name for the file of a device that is attached; empty where none is.
std::string loop_backing_file(const std::string& device);

// A device that its volume has left behind: the mount is gone, mostly since the daemon ended with
// the device attached. The kernel then gives the backing file this name.
inline constexpr const char* left_loop_file = "/volume";
struct LeftLoop {
  std::string device;
  std::string file;  // DIR/volume as it was attached; long names are cut off (left_loop_is_on)

  // The folder; what is left of it where the name was cut off.
  std::string mount_point() const;
};

// Those whose names this process may read. Never hangs.
std::vector<LeftLoop> left_loops();

// Whether it was attached to `file`, as far as its name tells.
bool left_loop_is_on(const LeftLoop& loop, const std::string& file);

}  // namespace volt
