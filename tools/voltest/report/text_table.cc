#include "tools/voltest/report/text_table.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <numeric>

#include "blockdev/host/printable_text.h"

namespace volt {
namespace {

constexpr std::size_t gap = 2;

std::string padded(const std::string& text, std::size_t width, bool left) {
  const std::size_t used = text_columns(text);
  const std::string space(width > used ? width - used : 0, ' ');
  return left ? text + space : space + text;
}

std::string without_trailing_space(std::string line) {
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line + "\n";
}

std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + "\"";
}

std::string markdown_cell(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '|') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

}  // namespace

void TextTable::add_row(std::vector<std::string> cells) {
  cells.resize(columns_.size());
  rows_.push_back(std::move(cells));
}

std::vector<std::size_t> TextTable::widths() const {
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    std::size_t width = text_columns(columns_[i].title);
    for (const auto& row : rows_) width = std::max(width, text_columns(row[i]));
    widths.push_back(width);
  }
  return widths;
}

std::string TextTable::text(std::size_t width) const {
  TextTable shown = *this;
  for (auto& row : shown.rows_) {
    for (std::string& cell : row) cell = printable(cell);
  }
  return shown.laid_out(width);
}

std::string TextTable::laid_out(std::size_t width) const {
  const std::vector<std::size_t> column_widths = widths();
  std::vector<std::size_t> shown(columns_.size());
  std::iota(shown.begin(), shown.end(), std::size_t{0});
  const auto total = [&] {
    std::size_t sum = 0;
    for (const std::size_t i : shown) sum += column_widths[i] + gap;
    return sum;
  };
  while (total() > width + gap) {
    const auto least = std::max_element(shown.begin(), shown.end(), [&](auto a, auto b) {
      return columns_[a].importance < columns_[b].importance;
    });
    if (columns_[*least].importance == 0) break;
    shown.erase(least);
  }
  std::string out;
  std::string line;
  for (const std::size_t i : shown) {
    line += padded(columns_[i].title, column_widths[i], columns_[i].left) + std::string(gap, ' ');
  }
  out += without_trailing_space(line);
  for (const auto& row : rows_) {
    line.clear();
    for (const std::size_t i : shown) {
      line += padded(row[i], column_widths[i], columns_[i].left) + std::string(gap, ' ');
    }
    out += without_trailing_space(line);
  }
  return out;
}

std::string TextTable::markdown() const {
  std::string out = "|";
  for (const TableColumn& column : columns_)
    out += fmt::format(" {} |", markdown_cell(column.title));
  out += "\n|";
  for (const TableColumn& column : columns_) out += column.left ? " --- |" : " ---: |";
  out += "\n";
  for (const auto& row : rows_) {
    out += "|";
    for (const std::string& cell : row) out += fmt::format(" {} |", markdown_cell(cell));
    out += "\n";
  }
  return out;
}

std::string TextTable::csv() const {
  std::string out;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    out += fmt::format("{}{}", i == 0 ? "" : ",", csv_cell(columns_[i].title));
  }
  out += "\n";
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i)
      out += fmt::format("{}{}", i == 0 ? "" : ",", csv_cell(row[i]));
    out += "\n";
  }
  return out;
}

std::size_t text_columns(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  }));
}

std::string bar(double share, std::size_t cells, bool utf8) {
  static constexpr std::array<const char*, 8> parts = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const double wanted = std::clamp(share, 0.0, 1.0) * static_cast<double>(cells);
  std::string out;
  if (!utf8) {
    out.assign(static_cast<std::size_t>(std::lround(wanted)), '#');
    return out;
  }
  const auto eighths = static_cast<std::size_t>(std::lround(wanted * 8));
  for (std::size_t i = 0; i < eighths / 8; ++i) out += "█";
  return out + parts[eighths % 8];
}

std::size_t terminal_width(std::FILE* stream) {
  const int fd = ::fileno(stream);
  if (::isatty(fd) != 1) return 0;
  winsize size{};
  if (::ioctl(fd, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return size.ws_col;
}

std::size_t text_width(std::FILE* stream) {
  constexpr std::size_t page_columns = 160;
  const std::size_t terminal = terminal_width(stream);
  return terminal == 0 ? page_columns : terminal;
}

std::string wrapped(std::string_view text, std::size_t width) {
  std::string out;
  std::size_t used = 0;
  while (!text.empty()) {
    const std::size_t space = text.find(' ');
    const std::string_view word = text.substr(0, space);
    text.remove_prefix(space == std::string_view::npos ? text.size() : space + 1);
    const std::size_t columns = text_columns(word);
    if (width != 0 && used > 0 && used + 1 + columns > width) {
      out += "\n  ";
      used = 2;
    } else if (used > 0) {
      out += ' ';
      ++used;
    }
    out += word;
    used += columns;
  }
  return out + "\n";
}

void print_sentence(std::FILE* stream, std::string_view text) {
  std::fputs(wrapped(printable(text), terminal_width(stream)).c_str(), stream);
}

bool utf8_locale() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* value = std::getenv(name);
    if (value == nullptr || *value == '\0') continue;
    std::string text = value;
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text.find("utf-8") != std::string::npos || text.find("utf8") != std::string::npos;
  }
  return false;
}

}  // namespace volt
