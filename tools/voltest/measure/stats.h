// Statistics over a handful of runs: robust, and honest about what a difference is worth.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace volt {

// Of a sample; all zero where it is empty.
struct Spread {
  double median = 0;
  double min = 0;
  double max = 0;
  double mad = 0;  // median absolute deviation from the median, not scaled
};

// Mean of the two middle values where the number is even. 0 when empty.
double median_of(std::span<const double> values);
Spread spread_of(std::span<const double> values);

// Indices of the middle value, or of the two middle values, in order of rate.
std::vector<std::size_t> middle_indices(std::span<const double> values);

// The ratio target / baseline of two interleaved samples.
struct Ratio {
  double ratio = 1;
  double low = 1;  // 95 % bootstrap interval
  double high = 1;
  bool difference = false;  // the interval does not hold 1
};

// Round i of `target` ran next to round i of `baseline`, so what counts is the ratio within each
// round: what moves both (heat, a neighbour) cancels. The ratio told is the Hodges-Lehmann centre
// of the rounds' ratios (in logarithms; beyond 50 rounds their median), the interval its percentile
// bootstrap over rounds, widened about the centre by Student's factor and sqrt(n / (n - 1)):
// without that, few rounds give intervals that are too narrow (an A/A comparison of five rounds
// would report a difference once in seven times instead of once in twenty). One round tells
// nothing: difference is false. Deterministic for a seed. Shapes: equal lengths, values above 0.
Ratio bootstrap_ratio(std::span<const double> baseline, std::span<const double> target,
                      std::uint64_t seed);

}  // namespace volt
