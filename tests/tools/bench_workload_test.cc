#include "tools/voltest/measure/workload.h"

#include <gtest/gtest.h>

#include <set>

#include "tools/voltest/measure/data.h"

namespace volt {
namespace {

TEST(Workload, NamesOfTheContract) {
  std::vector<std::string> names;
  for (const AccessOrder order : {AccessOrder::sequential, AccessOrder::random}) {
    for (const Workload& workload : standard_workloads(order)) names.push_back(workload.name);
  }
  EXPECT_EQ(names,
            (std::vector<std::string>{"seq1m-q8t1", "seq1m-q1t1", "rand4k-q32t1", "rand4k-q1t1"}));
  EXPECT_EQ(workload_name(AccessOrder::random, 512, 1, 16), "rand512b-q1t16");
}

TEST(BlockPermutation, VisitsEachBlockOnce) {
  for (std::uint64_t count = 1; count <= 130; ++count) {
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
      const BlockPermutation permutation(count, seed);
      std::set<std::uint64_t> seen;
      for (std::uint64_t i = 0; i < count; ++i) {
        const std::uint64_t block = permutation(i);
        ASSERT_LT(block, count);
        ASSERT_TRUE(seen.insert(block).second) << count << " seed " << seed;
      }
    }
  }
}

TEST(BlockPermutation, WorksFarOut) {
  constexpr std::uint64_t count = (std::uint64_t{1} << 40) + 3;
  const BlockPermutation permutation(count, 9);
  std::set<std::uint64_t> seen;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    EXPECT_LT(permutation(i), count);
    EXPECT_TRUE(seen.insert(permutation(i)).second);
  }
}

TEST(BlockPermutation, IsSpreadOut) {
  // Of neighbours in a random order few are neighbours on the disk.
  constexpr std::uint64_t count = 100'000;
  const BlockPermutation permutation(count, 3);
  std::uint64_t near = 0;
  for (std::uint64_t i = 0; i + 1 < count; ++i) {
    const std::uint64_t a = permutation(i);
    const std::uint64_t b = permutation(i + 1);
    if ((a > b ? a - b : b - a) < 100) ++near;
  }
  EXPECT_LT(near, count / 100);
}

TEST(RequestStream, SequentialWrapsInsideItsRange) {
  RequestStream stream(AccessOrder::sequential, 8192, 3 * 4096 + 100, 4096, 100, 1);
  EXPECT_EQ(stream.blocks(), 3U);
  for (const std::uint64_t offset : {8192, 12288, 16384, 8192}) {
    const IoRequest request = stream.next();
    EXPECT_EQ(request.offset_bytes, offset);
    EXPECT_FALSE(request.write);
  }
}

TEST(RequestStream, RandomPassesCoverAndDiffer) {
  constexpr std::uint64_t blocks = 1000;
  RequestStream stream(AccessOrder::random, 0, blocks * 4096, 4096, 0, 5);
  RequestStream again(AccessOrder::random, 0, blocks * 4096, 4096, 0, 5);
  RequestStream other(AccessOrder::random, 0, blocks * 4096, 4096, 0, 6);
  std::vector<std::uint64_t> passes[2];
  int same_as_other_seed = 0;
  for (auto& pass : passes) {
    std::set<std::uint64_t> seen;
    for (std::uint64_t i = 0; i < blocks; ++i) {
      const IoRequest request = stream.next();
      EXPECT_TRUE(request.write);
      EXPECT_EQ(request.offset_bytes, again.next().offset_bytes);
      if (request.offset_bytes == other.next().offset_bytes) ++same_as_other_seed;
      EXPECT_EQ(request.offset_bytes % 4096, 0U);
      pass.push_back(request.offset_bytes);
      seen.insert(request.offset_bytes);
    }
    EXPECT_EQ(seen.size(), blocks);
  }
  EXPECT_NE(passes[0], passes[1]);
  EXPECT_LT(same_as_other_seed, 50);
}

TEST(RequestStream, MixIsSeventyThirty) {
  RequestStream stream(AccessOrder::random, 0, 1 << 20, 4096, 70, 5);
  int writes = 0;
  for (int i = 0; i < 10'000; ++i) writes += stream.next().write ? 1 : 0;
  EXPECT_NEAR(writes, 3000, 200);
}

TEST(BenchData, NoiseIsSeededAndDoesNotRepeat) {
  std::vector<std::uint8_t> a(1 << 20);
  std::vector<std::uint8_t> b(1 << 20);
  fill_incompressible(a, 1);
  fill_incompressible(b, 1);
  EXPECT_EQ(a, b);
  std::set<std::uint64_t> words;
  for (std::size_t i = 0; i < a.size(); i += 8) words.insert(load_le<std::uint64_t>(&a[i]));
  EXPECT_EQ(words.size(), a.size() / 8);
  std::vector<int> counts(256);
  for (const std::uint8_t byte : a) ++counts[byte];
  for (const int count : counts) EXPECT_NEAR(count, 4096, 400);
  stamp_unique(b, 77);
  for (std::size_t at = 0; at < a.size(); at += 4096) {
    EXPECT_FALSE(std::equal(a.begin() + static_cast<std::ptrdiff_t>(at),
                            a.begin() + static_cast<std::ptrdiff_t>(at + 4096),
                            b.begin() + static_cast<std::ptrdiff_t>(at)));
  }
}

}  // namespace
}  // namespace volt
