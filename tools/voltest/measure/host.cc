#include "tools/voltest/measure/host.h"

#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cmath>
#include <ctime>
#include <fstream>
#include <string>

#include "blockdev/backing/storage_map.h"
#include "crypto/base/cpu_features.h"
#include "tools/voltest/measure/data.h"

namespace volt {
namespace {

std::string governor() {
  const std::string name = first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
  return name.empty() ? "unknown" : name;
}

std::string kernel_release() {
  utsname names{};
  if (::uname(&names) != 0) return "unknown";
  return std::string(names.sysname) + " " + names.release;
}

bool virtual_machine() {
  std::ifstream file("/proc/cpuinfo");
  std::string line;
  while (std::getline(file, line)) {
    if (line.rfind("flags", 0) == 0) return (line + " ").find(" hypervisor ") != std::string::npos;
  }
  return false;
}

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

}  // namespace

nlohmann::ordered_json host_json(bool rates) {
  nlohmann::ordered_json host;
  host["time"] = utc_now();
  host["voltest_version"] = VOLT_VERSION;
  host["cpu"] = cpu_brand();
  host["cpu_features"] = cpu_feature_names(cpu_features());
  host["cores"] = ::sysconf(_SC_NPROCESSORS_ONLN);
  host["virtual_machine"] = virtual_machine();
  host["kernel"] = kernel_release();
  host["governor"] = governor();
  host["memory_bytes"] = static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
                         static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  if (rates) {
    host["generator_mb_per_s"] = std::round(measured_rates().generator / 1e6);
    host["memory_copy_mb_per_s"] = std::round(measured_rates().memory_copy / 1e6);
  }
  return host;
}

const HostRates& measured_rates() {
  static const HostRates rates{measure_generator_rate(), measure_memory_rate()};
  return rates;
}

std::string host_line() {
  return fmt::format("{}, {} cores{}, governor {}, {}", cpu_brand(),
                     ::sysconf(_SC_NPROCESSORS_ONLN), virtual_machine() ? " (virtual)" : "",
                     governor(), kernel_release());
}

}  // namespace volt
