#include "tools/voltest/verify/verify_journal.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "blockdev/host/file_descriptor.h"

namespace volt {
namespace {

constexpr std::uint64_t journal_magic = 0x566F6C744A726E33;  // "VoltJrn3"; the 3 is the version
constexpr std::uint64_t version_mask = 0xFF;

void begin(VerifyProgress& progress, const VerifyPlan& plan) {
  progress.magic = journal_magic;
  progress.run = plan.run;
  progress.seed = plan.seed;
  progress.blocks = plan.blocks;
  progress.threads = plan.threads;
}

// Looks at the first eight bytes. Journals before version 3 do not say which run wrote them: a
// block of an older run with the same seed would pass.
Status check_version(int fd) {
  std::uint64_t magic = 0;
  if (::pread(fd, &magic, sizeof magic, 0) != static_cast<ssize_t>(sizeof magic) ||
      (magic | version_mask) != (journal_magic | version_mask)) {
    return Error{ErrorCode::invalid_argument, 0, "not a journal of voltest verify", 0};
  }
  if (magic < journal_magic) {
    return Error{ErrorCode::invalid_argument, 0,
                 "written by an older voltest, which could not tell one run from another; run "
                 "voltest verify anew",
                 0};
  }
  if (magic > journal_magic) {
    return Error{ErrorCode::invalid_argument, 0, "written by a newer voltest; use that one", 0};
  }
  return {};
}

bool sensible(const VerifyProgress& progress) {
  if (progress.magic != journal_magic || progress.threads == 0 ||
      progress.threads > max_verify_threads || progress.blocks < progress.threads) {
    return false;
  }
  if (progress.target[max_target_name - 1] != '\0') return false;
  for (std::uint64_t i = 0; i < progress.threads; ++i) {
    for (int pass = 0; pass < 2; ++pass) {
      if (progress.slices[i].acknowledged[pass].load() > progress.blocks) return false;
    }
  }
  return true;
}

}  // namespace

Result<std::unique_ptr<VerifyJournal>> VerifyJournal::map(int fd) {
  const int kind = fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED;
  void* memory = ::mmap(nullptr, sizeof(VerifyProgress), PROT_READ | PROT_WRITE, kind, fd, 0);
  if (memory == MAP_FAILED) return error_from_errno("mapping the journal", errno);
  return std::unique_ptr<VerifyJournal>(new VerifyJournal(memory));
}

Result<std::unique_ptr<VerifyJournal>> VerifyJournal::in_memory(const VerifyPlan& plan) {
  auto journal = map(-1);
  if (journal) begin((*journal)->progress(), plan);
  return journal;
}

Result<std::unique_ptr<VerifyJournal>> VerifyJournal::create(const std::string& path,
                                                             const VerifyPlan& plan) {
  const FileDescriptor fd(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!fd) return error_from_errno("making the journal", errno);
  // Its room is taken now: a mapped page that finds none later ends the program by SIGBUS.
  if (const int error = ::posix_fallocate(fd.get(), 0, sizeof(VerifyProgress)); error != 0) {
    ::unlink(path.c_str());
    return error_from_errno("making the journal", error);
  }
  auto journal = map(fd.get());
  if (journal) begin((*journal)->progress(), plan);
  return journal;
}

Result<std::unique_ptr<VerifyJournal>> VerifyJournal::open(const std::string& path) {
  const FileDescriptor fd(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  if (!fd) return error_from_errno("opening the journal", errno);
  struct stat info {};
  if (::fstat(fd.get(), &info) != 0) return error_from_errno("opening the journal", errno);
  if (S_ISREG(info.st_mode)) VOLT_TRY(check_version(fd.get()));
  if (!S_ISREG(info.st_mode) || info.st_size != static_cast<off_t>(sizeof(VerifyProgress))) {
    return Error{ErrorCode::invalid_argument, 0, "not a journal of voltest verify", 0};
  }
  auto journal = map(fd.get());
  if (journal && !sensible((*journal)->progress())) {
    return Error{ErrorCode::invalid_argument, 0, "not a journal of voltest verify", 0};
  }
  return journal;
}

VerifyPlan VerifyJournal::plan() const noexcept {
  return {progress_->run, progress_->seed, progress_->blocks,
          static_cast<unsigned>(progress_->threads)};
}

std::uint64_t VerifyJournal::acknowledged_blocks() const noexcept {
  std::uint64_t blocks = 0;
  for (std::uint64_t i = 0; i < progress_->threads; ++i) {
    blocks += progress_->slices[i].acknowledged[0].load();
  }
  return blocks;
}

void VerifyJournal::name_target(std::string_view name) noexcept {
  const std::size_t length = std::min(name.size(), max_target_name - 1);
  std::copy_n(name.data(), length, progress_->target);
  progress_->target[length] = '\0';
}

VerifyJournal::~VerifyJournal() {
  ::munmap(progress_, sizeof(VerifyProgress));
}

}  // namespace volt
