// Published figures that people compare theirs with, typed in from articles.
#pragma once

#include <span>

namespace volt {

// TrueCrypt's built-in benchmark: mean of encryption and decryption on all cores, MB/s, median of
// five runs on an idle machine.
struct TruecryptCpuRow {
  const char* product;
  const char* cpu;
  bool aes_ni;
  const char* system;
  double aes_mb_per_s;
  double serpent_mb_per_s;
  double twofish_mb_per_s;
  const char* remark;
};
std::span<const TruecryptCpuRow> truecrypt_cpu_rows() noexcept;

// TrueCrypt with hardware AES off and on, MB/s.
struct AesNiRow {
  const char* cpu;
  const char* software;
  const char* cipher;  // as on our command line
  bool aes_ni;
  double mb_per_s;
};
std::span<const AesNiRow> aes_ni_rows() noexcept;

// CrystalDiskMark on RAID0 of two 4 TB disks of 5400 rpm, MB/s (10^6).
struct RaidRow {
  const char* system;
  int fill_percent;
  double seq_read;
  double seq_write;
  double rand4k_read;
  double rand4k_write;
};
std::span<const RaidRow> raid_rows() noexcept;

}  // namespace volt
