#include "tools/voltest/report/published_tables.h"

namespace volt {
namespace {

constexpr TruecryptCpuRow truecrypt_cpu[] = {
    {"Lenovo ThinkPad X121e", "AMD E-450 1.65GHz 512KB L2 x2", false, "Windows 7 SP1 x64", 92.4,
     50.9, 74.2, ""},
    {"HP ProLiant MicroServer", "Turion II NEO N40L 1.50GHz 1MB L2 x2", false,
     "Windows Server 2008 R2 SP1 x64", 119, 56.7, 85.5, ""},
    {"HP ML110 G7", "Celeron G530 2.40GHz 2MB L3", false, "Windows Server 2008 R2 SP1 x64", 179,
     82.2, 144, ""},
    {"HP ML110 G6", "Core i3-530 2.93GHz 4MB L3", false, "Windows Server 2008 R2 SP1 x64", 190,
     96.0, 183, ""},
    {"Dell Latitude E5530", "Core i3-3120M 2.50GHz 3MB L3", false, "Windows 7 SP1 x86", 246, 127,
     218, "hyper-threading on"},
    {"HP s5350jp", "Core i7-860 2.8GHz 8MB L3", false, "Windows 7 SP1 x64", 406, 191, 367, ""},
    {"HP s5230jp", "Phenom II X4 820 2.80GHz 2MB L2", false, "Windows 7 SP1 x64", 442, 213, 320,
     ""},
    {"Lenovo ThinkPad X1 Carbon", "Core i7-5600U 2.60GHz 4MB L3", true, "Windows 8.1 x64", 1900,
     176, 301, "hyper-threading on"},
    {"HP Elite 8300", "Core i5-3570 3.4GHz 6MB L3", true, "Windows 8 x64", 2700, 291, 467, ""},
    {"HP ML310e Gen8 v2", "Xeon E3-1220 v3 3.10GHz 8MB L3", true, "Windows Server 2008 R2 SP1 x64",
     704, 68.2, 106, "power profile: minimum power usage"},
    {"HP ML310e Gen8 v2", "Xeon E3-1220 v3 3.10GHz 8MB L3", true, "Windows Server 2008 R2 SP1 x64",
     2800, 284, 444, "power profile: balanced"},
    {"HP ML310e Gen8 v2", "Xeon E3-1220 v3 3.10GHz 8MB L3", true, "Windows Server 2008 R2 SP1 x64",
     2800, 284, 444, "power profile: maximum performance"},
    {"Lenovo IdeaCentre K430", "Core i7-3770 3.4GHz 8MB L3", true, "Windows 7 SP1 x64", 3800, 402,
     686, "hyper-threading on"},
    {"self-built PC", "Core i7-4770K 3.5GHz 8MB L3", true, "Windows 8.1 x64", 4200, 372, 657,
     "hyper-threading on"},
};

constexpr AesNiRow aes_ni[] = {
    {"Core i5-650 (Fedora 13)", "TrueCrypt 7", "aes", false, 287},
    {"Core i5-650 (Fedora 13)", "TrueCrypt 7", "aes", true, 2000},
    {"Core i5-650 (Fedora 13)", "TrueCrypt 7", "aes-twofish", false, 150},
    {"Core i5-650 (Fedora 13)", "TrueCrypt 7", "aes-twofish", true, 270},
    {"Core i7-620M", "TrueCrypt 6", "aes", false, 287},
    {"Core i7-620M", "TrueCrypt 7", "aes", true, 1700},
};

constexpr RaidRow raid[] = {
    {"unencrypted", 0, 369, 348, 3.15, 4.57}, {"BitLocker", 0, 360, 211, 2.96, 4.54},
    {"BitLocker", 54, 283, 171, 2.58, 4.08},  {"VeraCrypt", 0, 365, 347, 1.24, 4.64},
    {"VeraCrypt", 54, 286, 260, 0.87, 4.25},
};

}  // namespace

std::span<const TruecryptCpuRow> truecrypt_cpu_rows() noexcept {
  return truecrypt_cpu;
}

std::span<const AesNiRow> aes_ni_rows() noexcept {
  return aes_ni;
}

std::span<const RaidRow> raid_rows() noexcept {
  return raid;
}

}  // namespace volt
