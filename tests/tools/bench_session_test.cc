// The tester end to end inside the process: real files, short runs. Nothing here asserts on speed.
#include "tools/voltest/measure/session.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "blockdev/stack/container_spec.h"
#include "blockdev/stack/device_stack.h"
#include "tools/common/interrupt.h"
#include "tools/common/size_text.h"
#include "tools/voltest/measure/failure.h"
#include "tools/voltest/report/result.h"

namespace volt {
namespace {

namespace fs = std::filesystem;

class BenchSession : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "volt-bench-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    dir_ = name;
    options_.size_text = "2M";
    options_.runtime_text = "20ms";
    options_.loops = 3;
    options_.engine_text = GetParam();
  }
  void TearDown() override {
    set_interrupted_for_test(false);
    fs::remove_all(dir_);
  }
  Session run(const std::vector<std::string>& paths, AccessOrder order,
              std::vector<BenchOp> ops = {BenchOp::read, BenchOp::write}) {
    finish_bench_options(options_);
    return run_session(paths, test_cases({make_workload(order, 65536, 4, 2)}, ops), options_);
  }
  std::string make_file(std::size_t bytes) {
    const std::string path = dir_ / "existing";
    std::ofstream(path) << std::string(bytes, 'u');
    return path;
  }

  fs::path dir_;
  BenchOptions options_;
};

TEST_P(BenchSession, FolderGivesEveryRunAndLeavesNothing) {
  const Session session = run({dir_.string()}, AccessOrder::random);
  ASSERT_EQ(session.rows.size(), 2U);
  for (const TestRow& row : session.rows) {
    EXPECT_EQ(row.left_out, "");
    ASSERT_EQ(row.runs.size(), 3U);
    for (const RunResult& run : row.runs) {
      EXPECT_GT(run.bytes, 0U);
      EXPECT_EQ(run.bytes, run.requests * 65536);
      EXPECT_EQ(run.latency->count(), run.requests);
      EXPECT_EQ(run.read_bytes, row.test.op == BenchOp::read ? run.bytes : 0);
      EXPECT_GT(run.elapsed_ns, 0U);
      EXPECT_LE(run.latency->max_ns(), run.elapsed_ns);
    }
  }
  EXPECT_EQ(session_status(session), 0);
  EXPECT_TRUE(fs::is_empty(dir_));
}

TEST_P(BenchSession, ExistingFileIsOnlyRead) {
  const std::string path = make_file(2 << 20);
  const Session session = run({path}, AccessOrder::sequential);
  EXPECT_EQ(session.rows[0].runs.size(), 3U);
  EXPECT_TRUE(session.rows[1].runs.empty());
  EXPECT_NE(session.rows[1].left_out.find("--destructive"), std::string::npos);
  std::ifstream file(path);
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  EXPECT_EQ(text, std::string(2 << 20, 'u'));
}

TEST_P(BenchSession, DestructiveOverwritesWithNoise) {
  const std::string path = make_file(2 << 20);
  options_.target.destructive = true;
  const Session session = run({path}, AccessOrder::sequential);
  EXPECT_EQ(session.rows[1].runs.size(), 3U);
  EXPECT_EQ(fs::file_size(path), 2U << 20);
  std::ifstream file(path);
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  EXPECT_EQ(text.find("uuuuuuuu"), std::string::npos);
}

TEST_P(BenchSession, ReadOnlyRefusesAFolder) {
  options_.target.read_only = true;
  EXPECT_THROW(run({dir_.string()}, AccessOrder::random), BenchFailure);
}

TEST_P(BenchSession, SparseFileIsTold) {
  const std::string path = dir_ / "sparse";
  std::ofstream(path).close();
  fs::resize_file(path, 8 << 20);
  const Session session = run({path}, AccessOrder::random, {BenchOp::read});
  ASSERT_FALSE(session.targets[0].notes.empty());
  bool told = false;
  for (const std::string& note : session.targets[0].notes) told |= note.rfind("sparse", 0) == 0;
  EXPECT_TRUE(told);
}

TEST_P(BenchSession, AllocatedAndNeverWrittenIsToldAsWell) {
  const std::string path = dir_ / "allocated";
  const FileDescriptor fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (::fallocate(fd.get(), 0, 0, 8 << 20) != 0) GTEST_SKIP() << "no fallocate here";
  if (::lseek(fd.get(), 0, SEEK_DATA) >= 0) GTEST_SKIP() << "the file system does not tell";
  const Session session = run({path}, AccessOrder::random, {BenchOp::read});
  bool told = false;
  for (const std::string& note : session.targets[0].notes) told |= note.rfind("sparse", 0) == 0;
  EXPECT_TRUE(told);
}

