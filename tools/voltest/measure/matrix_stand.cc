#include "tools/voltest/measure/matrix_stand.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "blockdev/formats/formats.h"
#include "blockdev/host/child.h"
#include "blockdev/host/file_descriptor.h"
#include "blockdev/stack/container_spec.h"
#include "blockdev/stack/device_stack.h"
#include "crypto/base/random.h"
#include "tools/common/child_process.h"
#include "tools/common/interrupt.h"
#include "tools/common/size_text.h"
#include "tools/voltest/measure/failure.h"

namespace volt {
namespace {

// Standard output is the report's: what the program says there goes to standard error.
Result<int> run_quietly(const std::vector<std::string>& arguments, ByteSpan input) {
  ChildRequest request;
  request.argv = arguments;
  request.input = input;
  request.output = ChildOutput::our_errors;
  const auto ran = run_child(request);
  if (!ran) return ran.error();
  return ran->end.shell_status();
}

namespace fs = std::filesystem;
constexpr std::uint64_t stripe_chunk_bytes = 131072;
constexpr std::size_t password_bytes = 32;
constexpr std::uint32_t stand_pim = 1;          // how long opening takes is not measured here
constexpr unsigned modelled_disk_threads = 40;  // more than the depth of 32 that is measured

// Letters only, so that no channel changes it.
SecureBuffer random_password() {
  auto password = SecureBuffer::create(password_bytes);
  if (!password) throw BenchFailure("password", password.error());
  const Status filled = random_bytes(password->span());
  if (!filled.ok()) throw BenchFailure("password", filled.error());
  for (std::uint8_t& byte : password->span()) byte = static_cast<std::uint8_t>('a' + byte % 16);
  return *std::move(password);
}

void make_part(const std::string& path, std::uint64_t bytes) {
  const FileDescriptor fd(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!fd) throw BenchFailure(path, error_from_errno("making it", errno));
  const auto length = static_cast<off_t>(bytes);
  if (::fallocate(fd.get(), 0, 0, length) == 0) return;
  if (errno != EOPNOTSUPP || ::ftruncate(fd.get(), length) != 0) {
    throw BenchFailure(path, error_from_errno("allocating it", errno));
  }
}

void check_space(const std::string& folder, std::uint64_t needed) {
  struct statvfs info {};
  if (::statvfs(folder.c_str(), &info) != 0) {
    throw BenchFailure(folder, error_from_errno("asking for free space", errno));
  }
  const std::uint64_t free_bytes = static_cast<std::uint64_t>(info.f_bavail) * info.f_frsize;
  if (free_bytes / 10 * 9 >= needed) return;
  throw BenchFailure(
      folder,
      fmt::format("{} are needed for all containers, {} are free; use a smaller --size"
                  " or fewer --ciphers",
                  format_size(needed), format_size(free_bytes)),
      exit_wrong_device);
}

void stop_if_interrupted() {
  if (interrupted()) throw Interrupted();
}

}  // namespace

MatrixStand::MatrixStand(const StandOptions& options)
    : options_(options), password_(random_password()) {
  try {
    systems_.push_back({"plain", nullptr, false, ""});
    for (const CascadeSpec* cipher : options_.ciphers) {
      systems_.push_back({cipher->name, cipher, false, ""});
      if (!options_.one_by_one) continue;
      systems_.push_back({std::string(cipher->name) + "-one-by-one", cipher, true, ""});
    }
    make_folders();
    for (StandMount& system : systems_) {
      stop_if_interrupted();
      system.mount_point = folders_[0] + "/" + system.name;
      make_container(system);
    }
  } catch (...) {
    remove_all();
    throw;
  }
}

MatrixStand::~MatrixStand() {
  close_all();
  remove_all();
}

void MatrixStand::make_folders() {
  const std::uint64_t each = options_.container_bytes / options_.folders.size();
  for (const std::string& parent : options_.folders) {
    check_space(parent, each * systems_.size());
    std::string name = parent + "/voltest-matrix-XXXXXX";
    if (::mkdtemp(name.data()) == nullptr) {
      throw BenchFailure(parent, error_from_errno("making a folder in it", errno));
    }
    folders_.push_back(fs::absolute(name).string());
  }
}

std::string MatrixStand::base_spec(const std::string& name) const {
  if (folders_.size() == 1) return folders_[0] + "/" + name + ".img";
  std::string spec = fmt::format("stripe:{}:", stripe_chunk_bytes);
  for (std::size_t i = 0; i < folders_.size(); ++i) {
    spec += fmt::format("{}{}/{}.img", i == 0 ? "" : ",", folders_[i], name);
  }
  return spec;
}

void MatrixStand::make_container(const StandMount& system) {
  const std::string& name = system.name;
  const std::uint64_t parts = folders_.size();
  const std::uint64_t each =
      options_.container_bytes / parts / stripe_chunk_bytes * stripe_chunk_bytes;
  for (const std::string& folder : folders_) make_part(folder + "/" + name + ".img", each);
  fs::create_directory(system.mount_point);
  if (system.cipher == nullptr) return;
  ContainerOptions access;
  access.direct = DirectIo::off;
  auto container = open_container(base_spec(name), access);
  if (!container) throw BenchFailure(base_spec(name), container.error());
  NewVolume wanted;
  wanted.options.format = "veracrypt";
  wanted.options.prf = "sha512";
  wanted.options.cipher = system.cipher->name;
  wanted.key.password = password_.span();
  wanted.key.pim = stand_pim;
  const auto volume = find_format(wanted.options.format)->maker()->make(*container->device, wanted);
  if (!volume) throw BenchFailure(base_spec(name), volume.error());
  const Status flushed = container->device->flush();
  if (!flushed.ok()) throw BenchFailure(base_spec(name), flushed.error());
}

void MatrixStand::open_system(const StandMount& system, const std::string& spec) {
  std::vector<std::string> arguments = {sibling_program("volt"), "open", spec, system.mount_point};
  if (!options_.disk_model.empty()) arguments.emplace_back("--testing");
  if (system.one_by_one) {
    arguments.emplace_back("--threads=1");
  } else if (!options_.disk_model.empty()) {
    arguments.push_back(fmt::format("--threads={}", modelled_disk_threads));
  }
  if (system.cipher == nullptr) {
    arguments.emplace_back("--plain");
  } else {
    for (const char* word : {"--prf", "sha512", "--format", "veracrypt", "--password-file", "-"}) {
      arguments.emplace_back(word);
    }
    arguments.push_back(fmt::format("--pim={}", stand_pim));
  }
  const ByteSpan input = system.cipher == nullptr ? ByteSpan{} : password_.span();
  const auto status = run_quietly(arguments, input);
  if (!status) throw BenchFailure(arguments[0], status.error());
  if (*status != 0) throw BenchFailure(spec, "volt open failed", static_cast<ExitStatus>(*status));
}

std::vector<StandMount> MatrixStand::open_all(double fill_percent) {
  for (const StandMount& system : systems_) {
    stop_if_interrupted();
    std::string spec = base_spec(system.name);
    if (!options_.disk_model.empty()) {
      spec = fmt::format("model:{}@{:g}:{}", options_.disk_model, fill_percent, spec);
    }
    open_system(system, spec);
    ++open_;
  }
  return systems_;
}

void MatrixStand::close_all() noexcept {
  for (; open_ > 0; --open_) {
    const std::string& mount_point = systems_[open_ - 1].mount_point;
    const auto status = run_quietly({sibling_program("volt"), "close", mount_point}, {});
    if (!status || *status != 0) {
      std::fprintf(stderr, "voltest: %s: could not be closed\n", mount_point.c_str());
    }
  }
}

// Only what was made here, name by name: never a tree that may still hold a mount.
void MatrixStand::remove_all() noexcept {
  std::error_code error;
  for (const std::string& folder : folders_) {
    for (const StandMount& system : systems_) {
      fs::remove(folder + "/" + system.name + ".img", error);
      fs::remove(folder + "/" + system.name, error);
    }
    fs::remove(folder, error);
    if (error) std::fprintf(stderr, "voltest: %s: could not be removed\n", folder.c_str());
  }
  folders_.clear();
}

std::string disk_model_spec(const std::string& name) {
  const std::string spec = name == "hdd-5400-raid0" ? "hdd-5400x2" : name;
  if (!spec.empty() && !parse_container_spec("model:" + spec + ":container").ok()) {
    throw BenchFailure("--disk-model",
                       "no such disk: " + name + "; there are hdd-5400-raid0 and hdd-5400[xDISKS]",
                       exit_wrong_parameters);
  }
  return spec;
}

}  // namespace volt
