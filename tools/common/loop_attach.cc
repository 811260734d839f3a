#include "tools/common/loop_attach.h"

#include <fcntl.h>
#include <linux/falloc.h>
#include <linux/loop.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <utility>

#include "blockdev/host/child.h"
#include "blockdev/host/file_descriptor.h"

namespace volt {
namespace {

constexpr const char* control_path = "/dev/loop-control";
constexpr int attach_attempts = 16;  // another process may take the free device first
constexpr auto answer_limit = std::chrono::seconds(3);
constexpr std::size_t max_name_bytes = LO_NAME_SIZE - 1;
// Before the name that a device keeps: it is Volt's, not somebody's on a file of the same name.
const std::string own_mark = "volt:";

// Configures one device; the errno, or 0. What the kernel refuses is asked for less: first without
// direct I/O, then with 512-byte sectors.
int configure(int device_fd, int file_fd, const LoopRequest& request) {
  int reason = 0;
  for (const std::uint32_t sector : {request.sector_bytes, std::uint32_t{512}}) {
    for (const std::uint32_t direct : {std::uint32_t{LO_FLAGS_DIRECT_IO}, std::uint32_t{0}}) {
      struct loop_config config {};
      config.fd = static_cast<__u32>(file_fd);
      config.block_size = sector;
      config.info.lo_flags = direct | (request.read_only ? std::uint32_t{LO_FLAGS_READ_ONLY} : 0);
      const std::string name = own_mark + request.file;
      std::memcpy(config.info.lo_file_name, name.data(), std::min(name.size(), max_name_bytes));
      if (::ioctl(device_fd, LOOP_CONFIGURE, &config) == 0) return 0;
      reason = errno;
      if (reason != EINVAL && reason != EOPNOTSUPP) return reason;
    }
  }
  return reason;
}

LoopDevice describe(std::string path, int device_fd, std::uint32_t sector_bytes) {
  LoopDevice device;
  device.path = std::move(path);
  device.sector_bytes = sector_bytes;
  struct loop_info64 info {};
  if (::ioctl(device_fd, LOOP_GET_STATUS64, &info) == 0) {
    device.direct_io = (info.lo_flags & LO_FLAGS_DIRECT_IO) != 0;
  }
  std::ifstream size("/sys/block/" + device.path.substr(5) + "/queue/logical_block_size");
  std::uint32_t sector = 0;
  if (size >> sector) device.sector_bytes = sector;
  return device;
}

// The name that was given when it was attached. The kernel looks at the file's attributes first,
// which it has kept (daemon/fuse/fuse_ops.cc), so that this works without the daemon.
CallOutcome given_name(const std::string& device) {
  const FileDescriptor loop(::open(device.c_str(), O_RDONLY | O_CLOEXEC));
  struct loop_info64 info {};
  if (!loop || ::ioctl(loop.get(), LOOP_GET_STATUS64, &info) != 0) return {errno, {}};
  const auto* name = reinterpret_cast<const char*>(info.lo_file_name);
  return {0, std::string(name, ::strnlen(name, max_name_bytes))};
}

}  // namespace

Status check_loop_permission() {
  const FileDescriptor control(::open(control_path, O_RDWR | O_CLOEXEC));
  if (!control) return error_from_errno(control_path, errno);
  return {};
}

Result<LoopDevice> attach_loop(const LoopRequest& request) {
  const FileDescriptor control(::open(control_path, O_RDWR | O_CLOEXEC));
  if (!control) return error_from_errno(control_path, errno);
  const int mode = request.read_only ? O_RDONLY : O_RDWR;
  for (int attempt = 0; attempt < attach_attempts; ++attempt) {
    const int number = ::ioctl(control.get(), LOOP_CTL_GET_FREE);
    if (number < 0) return error_from_errno("no free loop device", errno);
    const std::string path = "/dev/loop" + std::to_string(number);
    const FileDescriptor device(::open(path.c_str(), mode | O_CLOEXEC));
    if (!device) return error_from_errno("cannot open the loop device", errno);
    const int reason = configure(device.get(), request.fd, request);
    if (reason == 0) return describe(path, device.get(), request.sector_bytes);
    if (reason != EBUSY) return error_from_errno("cannot attach a loop device", reason);
  }
  return Error{ErrorCode::busy, EBUSY, "cannot attach a loop device", 0};
}

Status forbid_zeroing_by_holes(const LoopDevice& device) {
  const FileDescriptor loop(::open(device.path.c_str(), O_RDWR | O_CLOEXEC));
  if (!loop) return error_from_errno("cannot open the loop device", errno);
  const int zeroed =
      ::fallocate(loop.get(), FALLOC_FL_ZERO_RANGE | FALLOC_FL_KEEP_SIZE, 0, device.sector_bytes);
  const std::string queue = "/sys/block/" + device.path.substr(5) + "/queue/";
  const auto limit = [&queue](const char* name, std::uint64_t unknown) {
    std::ifstream file(queue + name);
    std::uint64_t bytes = 0;
    return file >> bytes ? bytes : unknown;
  };
  // What somebody has set for an earlier use of the device is still in force, and the kernel then
  // does not even ask the file.
  if (limit("discard_max_bytes", 1) == 0) {
    return Error{ErrorCode::not_supported, 0,
                 "TRIM has been turned off on the loop device (queue/discard_max_bytes)", 0};
  }
  if (zeroed == 0 || limit("write_zeroes_max_bytes", 1) != 0) {
    return Error{ErrorCode::not_supported, 0,
                 "with a loop device on this kernel, zeroing would become TRIM", 0};
  }
  return {};
}

std::vector<std::string> loop_devices_on(const std::string& file) {
  std::vector<std::string> devices;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/sys/block", ignored)) {
    const std::string name = entry.path().filename();
    if (!name.starts_with("loop")) continue;
    const std::string device = "/dev/" + name;
    if (loop_backing_file(device) == file) devices.push_back(device);
  }
  std::sort(devices.begin(), devices.end());
  return devices;
}

std::string loop_backing_file(const std::string& device) {
  std::ifstream file("/sys/block/" + device.substr(5) + "/loop/backing_file");
  std::string name;
  std::getline(file, name);
  return name;
}

std::string LeftLoop::mount_point() const {
  const std::string_view suffix = left_loop_file;
  return file.ends_with(suffix) ? file.substr(0, file.size() - suffix.size()) : file;
}

std::vector<LeftLoop> left_loops() {
  std::vector<LeftLoop> loops;
  for (const std::string& device : loop_devices_on(left_loop_file)) {
    const auto name = run_bounded(answer_limit, [&device] { return given_name(device); });
    if (!name || name->sys_errno != 0 || !name->text.starts_with(own_mark)) continue;
    loops.push_back({device, name->text.substr(own_mark.size())});
  }
  return loops;
}

bool left_loop_is_on(const LeftLoop& loop, const std::string& file) {
  return loop.file == std::string_view(file).substr(0, max_name_bytes - own_mark.size());
}

}  // namespace volt
