#include "tools/bench_stats.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <random>

namespace volt {
namespace {

constexpr std::size_t resamples = 4000;
constexpr double tail = 0.025;

// Student's 97.5 % quantile over the normal one for 2, 3 and 4 rounds; 1 from 5 on.
double small_sample_factor(std::size_t rounds) {
  constexpr std::array<double, 5> factors = {1, 1, 6.48, 2.20, 1.62};
  return rounds < factors.size() ? factors[rounds] : 1;
}

}  // namespace

double median_of(std::span<const double> values) {
  if (values.empty()) return 0;
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  const std::size_t middle = sorted.size() / 2;
  if (sorted.size() % 2 == 1) return sorted[middle];
  return (sorted[middle - 1] + sorted[middle]) / 2;
}

Spread spread_of(std::span<const double> values) {
  Spread spread;
  if (values.empty()) return spread;
  spread.median = median_of(values);
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  spread.min = *low;
  spread.max = *high;
  std::vector<double> deviations;
  deviations.reserve(values.size());
  for (const double value : values) deviations.push_back(std::abs(value - spread.median));
  spread.mad = median_of(deviations);
  return spread;
}

std::vector<std::size_t> middle_indices(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  const std::size_t middle = order.size() / 2;
  if (order.empty()) return {};
  if (order.size() % 2 == 1) return {order[middle]};
  return {order[middle - 1], order[middle]};
}

Ratio bootstrap_ratio(std::span<const double> baseline, std::span<const double> target,
                      std::uint64_t seed) {
  Ratio result;
  const std::size_t rounds = std::min(baseline.size(), target.size());
  if (rounds == 0) return result;
  baseline = baseline.first(rounds);
  target = target.first(rounds);
  result.ratio = median_of(target) / median_of(baseline);
  result.low = result.high = result.ratio;
  if (rounds < 2) return result;

  std::mt19937_64 random(seed);
  std::uniform_int_distribution<std::size_t> pick(0, rounds - 1);
  std::vector<double> logs;
  logs.reserve(resamples);
  std::vector<double> base_draw(rounds);
  std::vector<double> target_draw(rounds);
  for (std::size_t i = 0; i < resamples; ++i) {
    for (std::size_t j = 0; j < rounds; ++j) {
      const std::size_t round = pick(random);
      base_draw[j] = baseline[round];
      target_draw[j] = target[round];
    }
    logs.push_back(std::log(median_of(target_draw) / median_of(base_draw)));
  }
  std::sort(logs.begin(), logs.end());
  const auto at = static_cast<std::size_t>(tail * static_cast<double>(resamples));
  const double centre = std::log(result.ratio);
  const double factor = small_sample_factor(rounds);
  const double low = std::min(centre, logs[at]);
  const double high = std::max(centre, logs[resamples - 1 - at]);
  result.low = std::exp(centre - (centre - low) * factor);
  result.high = std::exp(centre + (high - centre) * factor);
  result.difference = result.low > 1 || result.high < 1;
  return result;
}

}  // namespace volt
