#include "tools/voltest/report/cpu_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "crypto/base/cpu_features.h"
#include "crypto/modes/kernel_table.h"
#include "tools/common/size_text.h"
#include "tools/voltest/measure/host.h"
#include "tools/voltest/report/published_tables.h"
#include "tools/voltest/report/report_text.h"

namespace volt {
namespace {

using Json = nlohmann::ordered_json;

double rounded(double value) {
  return std::round(value * 100) / 100;
}

std::string spread_percent(const CpuFigures& row) {
  const auto relative = [](const Spread& spread) {
    return spread.median > 0 ? spread.mad / spread.median * 100 : 0;
  };
  return fmt::format("{:.1f}",
                     std::max(relative(row.encrypt_mb_per_s), relative(row.decrypt_mb_per_s)));
}

bool same_case(const CpuFigures& a, const CpuFigures& b) {
  return a.what.cascade == b.what.cascade && a.what.threads == b.what.threads &&
         a.what.buffer_bytes == b.what.buffer_bytes && a.what.unit == b.what.unit;
}

Json figures_json(const CpuFigures& row, bool hardware_aes) {
  Json json;
  json["cipher"] = row.what.cascade->name;
  json["kernel"] = row.kernel;
  json["threads"] = row.what.threads;
  json["buffer_bytes"] = row.what.buffer_bytes;
  json["data_unit_bytes"] = bytes_of(row.what.unit);
  json["encrypt_mb_per_s"] = rounded(row.encrypt_mb_per_s.median);
  json["decrypt_mb_per_s"] = rounded(row.decrypt_mb_per_s.median);
  json["mean_mb_per_s"] = rounded(row.mean_mb_per_s());
  json["encrypt_mad_mb_per_s"] = rounded(row.encrypt_mb_per_s.mad);
  json["decrypt_mad_mb_per_s"] = rounded(row.decrypt_mb_per_s.mad);
  json["selected"] = row.selected;
  json["constant_time"] = row.constant_time;
  json["hardware_aes"] = hardware_aes;
  return json;
}

}  // namespace

std::string cpu_abilities(std::uint32_t features) {
  const auto has = [&](std::uint32_t bits) { return (features & bits) != 0 ? "yes" : "no"; };
  return fmt::format("AES rounds {}, wide AES rounds {}, 256-bit vectors {}, 512-bit vectors {}",
                     has(cpu_aes_rounds), has(cpu_wide_aes_rounds), has(cpu_vectors256),
                     has(cpu_vectors512));
}

std::string chosen_kernels(std::uint32_t features) {
  std::string text;
  for (const CipherId cipher : {CipherId::aes, CipherId::serpent, CipherId::twofish,
                                CipherId::camellia, CipherId::kuznyechik}) {
    const XtsKernel* kernel = select_kernel(cipher, features);
    if (kernel == nullptr) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", cipher_name(cipher), kernel->name);
  }
  return text;
}

TextTable cpu_table(const std::vector<CpuFigures>& figures) {
  TextTable table({{"cipher", true, 0},
                   {"kernel", true, 0},
                   {"threads", false, 0},
                   {"buffer", false, 0},
                   {"encrypt", false, 0},
                   {"decrypt", false, 0},
                   {"mean", false, 0},
                   {"±%", false, 2},
                   {"", true, 1}});
  for (const CpuFigures& row : figures) {
    std::string remark = row.selected ? "in use" : "";
    const auto add = [&](const std::string& text) {
      remark += (remark.empty() ? "" : ", ") + text;
    };
    if (row.what.unit == DataUnit::bytes4096) add("4096-byte units");
    if (!row.constant_time) add("not constant-time");
    table.add_row({row.what.cascade->name, row.kernel, std::to_string(row.what.threads),
                   format_size(row.what.buffer_bytes), figure(row.encrypt_mb_per_s.median),
                   figure(row.decrypt_mb_per_s.median), figure(row.mean_mb_per_s()),
                   spread_percent(row), remark});
  }
  return table;
}

TextTable cpu_raw_table(const std::vector<CpuFigures>& on, const std::vector<CpuFigures>& off) {
  TextTable table({{"cipher"},
                   {"kernel"},
                   {"threads"},
                   {"buffer_bytes"},
                   {"encrypt_mb_per_s"},
                   {"decrypt_mb_per_s"},
                   {"mean_mb_per_s"},
                   {"selected"},
                   {"hardware_aes"},
                   {"data_unit_bytes"}});
  for (const auto* figures : {&on, &off}) {
    for (const CpuFigures& row : *figures) {
      table.add_row({row.what.cascade->name, row.kernel, std::to_string(row.what.threads),
                     std::to_string(row.what.buffer_bytes),
                     fmt::format("{:.2f}", row.encrypt_mb_per_s.median),
                     fmt::format("{:.2f}", row.decrypt_mb_per_s.median),
                     fmt::format("{:.2f}", row.mean_mb_per_s()), row.selected ? "1" : "0",
                     figures == &on ? "1" : "0", std::to_string(bytes_of(row.what.unit))});
    }
  }
  return table;
}

TextTable hardware_table(const std::vector<CpuFigures>& on, const std::vector<CpuFigures>& off) {
  TextTable table({{"cipher", true, 0},
                   {"threads", false, 0},
                   {"off MB/s", false, 0},
                   {"kernel", true, 2},
                   {"on MB/s", false, 0},
                   {"kernel", true, 2},
                   {"speed-up", false, 0}});
  for (const CpuFigures& slow : off) {
    const auto fast = std::find_if(on.begin(), on.end(), [&](const CpuFigures& row) {
      return row.selected && same_case(row, slow);
    });
    if (fast == on.end() || slow.mean_mb_per_s() <= 0) continue;
    table.add_row({slow.what.cascade->name, std::to_string(slow.what.threads),
                   figure(slow.mean_mb_per_s()), slow.kernel, figure(fast->mean_mb_per_s()),
                   fast->kernel,
                   fmt::format("x{:.1f}", fast->mean_mb_per_s() / slow.mean_mb_per_s())});
  }
  return table;
}

// A published row without AES instructions belongs to the next one with them on that processor.
TextTable published_hardware_table(const std::vector<CpuFigures>& on,
                                   const std::vector<CpuFigures>& off) {
  TextTable table({{"processor", true, 0},
                   {"software", true, 1},
                   {"cipher", true, 0},
                   {"off MB/s", false, 0},
                   {"on MB/s", false, 0},
                   {"speed-up", false, 0}});
  const auto add = [&](const std::string& cpu, const std::string& software,
                       const std::string& cipher, double slow, double fast) {
    table.add_row({cpu, software, cipher, figure(slow), figure(fast),
                   slow > 0 ? fmt::format("x{:.1f}", fast / slow) : ""});
  };
  unsigned most_threads = 0;
  for (const CpuFigures& row : off) most_threads = std::max(most_threads, row.what.threads);
  for (const char* cipher : {"aes", "aes-twofish"}) {
    for (const CpuFigures& slow : off) {
      if (slow.what.threads != most_threads || cipher != std::string(slow.what.cascade->name)) {
        continue;
      }
      for (const CpuFigures& fast : on) {
        if (!fast.selected || !same_case(fast, slow)) continue;
        add(">> " + cpu_brand(), "Volt", cipher, slow.mean_mb_per_s(), fast.mean_mb_per_s());
      }
    }
    for (const AesNiRow& slow : aes_ni_rows()) {
      for (const AesNiRow& fast : aes_ni_rows()) {
        if (slow.aes_ni || !fast.aes_ni || cipher != std::string(slow.cipher) ||
            std::string(slow.cipher) != fast.cipher || std::string(slow.cpu) != fast.cpu) {
          continue;
        }
        const bool one = std::string(slow.software) == fast.software;
        add(fast.cpu, one ? fast.software : fmt::format("{}, {}", slow.software, fast.software),
            cipher, slow.mb_per_s, fast.mb_per_s);
      }
    }
  }
  return table;
}

MachineMeans machine_means(const std::vector<CpuFigures>& figures) {
  MachineMeans means;
  unsigned most_threads = 0;
  for (const CpuFigures& row : figures) most_threads = std::max(most_threads, row.what.threads);
  for (const CpuFigures& row : figures) {
    if (!row.selected || row.what.threads != most_threads) continue;
    if (row.what.unit != DataUnit::bytes512) continue;
    const std::string cipher = row.what.cascade->name;
    double* mean = nullptr;
    if (cipher == "aes") mean = &means.aes;
    if (cipher == "serpent") mean = &means.serpent;
    if (cipher == "twofish") mean = &means.twofish;
    // The largest buffer measured comes last.
    if (mean != nullptr && row.what.buffer_bytes <= (1U << 20)) *mean = row.mean_mb_per_s();
  }
  return means;
}

TextTable truecrypt_table(const MachineMeans& means) {
  struct Line {
    double aes;
    std::vector<std::string> cells;
  };
  const auto cell = [](double value) { return value > 0 ? figure(value) : std::string("-"); };
  std::vector<Line> lines;
  for (const TruecryptCpuRow& row : truecrypt_cpu_rows()) {
    lines.push_back(
        {row.aes_mb_per_s,
         {row.cpu, row.aes_ni ? "yes" : "no", cell(row.aes_mb_per_s), cell(row.serpent_mb_per_s),
          cell(row.twofish_mb_per_s), row.product, row.system, row.remark}});
  }
  const bool hardware = (cpu_features() & cpu_aes_rounds) != 0;
  lines.push_back({means.aes,
                   {">> " + cpu_brand(), hardware ? "yes" : "no", cell(means.aes),
                    cell(means.serpent), cell(means.twofish), "this machine", "Volt", ""}});
  std::stable_sort(lines.begin(), lines.end(),
                   [](const Line& a, const Line& b) { return a.aes > b.aes; });
  TextTable table({{"processor", true, 0},
                   {"AES-NI", true, 1},
                   {"AES", false, 0},
                   {"Serpent", false, 0},
                   {"Twofish", false, 0},
                   {"product", true, 2},
                   {"system", true, 4},
                   {"remark", true, 3}});
  for (Line& line : lines) table.add_row(std::move(line.cells));
  return table;
}

Json cpu_json(const std::vector<CpuFigures>& on, const std::vector<CpuFigures>& off,
              bool interrupted) {
  Json json;
  json["schema"] = "voltest-cpu/1";
  json["interrupted"] = interrupted;
  json["host"] = host_json(false);
  json["results"] = Json::array();
  for (const CpuFigures& row : on) json["results"].push_back(figures_json(row, true));
  for (const CpuFigures& row : off) json["results"].push_back(figures_json(row, false));
  return json;
}

}  // namespace volt
