// Text and JSON of `voltest cpu`, and the published tables with this machine among them.
#pragma once

#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tools/voltest/measure/cpu_speed.h"
#include "tools/voltest/report/text_table.h"

namespace volt {

// "AES rounds yes, wide AES rounds yes, 256-bit vectors yes, 512-bit vectors no".
std::string cpu_abilities(std::uint32_t features);

// "aes: vaes, serpent: avx2, twofish: avx2".
std::string chosen_kernels(std::uint32_t features);

TextTable cpu_table(const std::vector<CpuFigures>& figures);

// One line a row, numbers without units, units in the titles.
TextTable cpu_raw_table(const std::vector<CpuFigures>& on, const std::vector<CpuFigures>& off);

// Hardware AES on beside off. `off` has the same cases as part of `on`, in one order.
TextTable hardware_table(const std::vector<CpuFigures>& on, const std::vector<CpuFigures>& off);

// TrueCrypt's published pairs of AES instructions off and on, by cipher, this machine (all cores)
// above them.
TextTable published_hardware_table(const std::vector<CpuFigures>& on,
                                   const std::vector<CpuFigures>& off);

// TrueCrypt's published machines, best AES first, with this one in its place. Means at 1 MiB on
// all cores; 0 where not measured.
struct MachineMeans {
  double aes = 0;
  double serpent = 0;
  double twofish = 0;
};
MachineMeans machine_means(const std::vector<CpuFigures>& figures);
TextTable truecrypt_table(const MachineMeans& means);

// Schema voltest-cpu/1. `off`: rows with hardware AES switched off, marked so.
nlohmann::ordered_json cpu_json(const std::vector<CpuFigures>& on,
                                const std::vector<CpuFigures>& off, bool interrupted);

}  // namespace volt
