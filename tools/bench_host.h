// The machine that a result was measured on.
#pragma once

#include <nlohmann/json.hpp>

namespace volt {

// The "host" object of a result: cpu, features, cores, kernel, governor, memory, virtualisation,
// version, time. `rates`: also measures the generator and memory copying (some 20 ms).
nlohmann::ordered_json host_json(bool rates);

// One line of it for people: "AMD EPYC, 2 cores, governor performance, Linux 6.1".
std::string host_line();

}  // namespace volt
