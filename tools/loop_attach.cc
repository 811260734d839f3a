#include "tools/loop_attach.h"

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
#include <thread>
#include <utility>

namespace volt {
namespace {

constexpr const char* control_path = "/dev/loop-control";
constexpr const char* device_problem = "detaching the loop device";
constexpr int attach_attempts = 16;  // another process may take the free device first
constexpr auto detach_limit = std::chrono::seconds(10);

class Descriptor {
 public:
  Descriptor(const char* path, int flags) noexcept : fd_(::open(path, flags | O_CLOEXEC)) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const noexcept { return fd_; }
  bool ok() const noexcept { return fd_ >= 0; }

 private:
  int fd_;
};

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
      const std::size_t length = std::min<std::size_t>(request.file.size(), LO_NAME_SIZE - 1);
      std::memcpy(config.info.lo_file_name, request.file.data(), length);
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

std::string backing_file(const std::filesystem::path& device_folder) {
  std::ifstream file(device_folder / "loop" / "backing_file");
  std::string name;
  std::getline(file, name);
  return name;
}

}  // namespace

Status check_loop_permission() {
  const Descriptor control(control_path, O_RDWR);
  if (!control.ok()) return error_from_errno(control_path, errno);
  return {};
}

Result<LoopDevice> attach_loop(const LoopRequest& request) {
  const Descriptor control(control_path, O_RDWR);
  if (!control.ok()) return error_from_errno(control_path, errno);
  const int mode = request.read_only ? O_RDONLY : O_RDWR;
  const Descriptor file(request.file.c_str(), mode);
  if (!file.ok()) return error_from_errno("cannot open the volume", errno);
  for (int attempt = 0; attempt < attach_attempts; ++attempt) {
    const int number = ::ioctl(control.get(), LOOP_CTL_GET_FREE);
    if (number < 0) return error_from_errno("no free loop device", errno);
    const std::string path = "/dev/loop" + std::to_string(number);
    const Descriptor device(path.c_str(), mode);
    if (!device.ok()) return error_from_errno("cannot open the loop device", errno);
    const int reason = configure(device.get(), file.get(), request);
    if (reason == 0) return describe(path, device.get(), request.sector_bytes);
    if (reason != EBUSY) return error_from_errno("cannot attach a loop device", reason);
  }
  return Error{ErrorCode::busy, EBUSY, "cannot attach a loop device", 0};
}

Status forbid_zeroing_by_holes(const LoopDevice& device) {
  const Descriptor loop(device.path.c_str(), O_RDWR);
  if (!loop.ok()) return error_from_errno("cannot open the loop device", errno);
  const int zeroed =
      ::fallocate(loop.get(), FALLOC_FL_ZERO_RANGE | FALLOC_FL_KEEP_SIZE, 0, device.sector_bytes);
  std::ifstream limit("/sys/block/" + device.path.substr(5) + "/queue/write_zeroes_max_bytes");
  std::uint64_t bytes = 1;
  if (zeroed == 0 || !(limit >> bytes) || bytes != 0) {
    return Error{ErrorCode::not_supported, 0,
                 "with a loop device on this kernel, zeroing would become TRIM", 0};
  }
  return {};
}

Status detach_loop(const std::string& device, Unwritten unwritten) {
  {
    // Exclusive: fails while a file system is mounted from it.
    const Descriptor loop(device.c_str(), O_RDONLY | O_EXCL);
    if (!loop.ok()) return error_from_errno(device_problem, errno);
    if (::fsync(loop.get()) != 0 && unwritten == Unwritten::is_an_error) {
      return error_from_errno("writing back what it holds", errno);
    }
    if (::ioctl(loop.get(), LOOP_CLR_FD, 0) != 0 && errno != ENXIO) {
      return error_from_errno(device_problem, errno);
    }
  }
  // The kernel lets go when the last opener has closed; there is no event to wait for.
  const auto folder = std::filesystem::path("/sys/block") / device.substr(5);
  const auto end = std::chrono::steady_clock::now() + detach_limit;
  while (!backing_file(folder).empty()) {
    if (std::chrono::steady_clock::now() > end) return error_from_errno(device_problem, EBUSY);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return {};
}

std::vector<std::string> loop_devices_on(const std::string& file) {
  std::vector<std::string> devices;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/sys/block", ignored)) {
    const std::string name = entry.path().filename();
    if (name.starts_with("loop") && backing_file(entry.path()) == file) {
      devices.push_back("/dev/" + name);
    }
  }
  std::sort(devices.begin(), devices.end());
  return devices;
}

}  // namespace volt