// Two runs of the same seed over the whole of a file: not one block may be the same.
TEST_P(BenchSession, DataAreNeverTheSameTwice) {
  std::set<std::string> blocks;
  constexpr std::size_t size = 1 << 20;
  constexpr std::size_t block = 4096;
  const std::string path = make_file(size);
  for (int i = 0; i < 2; ++i) {
    const FileDescriptor fd(::open(path.c_str(), O_RDWR | O_CLOEXEC));
    RunRequest request;
    request.fd = fd.get();
    request.workload = make_workload(AccessOrder::sequential, 65536, 1, 1);
    request.op = BenchOp::write;
    request.range_bytes = request.byte_limit = size;
    request.engine =
        std::string(GetParam()) == "threads" ? EngineKind::threads : EngineKind::io_uring;
    if (request.engine == EngineKind::io_uring && !probe_io_uring().ok()) GTEST_SKIP();
    ASSERT_EQ(run_once(request, {}).bytes, size);
    std::ifstream file(path);
    const std::string text((std::istreambuf_iterator<char>(file)), {});
    for (std::size_t at = 0; at < size; at += block) blocks.insert(text.substr(at, block));
  }
  EXPECT_EQ(blocks.size(), 2 * size / block);
}

TEST_P(BenchSession, WhatCannotBeMeasured) {
  EXPECT_THROW(run({(dir_ / "absent").string()}, AccessOrder::random), BenchFailure);
  const std::string fifo = dir_ / "fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_THROW(run({fifo}, AccessOrder::random), BenchFailure);
  const std::string path = make_file(1000);
  EXPECT_THROW(run({path}, AccessOrder::random), BenchFailure);
}

TEST_P(BenchSession, ComposedContainerIsMeasuredUnderTheSameRules) {
  for (const char* name : {"a", "b"}) {
    std::ofstream(dir_ / name) << std::string(1 << 20, 'u');
  }
  const std::string stripe = "stripe:64K:" + (dir_ / "a").string() + "," + (dir_ / "b").string();
  const auto content = [this](const char* name) {
    std::ifstream file(dir_ / name);
    return std::string((std::istreambuf_iterator<char>(file)), {});
  };
  {
    const Session reading = run({stripe}, AccessOrder::random);
    EXPECT_EQ(reading.rows[0].runs.size(), 3U);
    EXPECT_NE(reading.rows[1].left_out.find("--destructive"), std::string::npos);
    EXPECT_EQ(content("a") + content("b"), std::string(2 << 20, 'u'));
    EXPECT_EQ(reading.engine, EngineKind::threads);
  }
  options_.target.destructive = true;
  // Beside itself; filling it overwrites both members from end to end.
  const Session writing = run({stripe, stripe}, AccessOrder::random);
  for (const TestRow& row : writing.rows) EXPECT_EQ(row.runs.size(), 3U);
  EXPECT_EQ((content("a") + content("b")).find("uuuuuuuu"), std::string::npos);
  EXPECT_EQ(session_json(writing, options_, "rand").at("target").at("kind"), "composed");
}

TEST_P(BenchSession, FaultsOfAComposedContainerEndTheRow) {
  allow_simulated_disks();
  options_.target.destructive = true;
  const std::string file = make_file(2 << 20);
  const Session failing = run({"fault:failed-write@40x9999999:" + file}, AccessOrder::random);
  allow_simulated_disks(false);
  EXPECT_TRUE(failing.failed);
  EXPECT_NE(failing.rows[1].left_out.find("injected fault"), std::string::npos)
      << failing.rows[1].left_out;
  EXPECT_THROW(run({"fault:failed-write:" + file}, AccessOrder::random), BenchFailure);
  EXPECT_THROW(run({"stripe:64K:" + file}, AccessOrder::random), BenchFailure);
}

// Two writers would overwrite one another.
TEST_P(BenchSession, ComposedContainerThatIsOpenElsewhereIsRefused) {
  const std::string file = make_file(2 << 20);
  const std::string other = dir_ / "other";
  fs::copy_file(file, other);
  const auto held = open_container(file, {});
  ASSERT_TRUE(held.ok());
  options_.target.destructive = true;
  try {
    run({"stripe:64K:" + file + "," + other}, AccessOrder::random);
    FAIL() << "written to beside its owner";
  } catch (const BenchFailure& failure) {
    EXPECT_EQ(failure.status(), exit_in_use) << failure.what();
  }
}

TEST_P(BenchSession, InterruptKeepsWhatThereIs) {
  options_.runtime_text = "60";
  set_interrupted_for_test(true);
  const Session session = run({"null:"}, AccessOrder::random);
  EXPECT_TRUE(session.interrupted);
  EXPECT_EQ(session_status(session), exit_interrupted);
  EXPECT_TRUE(session_json(session, options_, "rand").at("interrupted").get<bool>());
}

TEST_P(BenchSession, RoundsAlternateAndAreComplete) {
  const Session session = run({"null:", dir_.string(), "null:"}, AccessOrder::random);
  ASSERT_EQ(session.rows.size(), 6U);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(session.rows[i].target, i % 3);
    EXPECT_EQ(session.rows[i].runs.size(), 3U);
  }
}

