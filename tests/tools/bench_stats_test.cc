#include "tools/voltest/measure/stats.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace volt {
namespace {

TEST(BenchStats, MedianOfOddAndEven) {
  EXPECT_EQ(median_of(std::vector<double>{}), 0);
  EXPECT_EQ(median_of(std::vector<double>{7}), 7);
  EXPECT_EQ(median_of(std::vector<double>{9, 1, 5}), 5);
  EXPECT_EQ(median_of(std::vector<double>{9, 1, 5, 6}), 5.5);
}

TEST(BenchStats, SpreadIsRobust) {
  const Spread spread = spread_of(std::vector<double>{10, 12, 11, 13, 1000});
  EXPECT_EQ(spread.median, 12);
  EXPECT_EQ(spread.min, 10);
  EXPECT_EQ(spread.max, 1000);
  EXPECT_EQ(spread.mad, 1);
}

TEST(BenchStats, MiddleIndices) {
  EXPECT_TRUE(middle_indices(std::vector<double>{}).empty());
  EXPECT_EQ(middle_indices(std::vector<double>{3, 1, 2}), (std::vector<std::size_t>{2}));
  EXPECT_EQ(middle_indices(std::vector<double>{4, 1, 3, 2}), (std::vector<std::size_t>{3, 2}));
}

TEST(BenchStats, OneRoundTellsNothing) {
  const Ratio ratio = bootstrap_ratio(std::vector<double>{100}, std::vector<double>{50}, 1);
  EXPECT_EQ(ratio.ratio, 0.5);
  EXPECT_FALSE(ratio.difference);
}

TEST(BenchStats, SameSeedSameInterval) {
  const std::vector<double> a = {100, 103, 98, 101, 99};
  const std::vector<double> b = {90, 95, 88, 91, 93};
  const Ratio first = bootstrap_ratio(a, b, 42);
  const Ratio second = bootstrap_ratio(a, b, 42);
  EXPECT_EQ(first.low, second.low);
  EXPECT_EQ(first.high, second.high);
  EXPECT_LE(first.low, first.ratio);
  EXPECT_GE(first.high, first.ratio);
}

// What disturbs a run on its own, besides what moves the whole round.
enum class Noise { normal, heavy_tails, stalls, two_levels };

double noise_of(Noise kind, double scale, std::mt19937_64& random) {
  std::normal_distribution<double> normal(0, scale);
  const double own = normal(random);
  const double uniform = std::uniform_real_distribution<double>(0, 1)(random);
  switch (kind) {
    case Noise::normal:
      return own;
    case Noise::heavy_tails:
      return std::student_t_distribution<double>(2)(random) * scale * 0.7;
    case Noise::stalls:  // every tenth run loses a third
      return own - (uniform < 0.1 ? 0.35 : 0);
    case Noise::two_levels:  // a processor that has two speeds
      return own - (uniform < 0.5 ? 0.3 : 0);
  }
  return own;
}

struct Scene {
  double true_ratio = 1;
  std::size_t rounds = 5;
  Noise noise = Noise::normal;
  double own = 0.03;    // of each run
  double drift = 0.05;  // of each round, moving both
};

// Share of simulated comparisons that report a difference.
double reported(const Scene& scene, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> drift(0, scene.drift);
  constexpr int trials = 300;
  int differences = 0;
  for (int i = 0; i < trials; ++i) {
    std::vector<double> base;
    std::vector<double> target;
    for (std::size_t round = 0; round < scene.rounds; ++round) {
      const double level = 1000 * std::exp(drift(random));
      base.push_back(level * std::exp(noise_of(scene.noise, scene.own, random)));
      target.push_back(level * scene.true_ratio *
                       std::exp(noise_of(scene.noise, scene.own, random)));
    }
    if (bootstrap_ratio(base, target, random()).difference) ++differences;
  }
  return static_cast<double>(differences) / trials;
}

TEST(BenchStats, SameTargetTwiceIsRarelyDifferent) {
  constexpr std::uint64_t seed = 6;
  SCOPED_TRACE(seed);
  for (const std::size_t rounds : {2U, 3U, 4U, 5U, 8U}) {
    EXPECT_LE(reported({1, rounds}, seed), 0.075) << rounds << " rounds";
  }
}

TEST(BenchStats, NorWhereTheNoiseIsUgly) {
  constexpr std::uint64_t seed = 8;
  SCOPED_TRACE(seed);
  for (const Noise noise : {Noise::heavy_tails, Noise::stalls, Noise::two_levels}) {
    for (const std::size_t rounds : {3U, 5U, 7U}) {
      EXPECT_LE(reported({1, rounds, noise}, seed), 0.075)
          << rounds << " rounds, noise " << static_cast<int>(noise);
    }
  }
}

TEST(BenchStats, WhatMovesBothCancels) {
  constexpr std::uint64_t seed = 9;
  SCOPED_TRACE(seed);
  const Scene same{1, 5, Noise::normal, 0.02, 0.4};
  EXPECT_LE(reported(same, seed), 0.075);
  Scene slower = same;
  slower.true_ratio = 0.9;
  EXPECT_GE(reported(slower, seed), 0.95);
}

TEST(BenchStats, TenPercentSlowerIsFound) {
  constexpr std::uint64_t seed = 7;
  SCOPED_TRACE(seed);
  EXPECT_GE(reported({0.9, 5, Noise::normal, 0.02}, seed), 0.97);
  EXPECT_GE(reported({0.9, 5, Noise::normal, 0.03}, seed), 0.90);
  EXPECT_GE(reported({0.9, 10, Noise::normal, 0.03}, seed), 0.98);
  EXPECT_GE(reported({0.9, 5, Noise::heavy_tails, 0.015}, seed), 0.90);
}

TEST(BenchStats, ManyRoundsStayCheap) {
  const std::vector<double> a(1000, 100);
  const std::vector<double> b(1000, 90);
  const Ratio ratio = bootstrap_ratio(a, b, 1);
  EXPECT_NEAR(ratio.ratio, 0.9, 1e-12);
  EXPECT_TRUE(ratio.difference);
}

}  // namespace
}  // namespace volt
