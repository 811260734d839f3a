// Tables for a terminal, for CSV and for Markdown from the same cells.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace volt {

struct TableColumn {
  std::string title;
  bool left = false;        // text; numbers stand to the right
  unsigned importance = 0;  // where the line is too narrow, columns of the largest value go first
};

class TextTable {
 public:
  explicit TextTable(std::vector<TableColumn> columns) : columns_(std::move(columns)) {}
  void add_row(std::vector<std::string> cells);  // missing cells are empty
  bool empty() const noexcept { return rows_.empty(); }

  // At most `width` columns wide where dropping unimportant columns can achieve it.
  std::string text(std::size_t width) const;
  std::string markdown() const;
  std::string csv() const;  // RFC 4180, with \n

 private:
  std::string laid_out(std::size_t width) const;
  std::vector<std::size_t> widths() const;

  std::vector<TableColumn> columns_;
  std::vector<std::vector<std::string>> rows_;
};

// Columns that a UTF-8 text takes (one for each character; no wide ones are used here).
std::size_t text_columns(std::string_view text);

// `share` (0..1) of `cells` as a bar: eighths of blocks, or # where the terminal is not UTF-8.
std::string bar(double share, std::size_t cells, bool utf8);

// Of a stream: columns of the terminal, or 0 where it is none.
std::size_t terminal_width(std::FILE* stream);

// Columns that a table may take there: the terminal's, or what fits a page.
std::size_t text_width(std::FILE* stream);

// A sentence as lines of at most `width` columns (0: one line), broken at spaces (a longer word
// stands alone); those after the first are indented by two. Ends with a newline.
std::string wrapped(std::string_view text, std::size_t width);

// Prints a sentence, wrapped where the stream is a terminal.
void print_sentence(std::FILE* stream, std::string_view text);
bool utf8_locale();

}  // namespace volt
