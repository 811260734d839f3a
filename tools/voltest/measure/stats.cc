#include "tools/voltest/measure/stats.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <random>

namespace volt {
namespace {

constexpr std::size_t resamples = 2000;
constexpr double tail = 0.025;

constexpr std::size_t most_pairwise = 50;  // rounds up to which all means of two are looked at

// Student's 97.5 % quantile over the normal one; a series in 1/n beyond the table. Two rounds have
// only three different resamples, whose span is less than the normal quantile: hence more there.
double student_factor(std::size_t rounds) {
  constexpr std::array<double, 11> factors = {1,      1,      8.9846, 2.1952, 1.6234, 1.4165,
                                              1.3116, 1.2484, 1.2064, 1.1765, 1.1541};
  if (rounds < factors.size()) return factors[rounds];
  const double freedom = static_cast<double>(rounds) - 1;
  return 1 + 1.2104 / freedom + 1.44 / (freedom * freedom);
}

// Of values that are there; puts them in another order.
double median_in(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*std::max_element(values.begin(), middle) + *middle) / 2;
}

// Hodges and Lehmann's centre: the median of the means of every two values, each with itself too.
// `means` is scratch memory.
double centre_of(std::span<const double> values, std::vector<double>& means) {
  means.clear();
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values.size() > most_pairwise) {
      means.push_back(values[i]);
      continue;
    }
    for (std::size_t j = i; j < values.size(); ++j) means.push_back((values[i] + values[j]) / 2);
  }
  return median_in(means);
}

}  // namespace

double median_of(std::span<const double> values) {
  if (values.empty()) return 0;
  std::vector<double> copy(values.begin(), values.end());
  return median_in(copy);
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
  std::vector<double> logs;
  logs.reserve(rounds);
  for (std::size_t i = 0; i < rounds; ++i) logs.push_back(std::log(target[i] / baseline[i]));
  std::vector<double> scratch;
  const double centre = centre_of(logs, scratch);
  result.ratio = result.low = result.high = std::exp(centre);
  if (rounds < 2) return result;

  std::mt19937_64 random(seed);
  std::uniform_int_distribution<std::size_t> pick(0, rounds - 1);
  std::vector<double> centres;
  centres.reserve(resamples);
  std::vector<double> draw(rounds);
  for (std::size_t i = 0; i < resamples; ++i) {
    for (double& value : draw) value = logs[pick(random)];
    centres.push_back(centre_of(draw, scratch));
  }
  std::sort(centres.begin(), centres.end());
  const auto at = static_cast<std::size_t>(tail * static_cast<double>(resamples));
  const auto count = static_cast<double>(rounds);
  const double factor = student_factor(rounds) * std::sqrt(count / (count - 1));
  const double low = std::min(centre, centres[at]);
  const double high = std::max(centre, centres[resamples - 1 - at]);
  result.low = std::exp(centre - (centre - low) * factor);
  result.high = std::exp(centre + (high - centre) * factor);
  result.difference = result.low > 1 || result.high < 1;
  return result;
}

}  // namespace volt
