// The machine that a result was measured on.
#pragma once

#include <nlohmann/json.hpp>

namespace volt {

// The "host" object of a result: cpu, features, cores, kernel, governor, memory, virtualisation,
// version, time. `rates`: also measures the generator and memory copying (some 20 ms).
nlohmann::ordered_json host_json(bool rates);

// Bytes a second of making test data and of copying memory; measured at the first call.
struct HostRates {
  double generator = 0;
  double memory_copy = 0;
};
const HostRates& measured_rates();

// One line of it for people: "AMD EPYC, 2 cores, governor performance, Linux 6.1".
std::string host_line();

}  // namespace volt
