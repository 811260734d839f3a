#include "daemon/fuse/fuse_mount.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string_view>
#include <utility>
#include <vector>

#include "blockdev/host/file_descriptor.h"
#include "blockdev/host/mount_table.h"
#include "daemon/fuse/fast_path.h"
#include "daemon/fuse/mount_point.h"
#include "daemon/serve/log.h"

namespace volt {
namespace {

// libfuse and fusermount3 write their reasons to standard error, in words of their own; this takes
// them for its lifetime, so that they become part of one message.
class StandardErrorCapture {
 public:
  StandardErrorCapture() noexcept
      : saved_(::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3)),
        file_(::memfd_create("stderr", MFD_CLOEXEC)) {
    if (saved_ && file_) ::dup2(file_.get(), STDERR_FILENO);
  }
  ~StandardErrorCapture() { restore(); }
  StandardErrorCapture(const StandardErrorCapture&) = delete;
  StandardErrorCapture& operator=(const StandardErrorCapture&) = delete;

  // What was written, without the writers' names, lines joined; standard error is back afterwards.
  std::string text() {
    restore();
    std::array<char, 1024> bytes{};
    const ssize_t count = file_ ? ::pread(file_.get(), bytes.data(), bytes.size(), 0) : 0;
    std::string_view rest(bytes.data(), count > 0 ? static_cast<std::size_t>(count) : 0);
    std::string out;
    while (!rest.empty()) {
      const std::size_t end = rest.find('\n');
      std::string_view line = rest.substr(0, end);
      rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
      for (const std::string_view prefix : {"fusermount3: ", "fuse: "}) {
        if (line.starts_with(prefix)) line.remove_prefix(prefix.size());
      }
      if (line.empty()) continue;
      if (!out.empty()) out += "; ";
      out += line;
    }
    return out;
  }

 private:
  void restore() noexcept {
    if (!saved_) return;
    ::dup2(saved_.get(), STDERR_FILENO);
    saved_.reset();
  }

  FileDescriptor saved_;
  FileDescriptor file_;
};

// Options of mount(8), one argument each after "-o"; commas in a name are escaped by libfuse.
class MountOptions {
 public:
  MountOptions() = default;
  ~MountOptions() {
    fuse_opt_free_args(&args_);
    std::free(text_);
  }
  MountOptions(const MountOptions&) = delete;
  MountOptions& operator=(const MountOptions&) = delete;

  bool add(const std::string& option) {
    return fuse_opt_add_opt_escaped(&text_, option.c_str()) == 0;
  }
  fuse_args* finish() {
    const bool ok = fuse_opt_add_arg(&args_, "voltd") == 0 && fuse_opt_add_arg(&args_, "-o") == 0 &&
                    fuse_opt_add_arg(&args_, text_) == 0;
    return ok ? &args_ : nullptr;
  }

 private:
  char* text_ = nullptr;
  fuse_args args_ = FUSE_ARGS_INIT(0, nullptr);
};

// Why a mount will not work, where that can be told beforehand in better words than libfuse has.
Status check_fuse_device(std::string* why) {
  const FileDescriptor fd(::open("/dev/fuse", O_RDWR | O_CLOEXEC));
  if (fd) return {};
  const Error error = error_from_errno("/dev/fuse", errno);
  if (errno == ENOENT || errno == ENODEV || errno == ENXIO) {
    *why = "/dev/fuse is missing: the kernel has no FUSE, or the module 'fuse' is not loaded";
  } else {
    *why = "/dev/fuse cannot be opened: " + std::string(::strerrordesc_np(errno));
  }
  return error;
}

}  // namespace

Result<std::unique_ptr<FuseMount>> FuseMount::create(const FrontDoorRequest& request,
                                                     std::string* why) {
  VOLT_TRY(check_fuse_device(why));
  std::unique_ptr<FuseMount> mount(new FuseMount);
  mount->context_.volume = request.volume;
  VolumeFacts& facts = request.volume->facts;
  mount->mount_point_ = facts.mount_point;
  // By the folder itself where that is permitted: its name may lead elsewhere by now. (Else it is
  // fusermount3's to check what its user may cover.)
  std::string target = facts.mount_point;
  if (request.folder_fd >= 0 && ::geteuid() == 0) {
    auto now = check_held_folder(request.folder_fd, why);
    if (!now) return now.error();
    mount->mount_point_ = facts.mount_point = *std::move(now);
    target = "/proc/self/fd/" + std::to_string(request.folder_fd);
  }
  VOLT_TRY(mount->mount(target, request.allow_other, why));
  if (Status status = mount->answer_first_request(*request.first_buffer); !status) {
    *why = "the kernel did not accept the file system";
    static_cast<void>(mount->close());
    return status.error();
  }
  facts.protocol_minor = mount->context_.protocol_minor;
  return mount;
}

