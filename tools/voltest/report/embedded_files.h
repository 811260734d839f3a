// Files that were built into the program (tools/voltest/report/embed.py).
#pragma once

#include <string_view>

namespace volt {

std::string_view embedded_report_html() noexcept;
std::string_view embedded_report_css() noexcept;
std::string_view embedded_report_js() noexcept;
std::string_view embedded_chart_js() noexcept;  // empty where the library was not there

}  // namespace volt
