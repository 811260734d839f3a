#include "tools/voltest/report/report_page.h"

#include <array>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>

#include "blockdev/stack/facts_json.h"
#include "tools/voltest/measure/failure.h"
#include "tools/voltest/report/embedded_files.h"

namespace volt {
namespace {

// JSON inside a script element: the only thing that could end it is "</", and "<!--" changes how it
// is read. Both are written so that JSON means the same.
std::string script_safe(const std::string& json) {
  std::string safe;
  safe.reserve(json.size());
  for (const char c : json) {
    if (c == '<') {
      safe += "\\u003c";
    } else {
      safe += c;
    }
  }
  return safe;
}

void replace_once(std::string& page, std::string_view mark, std::string_view text) {
  const std::size_t at = page.find(mark);
  if (at != std::string::npos) page.replace(at, mark.size(), text);
}

}  // namespace

std::string report_page(const std::vector<ReportInput>& inputs) {
  nlohmann::ordered_json data = nlohmann::ordered_json::array();
  for (const ReportInput& input : inputs) {
    data.push_back({{"name", input.name}, {"document", input.document}});
  }
  std::string page(embedded_report_html());
  // The data last: what stands in it is never looked at again.
  replace_once(page, "/*STYLE*/", embedded_report_css());
  replace_once(page, "/*SCRIPT*/", embedded_report_js());
  replace_once(page, "/*CHARTS*/", embedded_chart_js());
  replace_once(page, "/*DATA*/",
               script_safe(data.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace)));
  return page;
}

ReportInput read_report_input(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code unknown;
  if (fs::is_directory(path, unknown)) {
    throw BenchFailure(path, "a folder; name the files in it", exit_wrong_parameters);
  }
  std::ifstream file(path);
  if (!file) {
    throw BenchFailure(path, "cannot be read: " + std::generic_category().message(errno),
                       exit_wrong_device);
  }
  ReportInput input;
  input.name = fs::path(path).filename().string();
  std::string text(max_outside_json_bytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  input.document = parse_outside_json(text);
  if (input.document.is_discarded()) {
    throw BenchFailure(path, "not a result of voltest: not JSON, or cut off",
                       exit_wrong_parameters);
  }
  const auto schema = input.document.is_object()
                          ? input.document.value("schema", nlohmann::ordered_json())
                          : nlohmann::ordered_json();
  if (!schema.is_string() || schema.get<std::string>().rfind("voltest", 0) != 0) {
    throw BenchFailure(path, "not a result of voltest: JSON without its \"schema\"",
                       exit_wrong_parameters);
  }
  return input;
}

}  // namespace volt
