// volt dump and volt load: the decrypted volume to or from a file or pipe, where no FUSE is.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include <fmt/core.h>

#include "blockdev/host/command_line.h"
#include "blockdev/host/error_text.h"
#include "blockdev/stack/credential_rows.h"
#include "blockdev/stack/device_stack.h"
#include "crypto/base/secure_buffer.h"
#include "tools/common/interrupt.h"
#include "tools/common/new_file.h"
#include "tools/common/progress_line.h"
#include "tools/common/report.h"
#include "tools/volt/commands.h"
#include "tools/volt/volume_access.h"

namespace volt {
namespace {

constexpr std::size_t chunk_bytes = std::size_t{1} << 20;

struct TransferOptions {
  std::string file;
  std::string other = "-";  // output of dump, input of load
  bool yes = false;
  CredentialOptions credentials;
};

// As much as there is, at most the buffer: less only at the end of the input.
Result<std::size_t> read_full(int fd, MutableByteSpan buffer) {
  std::size_t done = 0;
  while (done < buffer.size()) {
    const ssize_t count = read(fd, buffer.data() + done, buffer.size() - done);
    if (count < 0) {
      if (errno == EINTR) continue;
      return error_from_errno("cannot read", errno);
    }
    if (count == 0) break;
    done += static_cast<std::size_t>(count);
  }
  return done;
}

// The first `bytes` of the volume.
Status dump_to(int fd, BlockDevice& volume, std::uint64_t bytes) {
  auto buffer = SecureBuffer::create(chunk_bytes);
  if (!buffer.ok()) return buffer.error();
  ProgressLine line;
  for (std::uint64_t done = 0; done < bytes;) {
    if (interrupted()) return Error{ErrorCode::cancelled, 0, "interrupted", done};
    const auto length =
        static_cast<std::size_t>(std::min<std::uint64_t>(chunk_bytes, bytes - done));
    const MutableByteSpan part(buffer->data(), length);
    VOLT_TRY(volume.read(done, part));
    VOLT_TRY(write_all(fd, part));
    done += length;
    line.show_bytes("dumping", done, bytes);
  }
  return {};
}

Status load_from(int fd, BlockDevice& volume, std::uint64_t* loaded) {
  auto buffer = SecureBuffer::create(chunk_bytes);
  if (!buffer.ok()) return buffer.error();
  ProgressLine line;
  std::uint64_t done = 0;
  for (;;) {
    if (interrupted()) return Error{ErrorCode::cancelled, 0, "interrupted", done};
    const auto count = read_full(fd, buffer->span());
    if (!count.ok()) return count.error();
    if (*count == 0) break;
    if (*count > volume.size() - done) {
      return Error{ErrorCode::no_space, 0, "the input is larger than the volume", volume.size()};
    }
    VOLT_TRY(volume.write(done, ByteSpan(buffer->data(), *count)));
    done += *count;
    line.show_bytes("loading", done, volume.size());
  }
  *loaded = done;
  return volume.flush();
}

// The stack over the volume, or nullptr with the error reported.
DevicePtr compose(AccessedVolume* opened, const std::string& file, bool read_only,
                  int* exit_status) {
  StackOptions stack;
  stack.read_only = read_only;
  auto device =
      compose_volume(std::move(opened->container.device), *opened->volume, stack, nullptr);
  if (device.ok()) return *std::move(device);
  *exit_status =
      report_failure(file, error_text(device.error()), exit_status_of(device.error().code));
  return nullptr;
}

int fail(const std::string& what, const Error& error) {
  return report_failure(what, error_text(error), exit_status_of(error.code));
}

// The output is kept where the container is cut short: it may be all that is left.
int report_dumped(const std::string& output, std::uint64_t dumped, std::uint64_t whole) {
  if (dumped == whole) return exit_done;
  return report_failure(
      output, fmt::format("{} of {} bytes written: the container is cut short", dumped, whole),
      exit_wrong_device);
}

int dump(const TransferOptions& options) {
  if (const auto problem = not_a_file_name(options.other)) {
    return report_failure(options.other, *problem, exit_wrong_parameters);
  }
  if (options.other == "-" && isatty(STDOUT_FILENO) == 1) {
    return report_failure(options.file, "not dumping a volume to a terminal; name an output file",
                          exit_wrong_parameters);
  }
  ContainerOptions access;
  access.read_only = true;
  int exit_status = exit_done;
  auto opened =
      access_volume(options.file, access, options.credentials, "Password: ", &exit_status);
  if (!opened) return exit_status;
  const std::uint64_t there = opened->volume->bytes_there(opened->container_bytes());
  const DevicePtr volume = compose(&*opened, options.file, true, &exit_status);
  if (volume == nullptr) return exit_status;
  if (options.other == "-") {
    const Status status = dump_to(STDOUT_FILENO, *volume, there);
    return status.ok() ? report_dumped("standard output", there, volume->size())
                       : fail("standard output", status.error());
  }
  auto output = NewFile::create(options.other);
  if (!output.ok()) return fail(options.other, output.error());
  Status status = dump_to(output->fd(), *volume, there);
  if (status.ok()) status = output->publish();
  return status.ok() ? report_dumped(options.other, there, volume->size())
                     : fail(options.other, status.error());
}

int load(const TransferOptions& options) {
  if (const auto problem = not_a_file_name(options.other)) {
    return report_failure(options.other, *problem, exit_wrong_parameters);
  }
  if (!options.yes) {
    const auto refused = refuse_unless_confirmed("The contents of the volume will be overwritten.");
    if (refused) return report_failure(options.file, *refused, exit_wrong_parameters);
  }
  int fd = STDIN_FILENO;
  if (options.other != "-") {
    fd = open(options.other.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) return fail(options.other, error_from_errno("cannot open", errno));
  } else if (options.credentials.password.file == "-") {
    return report_failure("command line", "standard input cannot be both password and data",
                          exit_wrong_parameters);
  }
  int exit_status = exit_done;
  auto opened = access_volume(options.file, ContainerOptions{}, options.credentials,
                              "Password: ", &exit_status);
  if (!opened) return exit_status;
  if (opened->container.read_only) {
    return report_failure(options.file, "cannot be written", exit_wrong_device);
  }
  const DevicePtr volume = compose(&*opened, options.file, false, &exit_status);
  if (volume == nullptr) return exit_status;
  std::uint64_t loaded = 0;
  const Status status = load_from(fd, *volume, &loaded);
  if (!status.ok()) return fail(options.file, status.error());
  // The stack has the device now, but the files are the same.
  if (const auto lost = container_lost(opened->container)) {
    return report_failure(options.file, *lost, exit_wrong_device);
  }
  if (loaded < volume->size()) {
    report_notice(fmt::format("{} bytes loaded; the last {} bytes of the volume are as they were",
                              loaded, volume->size() - loaded));
  }
  return exit_done;
}

Command& add_transfer(Command& program, const char* name, const char* help, const char* other_help,
                      TransferOptions* options) {
  Command& command = program.add_command(name, help);
  command.add("FILE", &options->file, "the container").needed();
  command.add("OTHER", &options->other, other_help);
  add_credential_options(command, &options->credentials);
  return command;
}

}  // namespace

void add_transfer_commands(Command& program) {
  auto dump_options = std::make_shared<TransferOptions>();
  add_transfer(program, "dump", "Write the decrypted volume to a file or pipe",
               "the new output file; '-' (default): standard output", dump_options.get())
      .runs([dump_options] { return dump(*dump_options); });
  auto load_options = std::make_shared<TransferOptions>();
  Command& command =
      add_transfer(program, "load", "Fill the volume from a file or pipe",
                   "the input file; '-' (default): standard input", load_options.get());
  command.add("--yes", &load_options->yes, "overwrite without asking");
  command.runs([load_options] { return load(*load_options); });
}

}  // namespace volt
