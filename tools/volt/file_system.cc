#include "tools/volt/file_system.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>

#include <fmt/core.h>

#include "blockdev/host/child.h"
#include "blockdev/host/error_text.h"
#include "blockdev/host/file_descriptor.h"
#include "blockdev/stack/container_spec.h"
#include "crypto/base/same_name.h"
#include "tools/common/child_process.h"
#include "tools/common/new_file.h"
#include "tools/volt/new_container.h"

namespace volt {
namespace {

// Runs a program of the system; what it says is shown only where it fails. Administrators' folders
// are not in everybody's PATH.
constexpr const char* quiet_script =
    "PATH=$PATH:/sbin:/usr/sbin; said=$(\"$0\" \"$@\" 2>&1 >/dev/null) || "
    "{ status=$?; printf '%s\\n' \"$said\" | tail -n 3 >&2; exit $status; }";

Result<int> run_tool(const std::string& program, const std::vector<std::string>& arguments) {
  ChildRequest request;
  request.argv = {"/bin/sh", "-c", quiet_script, program};
  request.argv.insert(request.argv.end(), arguments.begin(), arguments.end());
  request.owns_interrupts = true;
  const auto ran = run_child(request);
  if (!ran) return ran.error();
  return ran->end.shell_status();
}

// The read end of a pipe that holds the password. Passwords are far smaller than a pipe's buffer,
// so the write cannot block.
Result<FileDescriptor> password_pipe(ByteSpan password) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return error_from_errno("cannot make a pipe", errno);
  FileDescriptor read_end(ends[0]);
  const FileDescriptor write_end(ends[1]);
  VOLT_TRY(write_all(write_end.get(), password));
  return read_end;
}

// A temporary folder, removed (not its contents) when it goes.
class MountFolder {
 public:
  MountFolder() {
    std::error_code error;
    std::string pattern = std::filesystem::temp_directory_path(error) / "volt-XXXXXX";
    if (mkdtemp(pattern.data()) != nullptr) path_ = pattern;
  }
  ~MountFolder() {
    if (!path_.empty()) rmdir(path_.c_str());
  }
  MountFolder(const MountFolder&) = delete;
  MountFolder& operator=(const MountFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

std::optional<std::string> problem_of(const Result<int>& ran, const char* what) {
  if (!ran.ok()) return fmt::format("{}: {}", what, error_text(ran.error()));
  if (*ran != 0) return fmt::format("{} failed (exit status {})", what, *ran);
  return std::nullopt;
}

}  // namespace

std::span<const FileSystemSpec> all_file_systems() {
  static const std::vector<FileSystemSpec> rows = {
      {"ext4", "mkfs.ext4", {"-q", "-F"}},
      {"ext2", "mkfs.ext2", {"-q", "-F"}},
      {"fat", "mkfs.fat", {}},
      {"exfat", "mkfs.exfat", {}},
      {"ntfs", "mkfs.ntfs", {"-F", "-Q", "-q"}},
      {"xfs", "mkfs.xfs", {"-q", "-f"}},
      {"btrfs", "mkfs.btrfs", {"-q", "-f"}},
  };
  return rows;
}

const FileSystemSpec* find_file_system(std::string_view name, bool* known) {
  *known = name.empty() || same_name(name, "none");
  for (const FileSystemSpec& row : all_file_systems()) {
    if (same_name(row.name, name)) {
      *known = true;
      return &row;
    }
  }
  return nullptr;
}

bool file_system_tool_exists(const FileSystemSpec& spec) {
  const auto ran = run_program(
      {"/bin/sh", "-c", "PATH=$PATH:/sbin:/usr/sbin; command -v \"$0\" >/dev/null", spec.program});
  return ran.ok() && *ran == 0;
}

std::optional<std::string> make_file_system(const FileSystemSpec& spec, const std::string& name,
                                            const std::vector<int>& files,
                                            const CredentialOptions& options, ByteSpan password) {
  const auto voltd = find_voltd();
  if (!voltd.ok()) return error_text(voltd.error());
  const auto pipe_end = password_pipe(password);
  if (!pipe_end.ok()) return error_text(pipe_end.error());
  const MountFolder folder;
  if (folder.path().empty()) return std::string("cannot make a temporary folder");

  // While this process lives: if it is killed, the volume is closed all the same.
  std::array<int, 2> alive{};
  if (pipe2(alive.data(), O_CLOEXEC) != 0)
    return error_text(error_from_errno("cannot make a pipe", errno));
  FileDescriptor watched(alive[0]);
  const FileDescriptor living(alive[1]);

  CredentialOptions handed = options;
  handed.password = PasswordSource{};
  handed.password.fd = pipe_end->get();
  std::vector<std::string> arguments = {*voltd, "--called-as=volt",
                                        "--while-fd=" + std::to_string(watched.get())};
  for (std::string& argument : credential_arguments(handed)) arguments.push_back(argument);
  arguments.emplace_back("--");
  arguments.push_back(container_name_over(name, descriptor_paths(files)));
  arguments.push_back(folder.path());
  std::vector<int> passed = files;
  passed.insert(passed.end(), {pipe_end->get(), watched.get()});
  if (auto problem = problem_of(run_program(arguments, passed), "voltd")) return problem;
  watched.reset();

  std::vector<std::string> made(spec.arguments.begin(), spec.arguments.end());
  made.push_back(folder.path() + "/volume");
  auto problem = problem_of(run_tool(spec.program, made), spec.program);
  const auto closed = problem_of(run_program({"/proc/self/exe", "close", folder.path()}), "close");
  return problem ? problem : closed;
}

}  // namespace volt
