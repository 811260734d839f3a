// What else uses a block device.
#pragma once

#include <sys/types.h>

#include <string>

namespace volt {

// "mounted on /mnt/a", "part of /dev/md0", "used for swap": what this mount namespace and the
// kernel do with it. Empty: nothing that is seen.
std::string block_device_use(dev_t number);

// Whether a block device is mounted, used for swap, claimed by another program or part of a larger
// device. Of a device that this user may not open, as far as /proc and /sys tell.
bool device_in_use(dev_t number);

}  // namespace volt
