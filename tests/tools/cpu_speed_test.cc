#include "tools/voltest/measure/cpu_speed.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "crypto/base/cpu_features.h"
#include "tests/support/test_data.h"
#include "tools/voltest/report/cpu_report.h"
#include "tools/voltest/report/published_tables.h"

namespace volt {
namespace {

CpuFigures figures_of(const char* cipher, unsigned threads, std::uint64_t buffer, double rate,
                      bool selected) {
  CpuFigures figures;
  figures.what = {find_cascade(cipher), {cpu_features(), nullptr}, threads, buffer};
  figures.kernel = "portable";
  figures.selected = selected;
  figures.encrypt_mb_per_s.median = rate - 10;
  figures.decrypt_mb_per_s.median = rate + 10;
  return figures;
}

TEST(CpuSpeed, MeasuresEveryKernelOnThreads) {
  CpuSettings settings;
  settings.samples = 3;
  settings.sample_ns = 200'000;
  for (const char* name : {"aes", "aes-twofish-serpent"}) {
    const CascadeSpec* spec = find_cascade(name);
    ASSERT_NE(spec, nullptr);
    const auto kernels = runnable_kernels(*spec, cpu_features());
    ASSERT_FALSE(kernels.empty());
    EXPECT_STREQ(kernels.back(), "portable");
    for (const char* kernel : kernels) {
      const auto figures = measure_cpu({spec, {cpu_features(), kernel}, 2, 4096}, settings);
      ASSERT_TRUE(figures.ok()) << name << " " << kernel;
      EXPECT_NE(figures->kernel.find(kernel), std::string::npos);
      EXPECT_GT(figures->encrypt_mb_per_s.min, 0);
      EXPECT_GT(figures->decrypt_mb_per_s.min, 0);
    }
  }
}

TEST(CpuSpeed, MeasuresBothDataUnitsAndAes128) {
  CpuSettings settings;
  settings.samples = 1;
  settings.sample_ns = 1;
  for (const DataUnit unit : {DataUnit::bytes512, DataUnit::bytes4096}) {
    const auto figures =
        measure_cpu({&aes128_spec(), {cpu_features(), nullptr}, 2, 8192, unit}, settings);
    ASSERT_TRUE(figures.ok());
    EXPECT_GT(figures->mean_mb_per_s(), 0);
    EXPECT_EQ(figures->what.unit, unit);
  }
  EXPECT_FALSE(measure_cpu({find_cascade("aes"), {0, nullptr}, 1, 512, DataUnit::bytes4096}, {}));
}

TEST(CpuSpeed, SharesOutLargeBuffers) {
  CpuSettings settings;
  settings.samples = 1;
  settings.sample_ns = 1;
  const auto figures = measure_cpu(
      {find_cascade("aes"), {cpu_features(), nullptr}, 3, max_own_buffer_bytes + 512}, settings);
  ASSERT_TRUE(figures.ok());
  EXPECT_GT(figures->mean_mb_per_s(), 0);
}

TEST(CpuSpeed, RefusesWhatCannotBe) {
  const CascadeSpec* spec = find_cascade("aes");
  EXPECT_FALSE(measure_cpu({spec, {cpu_features(), "abacus"}, 1, 4096}, {}).ok());
  EXPECT_FALSE(measure_cpu({spec, {cpu_features(), nullptr}, 1, 1000}, {}).ok());
  EXPECT_FALSE(measure_cpu({spec, {cpu_features(), nullptr}, 0, 4096}, {}).ok());
  EXPECT_FALSE(measure_cpu({spec, {cpu_features(), nullptr}, 9, 4096}, {}).ok());
}

TEST(CpuReport, JsonHasTheContractsFields) {
  const auto json = cpu_json({figures_of("aes", 1, 4096, 1000, true)}, {}, false);
  EXPECT_EQ(json.at("schema"), "voltest-cpu/1");
  const auto& row = json.at("results").at(0);
  EXPECT_EQ(row.at("cipher"), "aes");
  EXPECT_EQ(row.at("kernel"), "portable");
  EXPECT_EQ(row.at("threads"), 1);
  EXPECT_EQ(row.at("buffer_bytes"), 4096);
  EXPECT_EQ(row.at("data_unit_bytes"), 512);
  EXPECT_EQ(row.at("encrypt_mb_per_s"), 990);
  EXPECT_EQ(row.at("decrypt_mb_per_s"), 1010);
  EXPECT_EQ(row.at("mean_mb_per_s"), 1000);
}

TEST(CpuReport, ThisMachineStandsInItsPlace) {
  const std::vector<CpuFigures> figures = {
      figures_of("aes", 1, 1 << 20, 500, true), figures_of("aes", 2, 4096, 700, true),
      figures_of("aes", 2, 1 << 20, 1000, true), figures_of("aes", 2, 1 << 20, 9999, false),
      figures_of("serpent", 2, 1 << 20, 300, true)};
  const MachineMeans means = machine_means(figures);
  EXPECT_EQ(means.aes, 1000);
  EXPECT_EQ(means.serpent, 300);
  EXPECT_EQ(means.twofish, 0);
  const std::string text = truecrypt_table(means).text(400);
  const std::size_t here = text.find(">> ");
  ASSERT_NE(here, std::string::npos);
  EXPECT_LT(text.find("Core i7-5600U"), here);  // 1900
  EXPECT_GT(text.find("704"), here);
}

TEST(CpuReport, SpeedUpStandsBesideThePublishedOne) {
  const std::vector<CpuFigures> on = {figures_of("aes", 1, 1 << 20, 3000, true),
                                      figures_of("aes", 2, 1 << 20, 5000, true)};
  const std::vector<CpuFigures> off = {figures_of("aes", 1, 1 << 20, 300, true),
                                       figures_of("aes", 2, 1 << 20, 400, true)};
  EXPECT_NE(hardware_table(on, off).text(400).find("x10.0"), std::string::npos);
  const std::string text = published_hardware_table(on, off).text(400);
  EXPECT_NE(text.find("x12.5"), std::string::npos) << text;
  EXPECT_EQ(text.find("x10.0"), std::string::npos) << text;  // one thread is not all cores
  EXPECT_NE(text.find("x7.0"), std::string::npos) << text;
  EXPECT_NE(text.find("x1.8"), std::string::npos) << text;
  EXPECT_NE(text.find("TrueCrypt 6, TrueCrypt 7"), std::string::npos) << text;
}

// The typed-in tables against the published files, cell by cell.
TEST(PublishedTables, AgreeWithTheirSource) {
  const auto dir = test_data_dir();
  if (!dir) GTEST_SKIP() << no_test_data;
  const auto lines = [&](const char* name) {
    std::ifstream file(*dir / "reference" / name);
    std::vector<std::vector<std::string>> rows;
    std::string line;
    std::getline(file, line);
    while (std::getline(file, line)) {
      std::vector<std::string> cells;
      std::string cell;
      std::istringstream stream(line);
      while (std::getline(stream, cell, '\t')) cells.push_back(cell);
      cells.resize(8);
      rows.push_back(cells);
    }
    return rows;
  };
  const auto cpu = lines("truecrypt-cpu.tsv");
  ASSERT_EQ(cpu.size(), truecrypt_cpu_rows().size());
  for (std::size_t i = 0; i < cpu.size(); ++i) {
    const TruecryptCpuRow& row = truecrypt_cpu_rows()[i];
    EXPECT_EQ(cpu[i][0], row.product);
    EXPECT_EQ(cpu[i][1], row.cpu);
    EXPECT_EQ(cpu[i][2] == "yes", row.aes_ni);
    EXPECT_EQ(cpu[i][3], row.system);
    EXPECT_EQ(std::stod(cpu[i][4]), row.aes_mb_per_s);
    EXPECT_EQ(std::stod(cpu[i][5]), row.serpent_mb_per_s);
    EXPECT_EQ(std::stod(cpu[i][6]), row.twofish_mb_per_s);
    EXPECT_EQ(cpu[i][7], row.remark);
  }
  const auto hardware = lines("aes-ni-on-off.tsv");
  ASSERT_EQ(hardware.size(), aes_ni_rows().size());
  for (std::size_t i = 0; i < hardware.size(); ++i) {
    EXPECT_EQ(hardware[i][0], aes_ni_rows()[i].cpu);
    EXPECT_EQ(std::stod(hardware[i][4]), aes_ni_rows()[i].mb_per_s);
    EXPECT_EQ(hardware[i][3] == "yes", aes_ni_rows()[i].aes_ni);
  }
  const auto raid = lines("raid0-bitlocker-veracrypt.tsv");
  ASSERT_EQ(raid.size(), raid_rows().size());
  for (std::size_t i = 0; i < raid.size(); ++i) {
    const RaidRow& row = raid_rows()[i];
    EXPECT_EQ(raid[i][0], row.system);
    EXPECT_EQ(std::stod(raid[i][1]), row.fill_percent);
    EXPECT_EQ(std::stod(raid[i][2]), row.seq_read);
    EXPECT_EQ(std::stod(raid[i][3]), row.seq_write);
    EXPECT_EQ(std::stod(raid[i][4]), row.rand4k_read);
    EXPECT_EQ(std::stod(raid[i][5]), row.rand4k_write);
  }
}

}  // namespace
}  // namespace volt
