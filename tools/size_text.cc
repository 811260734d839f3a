#include "tools/size_text.h"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <limits>

#include "blockdev/host/command_line.h"

namespace volt {
namespace {

// A decimal number split so that scaling it needs no floating point.
struct Decimal {
  std::uint64_t whole = 0;
  std::uint64_t millionths = 0;
  std::string_view suffix;  // what follows, spaces before it dropped
};

constexpr Error not_a_size{ErrorCode::invalid_argument, 0,
                           "not a size: write a number and K, M, G, T (1024) or KB, MB ... (1000)"};
constexpr Error size_too_large{ErrorCode::out_of_range, 0, "size too large: at most 8 EiB - 1"};
constexpr Error not_a_duration{ErrorCode::invalid_argument, 0,
                               "not a time: write seconds, or a number and ms, s, m, h"};
constexpr Error duration_too_long{ErrorCode::out_of_range, 0, "time too long: at most 1000 hours"};

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

std::string_view without_leading_spaces(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  return text;
}

Result<Decimal> split_decimal(std::string_view text, const Error& malformed,
                              const Error& too_large) {
  Decimal decimal;
  std::size_t at = 0;
  while (at < text.size() && is_digit(text[at])) ++at;
  if (at == 0 || text.back() == ' ') return malformed;
  if (!parse_decimal(text.substr(0, at), &decimal.whole)) return too_large;
  if (at < text.size() && text[at] == '.') {
    ++at;
    std::uint64_t scale = 100'000;
    const std::size_t first = at;
    for (; at < text.size() && is_digit(text[at]); ++at, scale /= 10) {
      if (scale == 0) return malformed;  // more than six decimals
      decimal.millionths += scale * static_cast<std::uint64_t>(text[at] - '0');
    }
    if (at == first) return malformed;
  }
  decimal.suffix = without_leading_spaces(text.substr(at));
  return decimal;
}

Result<std::uint64_t> scaled(const Decimal& decimal, std::uint64_t unit, std::uint64_t limit,
                             const Error& too_large) {
  if (decimal.whole > limit / unit) return too_large;
  // unit is at most 2^50: split so that the product of the fraction fits 64 bits.
  const std::uint64_t fraction =
      unit / 1'000'000 * decimal.millionths + unit % 1'000'000 * decimal.millionths / 1'000'000;
  const std::uint64_t whole = decimal.whole * unit;
  if (fraction > limit - whole) return too_large;
  return whole + fraction;
}

// The factor that a suffix stands for, or 0.
std::uint64_t size_unit(std::string_view suffix) {
  std::string lower;
  for (const char c : suffix) {
    lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  if (lower.empty() || lower == "b") return 1;
  constexpr std::string_view letters = "kmgtp";
  const std::size_t power = letters.find(lower[0]);
  if (power == std::string_view::npos) return 0;
  const std::string rest = lower.substr(1);
  std::uint64_t base = 0;
  if (rest.empty() || rest == "ib") base = 1024;
  if (rest == "b") base = 1000;
  if (base == 0) return 0;
  std::uint64_t unit = 1;
  for (std::size_t i = 0; i <= power; ++i) unit *= base;
  return unit;
}

std::string three_digits(double value) {
  if (value >= 100) return fmt::format("{:.0f}", value);
  if (value >= 10) return fmt::format("{:.1f}", value);
  if (value >= 1) return fmt::format("{:.2f}", value);
  return fmt::format("{:.3f}", value);
}

}  // namespace

Result<std::uint64_t> parse_size(std::string_view text) {
  const auto decimal = split_decimal(text, not_a_size, size_too_large);
  if (!decimal) return decimal.error();
  const std::uint64_t unit = size_unit(decimal->suffix);
  if (unit == 0) return not_a_size;
  constexpr auto limit = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  return scaled(*decimal, unit, limit, size_too_large);
}

Result<std::uint64_t> parse_duration_ns(std::string_view text) {
  const auto decimal = split_decimal(text, not_a_duration, duration_too_long);
  if (!decimal) return decimal.error();
  struct Unit {
    std::string_view name;
    std::uint64_t nanoseconds;
  };
  static constexpr std::array<Unit, 7> units = {{{"", 1'000'000'000},
                                                 {"s", 1'000'000'000},
                                                 {"ms", 1'000'000},
                                                 {"us", 1'000},
                                                 {"m", 60'000'000'000},
                                                 {"min", 60'000'000'000},
                                                 {"h", 3'600'000'000'000}}};
  for (const Unit& unit : units) {
    if (unit.name == decimal->suffix) {
      return scaled(*decimal, unit.nanoseconds, 3'600'000'000'000'000, duration_too_long);
    }
  }
  return not_a_duration;
}

std::string format_size(std::uint64_t bytes) {
  static constexpr std::array<const char*, 7> names = {"B",   "KiB", "MiB", "GiB",
                                                       "TiB", "PiB", "EiB"};
  std::size_t power = 0;
  while (power + 1 < names.size() && (bytes >> (10 * (power + 1))) != 0) ++power;
  const double value = static_cast<double>(bytes) / static_cast<double>(1ULL << (10 * power));
  std::string digits = fmt::format("{:.2f}", value);
  while (digits.back() == '0') digits.pop_back();
  if (digits.back() == '.') digits.pop_back();
  return digits + " " + names[power];
}

std::string format_rate(double bytes_per_second) {
  return three_digits(bytes_per_second / 1e6) + " MB/s";
}

std::string format_latency(std::uint64_t nanoseconds) {
  const auto value = static_cast<double>(nanoseconds);
  if (nanoseconds < 1'000) return fmt::format("{} ns", nanoseconds);
  if (nanoseconds < 1'000'000) return three_digits(value / 1e3) + " us";
  if (nanoseconds < 1'000'000'000) return three_digits(value / 1e6) + " ms";
  return three_digits(value / 1e9) + " s";
}

}  // namespace volt
