#include "tools/voltest/report/matrix_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tools/voltest/report/output.h"
#include "tools/voltest/report/published_tables.h"
#include "tools/voltest/report/report_text.h"
#include "tools/voltest/report/result.h"

namespace volt {
namespace {

using Json = nlohmann::ordered_json;

struct Column {
  const char* test;
  BenchOp op;
};
constexpr Column measured_columns[] = {
    {"seq1m-q8t1", BenchOp::read},   {"seq1m-q8t1", BenchOp::write},
    {"rand4k-q32t1", BenchOp::read}, {"rand4k-q32t1", BenchOp::write},
    {"rand4k-q1t1", BenchOp::read},  {"rand4k-q1t1", BenchOp::write},
};

double rate_of(const Session& session, std::size_t target, const Column& column) {
  for (const TestRow& row : session.rows) {
    if (row.target == target && row.test.workload.name == column.test && row.test.op == column.op &&
        !row.runs.empty()) {
      return summarise(row.runs).mb_per_s;
    }
  }
  return 0;
}

// "1234 (0.98)": the share of the plain system.
std::string rate_cell(double rate, double plain, bool is_plain) {
  if (rate <= 0) return "-";
  if (is_plain || plain <= 0) return figure(rate);
  return fmt::format("{} ({:.2f})", figure(rate), rate / plain);
}

double published_rate(const RaidRow& row, std::size_t column) {
  const double rates[] = {row.seq_read, row.seq_write, row.rand4k_read, row.rand4k_write};
  return column < std::size(rates) ? rates[column] : 0;
}

void add_published_rows(TextTable& table) {
  for (const RaidRow& row : raid_rows()) {
    const RaidRow* plain = nullptr;
    for (const RaidRow& other : raid_rows()) {
      if (other.fill_percent == row.fill_percent && other.system == std::string("unencrypted")) {
        plain = &other;
      }
    }
    std::vector<std::string> cells = {fmt::format("published: {}", row.system),
                                      fmt::format("{}%", row.fill_percent)};
    for (std::size_t column = 0; column < std::size(measured_columns); ++column) {
      cells.push_back(rate_cell(published_rate(row, column),
                                plain == nullptr ? 0 : published_rate(*plain, column),
                                plain == &row));
    }
    cells.emplace_back("");
    table.add_row(std::move(cells));
  }
}

double speed_of(const std::vector<CipherSpeed>& speeds, const std::string& name) {
  for (const CipherSpeed& speed : speeds) {
    if (speed.name == name) return speed.mean_mb_per_s;
  }
  return 0;
}

}  // namespace

TextTable matrix_table(const std::vector<MatrixLevel>& levels,
                       const std::vector<CipherSpeed>& speeds) {
  TextTable table({{"system", true, 0},
                   {"full", false, 0},
                   {"seq read", false, 0},
                   {"seq write", false, 0},
                   {"4K q32 read", false, 0},
                   {"4K q32 write", false, 0},
                   {"4K q1 read", false, 1},
                   {"4K q1 write", false, 1},
                   {"cipher alone", false, 2}});
  for (const MatrixLevel& level : levels) {
    for (std::size_t i = 0; i < level.systems.size(); ++i) {
      std::vector<std::string> cells = {level.systems[i].name,
                                        fmt::format("{:g}%", level.fill_percent)};
      for (const Column& column : measured_columns) {
        cells.push_back(rate_cell(rate_of(level.session, i, column),
                                  rate_of(level.session, 0, column), i == 0));
      }
      const CascadeSpec* cipher = level.systems[i].cipher;
      const double speed = cipher == nullptr ? 0 : speed_of(speeds, cipher->name);
      cells.push_back(speed > 0 ? figure(speed) : "");
      table.add_row(std::move(cells));
    }
  }
  add_published_rows(table);
  return table;
}

std::vector<std::string> limits_seen(const std::vector<MatrixLevel>& levels,
                                     const std::vector<CipherSpeed>& speeds) {
  constexpr double clearly = 3;
  std::vector<std::string> lines;
  if (levels.empty()) return lines;
  const double plain = rate_of(levels.front().session, 0, measured_columns[0]);
  for (const CipherSpeed& speed : speeds) {
    if (plain <= 0 || speed.mean_mb_per_s <= 0) continue;
    const double times = speed.mean_mb_per_s / plain;
    lines.push_back(fmt::format(
        "{} runs at {} MB/s in memory on all cores, {:.{}f} times what is read without encryption"
        " here: {}",
        speed.name, figure(speed.mean_mb_per_s), times, times >= clearly ? 0 : 1,
        times >= clearly ? "the disk is the limit, not the cipher"
                         : "the cipher's share of the work shows"));
  }
  return lines;
}

TextTable published_raid_table() {
  TextTable table({{"system", true, 0},
                   {"full", false, 0},
                   {"seq read", false, 0},
                   {"seq write", false, 0},
                   {"4K read", false, 0},
                   {"4K write", false, 0}});
  for (const RaidRow& row : raid_rows()) {
    table.add_row({row.system, fmt::format("{}%", row.fill_percent), figure(row.seq_read),
                   figure(row.seq_write), figure(row.rand4k_read), figure(row.rand4k_write)});
  }
  return table;
}

std::string matrix_csv(const std::vector<MatrixLevel>& levels) {
  std::vector<TableColumn> columns = raw_columns();
  columns.insert(columns.begin(), TableColumn{"fill_percent", false, 0});
  TextTable table(std::move(columns));
  for (const MatrixLevel& level : levels) {
    add_raw_rows(level.session, {fmt::format("{:g}", level.fill_percent)}, &table);
  }
  return table.csv();
}

std::string matrix_markdown(const std::vector<MatrixLevel>& levels,
                            const std::vector<CipherSpeed>& speeds) {
  std::string text =
      "MB/s; in brackets the share of plain\n\n" + matrix_table(levels, speeds).markdown() + "\n";
  for (const std::string& line : limits_seen(levels, speeds)) text += "- " + line + "\n";
  for (const MatrixLevel& level : levels) {
    for (const std::string& note : session_notes(level.session)) {
      text += fmt::format("- note: {:g} % full: {}\n", level.fill_percent, note);
    }
  }
  return text;
}

Json matrix_json(const std::vector<MatrixLevel>& levels, const std::vector<CipherSpeed>& speeds,
                 const BenchOptions& options) {
  Json json;
  for (const MatrixLevel& level : levels) {
    const Json document = session_json(level.session, options, "matrix");
    const auto name_of = [&](const Json& row) {
      return level.systems.at(row.at("target_index").get<std::size_t>()).name;
    };
    if (json.is_null()) {
      json = document;
      json["results"] = Json::array();
      json["comparisons"] = Json::array();
    }
    for (Json row : document.at("results")) {
      row["system"] = name_of(row);
      row["fill_percent"] = level.fill_percent;
      json["results"].push_back(row);
    }
    for (Json row : comparisons_json(level.session, level.comparisons)) {
      row["system"] = name_of(row);
      row["fill_percent"] = level.fill_percent;
      json["comparisons"].push_back(row);
    }
    if (level.session.interrupted) json["interrupted"] = true;
  }
  if (json.is_null()) return json;
  json["cipher_speeds"] = Json::array();
  for (const CipherSpeed& speed : speeds) {
    json["cipher_speeds"].push_back(
        {{"cipher", speed.name}, {"mean_mb_per_s", std::round(speed.mean_mb_per_s * 100) / 100}});
  }
  return json;
}

}  // namespace volt
