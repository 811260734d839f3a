// read_keyfiles(): key files and folders of them, from disk into the pool.
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <string_view>

#include "blockdev/file_descriptor.h"
#include "blockdev/password_source.h"
#include "blockdev/secret_notices.h"

namespace volt {
namespace {

constexpr std::size_t chunk_bytes = 65536;

class KeyfileReader {
 public:
  KeyfileReader(KeyfilePool* pool, SecureBuffer* chunk, std::string* which,
                std::vector<std::string>* notices)
      : pool_(pool), chunk_(chunk), which_(which), notices_(notices) {}

  Status add_path(const std::string& path) {
    *which_ = path;
    struct stat info = {};
    if (stat(path.c_str(), &info) != 0) return error_from_errno("cannot find the key file", errno);
    return S_ISDIR(info.st_mode) ? add_folder(path) : add_file(path);
  }

  // Says once that others can read key files, however many there are.
  void tell_readable() {
    if (readable_count_ == 0) return;
    std::string files = "key file " + first_readable_;
    if (readable_count_ > 1) files += " and " + std::to_string(readable_count_ - 1) + " more";
    notices_->push_back(files +
                        ": the permissions let others read it; chmod 600 leaves it to you alone");
  }

 private:
  // Pipes and devices are read like files: only the first MiB counts, so this ends.
  Status add_file(const std::string& path) {
    *which_ = path;
    const FileDescriptor fd(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
    if (!fd) return error_from_errno("cannot open the key file", errno);
    struct stat info = {};
    if (fstat(fd.get(), &info) == 0 && others_may_read(info)) note_readable(path);
    std::size_t total = 0;
    while (total < keyfile_max_bytes) {
      const std::size_t want = std::min(chunk_->size(), keyfile_max_bytes - total);
      const ssize_t got = read(fd.get(), chunk_->data(), want);
      if (got < 0) {
        if (errno == EINTR) continue;
        return error_from_errno("cannot read the key file", errno);
      }
      if (got == 0) break;
      pool_->add_bytes(chunk_->span().first(static_cast<std::size_t>(got)));
      total += static_cast<std::size_t>(got);
    }
    if (total == 0) return Error{ErrorCode::invalid_argument, 0, "the key file is empty", 0};
    pool_->end_file();
    return {};
  }

  Status add_folder(const std::string& path) {
    const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir(path.c_str()), closedir);
    if (folder == nullptr) return error_from_errno("cannot open the folder of key files", errno);
    bool any = false;
    for (;;) {
      errno = 0;
      const dirent* entry = readdir(folder.get());
      if (entry == nullptr) break;
      const std::string_view name = entry->d_name;
      if (name == "." || name == "..") continue;
      std::string file = path;
      if (file.back() != '/') file += '/';
      file += name;
      bool used = false;
      VOLT_TRY(add_entry(file, name, &used));
      any = any || used;
    }
    if (errno != 0) return error_from_errno("cannot list the folder of key files", errno);
    *which_ = path;
    if (!any) {
      return Error{ErrorCode::invalid_argument, 0, "the folder holds no key file", 0};
    }
    return {};
  }

  Status add_entry(const std::string& file, std::string_view name, bool* used) {
    *which_ = file;
    if (name.front() == '.') {
      notices_->push_back(file + ": hidden file, not used as a key file");
      return {};
    }
    struct stat info = {};
    if (stat(file.c_str(), &info) != 0) return error_from_errno("cannot find the key file", errno);
    if (!S_ISREG(info.st_mode)) {
      notices_->push_back(file + ": not a regular file, not used as a key file");
      return {};
    }
    *used = true;
    return add_file(file);
  }

  void note_readable(const std::string& path) {
    if (readable_count_++ == 0) first_readable_ = path;
  }

  KeyfilePool* pool_;
  SecureBuffer* chunk_;
  std::string* which_;
  std::vector<std::string>* notices_;
  std::string first_readable_;
  std::size_t readable_count_ = 0;
};

}  // namespace

Result<KeyfilePool> read_keyfiles(const std::vector<std::string>& paths, std::string* which,
                                  std::vector<std::string>* notices) {
  auto pool = KeyfilePool::create();
  if (!pool) return pool;
  auto chunk = SecureBuffer::create(chunk_bytes);
  if (!chunk) return chunk.error();
  std::string no_name;
  std::vector<std::string> no_notices;
  KeyfileReader reader(&*pool, &*chunk, which != nullptr ? which : &no_name,
                       notices != nullptr ? notices : &no_notices);
  for (const std::string& path : paths) {
    if (path.empty()) return Error{ErrorCode::invalid_argument, 0, "empty key file name", 0};
    VOLT_TRY(reader.add_path(path));
  }
  reader.tell_readable();
  return pool;
}

}  // namespace volt