Status FuseMount::mount(const std::string& target, bool allow_other, std::string* why) {
  const VolumeFacts& facts = context_.volume->facts;
  MountOptions options;
  bool added = options.add("fsname=" + facts.container);
  for (const char* option : {"subtype=volt", "default_permissions", "nosuid", "nodev", "noatime"}) {
    added = added && options.add(option);
  }
  added = added && options.add(facts.read_only ? "ro" : "rw");
  if (allow_other) added = added && options.add("allow_other");
  fuse_args* args = added ? options.finish() : nullptr;
  if (args == nullptr) {
    *why = "out of memory";
    return Error{ErrorCode::no_memory, ENOMEM, "mount options", 0};
  }
  StandardErrorCapture capture;
  session_ = fuse_session_new(args, &fuse_operations(), sizeof(fuse_lowlevel_ops), &context_);
  const bool mounted = session_ != nullptr && fuse_session_mount(session_, target.c_str()) == 0;
  const std::string reasons = capture.text();
  if (!mounted) {
    *why = "cannot mount: " + (reasons.empty() ? "libfuse gives no reason" : reasons);
    return Error{ErrorCode::permission, 0, "mount", 0};
  }
  mounted_ = true;
  fd_ = fuse_session_fd(session_);
  const auto mounts = read_mounts();
  const auto entry = mounts ? find_mount(*mounts, mount_point_) : std::nullopt;
  if (entry) {
    device_minor_ = entry->minor;
    context_.volume->facts.mount_id = entry->id;
  }
  return {};
}

Status FuseMount::answer_first_request(RequestBuffer& buffer) {
  ssize_t length = 0;
  do {
    length = ::read(fd_, buffer.request(), buffer.request_bytes());
  } while (length < 0 && errno == EINTR);
  if (length < 0) return error_from_errno("first request", errno);
  serve_other(buffer, static_cast<std::size_t>(length));
  if (context_.protocol_minor == 0 || fuse_session_exited(session_) != 0) {
    return Error{ErrorCode::not_supported, 0, "protocol version", 0};
  }
  return {};
}

Received FuseMount::receive(RequestBuffer& buffer, std::size_t* length) noexcept {
  const ssize_t got = ::read(fd_, buffer.request(), buffer.request_bytes());
  if (got > 0) {
    *length = static_cast<std::size_t>(got);
    return Received::request;
  }
  if (got < 0 && (errno == EINTR || errno == EAGAIN)) return Received::none_yet;
  if (got < 0 && errno == ENOENT) return Received::taken_back;
  return Received::ended;  // ENODEV: unmounted
}

bool FuseMount::parse(RequestBuffer& buffer, std::size_t length, VolumeRequest* request) noexcept {
  return parse_volume_request(buffer, length, request);
}

void FuseMount::answer(const VolumeRequest& request, std::int64_t done) noexcept {
  answer_volume_request(fd_, request, done);
}

void FuseMount::serve_other(RequestBuffer& buffer, std::size_t length) noexcept {
  if (is_interrupt(buffer, length)) return;
  fuse_buf whole{};
  whole.size = length;
  whole.mem = buffer.request();
  fuse_session_process_buf(session_, &whole);
}

Status FuseMount::close() {
  if (!mounted_) return {};
  mounted_ = false;
  const auto mounts = read_mounts();
  if (!mounts) return mounts.error();
  const auto entry = find_mount(*mounts, mount_point_);
  if (!entry || !entry->ours() || entry->minor != device_minor_) return {};
  return unmount(*entry, /*lazy=*/true);
}

// Not fuse_session_unmount(): it would unmount whatever is on the folder by now.
FuseMount::~FuseMount() {
  if (session_ != nullptr) fuse_session_destroy(session_);
}

Result<std::unique_ptr<FrontDoor>> open_fuse_mount(const FrontDoorRequest& request,
                                                   std::string* why) {
  auto mount = FuseMount::create(request, why);
  if (!mount) return mount.error();
  return std::unique_ptr<FrontDoor>(std::move(*mount));
}

}  // namespace volt