TEST_P(BenchSession, JsonHasTheContractsFields) {
  const Session session = run({dir_.string()}, AccessOrder::random);
  const auto json = session_json(session, options_, "rand");
  EXPECT_EQ(json.at("schema"), "voltest/1");
  EXPECT_TRUE(json.at("host").contains("cpu"));
  EXPECT_EQ(json.at("target").at("path"), dir_.string());
  ASSERT_EQ(json.at("results").size(), 2U);
  for (const auto& row : json.at("results")) {
    EXPECT_EQ(row.at("test"), "rand64k-q4t2");
    const auto bytes = row.at("bytes").get<double>();
    const auto elapsed = row.at("elapsed_ns").get<double>();
    EXPECT_NEAR(row.at("mb_per_s").get<double>(), bytes * 1e3 / elapsed, 1e-3);
    EXPECT_GT(row.at("iops").get<double>(), 0);
    for (const char* name : {"p50", "p90", "p99", "p999", "p9999", "max"}) {
      EXPECT_TRUE(row.at("latency_ns").at(name).is_number_unsigned()) << name;
    }
    EXPECT_TRUE(row.at("cpu_ns").is_number_unsigned());
    EXPECT_EQ(row.at("runs").size(), 3U);
    EXPECT_TRUE(row.at("runs")[0].contains("latency_ns"));
  }
}

INSTANTIATE_TEST_SUITE_P(Engines, BenchSession, testing::Values("auto", "threads"));

TEST(BenchOptionsText, RefusesNonsense) {
  for (const auto& [size, runtime] :
       {std::pair{"1Q", "1"}, {"0", "1"}, {"1M", "soon"}, {"1M", "0"}}) {
    BenchOptions options;
    options.size_text = size;
    options.runtime_text = runtime;
    EXPECT_THROW(finish_bench_options(options), BenchFailure) << size << " " << runtime;
  }
  BenchOptions both;
  both.target.read_only = both.target.destructive = true;
  EXPECT_THROW(finish_bench_options(both), BenchFailure);
}

TEST(MemoryRate, IsToldOnlyWhereNoDiskDelivers) {
  EXPECT_EQ(memory_rate_note(3e9, 10e9), "");
  EXPECT_EQ(memory_rate_note(3e9, 0), "");
  EXPECT_EQ(rotation_note(0, 3e8), "");
  EXPECT_EQ(rotation_note(8'000'000, 3e8), "");
  EXPECT_NE(rotation_note(100'000, 3e8).find("random reads take 100 us"), std::string::npos);
  EXPECT_NE(rotation_note(0, 5e9).find("reads come at 5000 MB/s"), std::string::npos);
  const std::string text = memory_rate_note(8e9, 10e9);
  EXPECT_NE(text.find("a cache below answers"), std::string::npos) << text;
}

TEST(Failure, SaysWhatAnErrorMeansForTheTarget) {
  const auto text = [](int code) { return describe_error(error_from_errno("writing", code)); };
  EXPECT_NE(text(ENOSPC).find("is full"), std::string::npos);
  EXPECT_NE(text(EROFS).find("--read-only"), std::string::npos);
  for (const int code : {ENOTCONN, ECONNABORTED, ENODEV}) {
    EXPECT_NE(text(code).find("has gone"), std::string::npos) << code;
  }
  EXPECT_EQ(text(EIO), "writing: Input/output error");
}

TEST(StorageFacts, AreThoseOfTheMount) {
  MountEntry mount;
  mount.mount_point = "/mnt/a b";
  mount.fs_type = "btrfs";
  mount.source = "/dev/sda1";
  mount.mount_options = "rw,noatime";
  mount.super_options = "rw,compress=zstd";
  const StorageFacts facts = facts_of_mount(mount);
  EXPECT_EQ(facts.file_system, "btrfs");
  EXPECT_EQ(facts.mount_options, "rw,noatime,rw,compress=zstd");
  EXPECT_EQ(facts.mount_point, "/mnt/a b");
  EXPECT_EQ(facts.device, "/dev/sda1");
  EXPECT_TRUE(facts.compresses);
  EXPECT_FALSE(facts.in_memory);
}

TEST(StorageFacts, AreFoundForAPath) {
  const StorageFacts facts = storage_facts("/proc/self/status");
  EXPECT_EQ(facts.file_system, "proc");
  EXPECT_EQ(facts.mount_point, "/proc");
}

TEST(Summary, MedianRunIsOneRun) {
  std::vector<RunResult> runs(5);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    runs[i].bytes = 1000 * (i + 1);
    runs[i].requests = i + 1;
    runs[i].elapsed_ns = 1000;
    runs[i].cpu_ns = 10 * i;
    runs[i].latency = std::make_shared<LatencyHistogram>();
    runs[i].latency->record(100 * (i + 1));
  }
  const RowSummary odd = summarise(runs);
  EXPECT_EQ(odd.bytes, 3000U);
  EXPECT_EQ(odd.cpu_ns, 20U);
  EXPECT_EQ(odd.mb_per_s, 3000);
  EXPECT_EQ(odd.spread.median, 3000);
  EXPECT_EQ(odd.spread.mad, 1000);
  EXPECT_EQ(odd.latency->max_ns(), 300U);
  runs.pop_back();
  const RowSummary even = summarise(runs);
  EXPECT_EQ(even.mb_per_s, even.spread.median);
  EXPECT_EQ(even.latency->count(), 2U);
  EXPECT_EQ(summarise({}).mb_per_s, 0);
}

}  // namespace
}  // namespace volt
