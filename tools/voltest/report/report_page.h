// Results as one self-contained page.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace volt {

struct ReportInput {
  std::string name;  // shown: the file's name
  nlohmann::ordered_json document;
};

// HTML without any reference to the network: the results as data, a script that draws them, and the
// chart library as it was when the program was built. Nothing of the documents is markup there.
std::string report_page(const std::vector<ReportInput>& inputs);

// Throws BenchFailure: not readable, not JSON, or no schema of voltest.
ReportInput read_report_input(const std::string& path);

}  // namespace volt
