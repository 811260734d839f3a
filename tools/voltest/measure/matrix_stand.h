// Containers and mounts for a measurement, made for it and removed after it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "crypto/base/secure_buffer.h"
#include "crypto/modes/cascade_spec.h"

namespace volt {

struct StandOptions {
  std::vector<std::string> folders;   // one; or several: RAID0 over a part in each
  std::uint64_t container_bytes = 0;  // of each container, headers included
  std::vector<const CascadeSpec*> ciphers;
  bool one_by_one = false;  // beside each cipher a volume whose daemon hands on single requests
  std::string disk_model;   // as in a container spec: "hdd-5400x2"; "": the disk itself
};

// One system under test.
struct StandMount {
  std::string name;                     // "plain", the cipher's, or "aes-one-by-one"
  const CascadeSpec* cipher = nullptr;  // null: plain
  bool one_by_one = false;
  std::string mount_point;  // what is measured
};

// Makes, in a new folder of its own below each of options.folders, a plain file and a VeraCrypt
// container for each cipher, with a random password that never leaves memory. The destructor closes
// what is open and removes everything. Throws BenchFailure, Interrupted between
// two containers and between two mounts.
class MatrixStand {
 public:
  explicit MatrixStand(const StandOptions& options);
  ~MatrixStand();
  MatrixStand(const MatrixStand&) = delete;
  MatrixStand& operator=(const MatrixStand&) = delete;

  // Opens all of them through voltd, the plain one first; with a disk model, lying `fill_percent`
  // into the modelled disk.
  std::vector<StandMount> open_all(double fill_percent);
  void close_all() noexcept;

 private:
  void make_folders();
  void make_container(const StandMount& system);
  void open_system(const StandMount& system, const std::string& spec);
  std::string base_spec(const std::string& name) const;  // path, or stripe of paths
  void remove_all() noexcept;

  StandOptions options_;
  std::vector<std::string> folders_;  // our own
  std::vector<StandMount> systems_;   // the plain one first
  std::size_t open_ = 0;              // how many of them are
  SecureBuffer password_;
};

// "hdd-5400-raid0" stands for "hdd-5400x2", the published comparison; others as they are. Throws
// BenchFailure where there is no such disk.
std::string disk_model_spec(const std::string& name);

}  // namespace volt
