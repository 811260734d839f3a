// Sizes, rates and times as people write and read them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "crypto/result.h"

namespace volt {

// Bytes from "4096", "64K", "1.5GiB", "100 MB": K M G T P and KiB MiB ... are powers of 1024,
// KB MB ... powers of 1000, B or nothing is bytes; letters in either case. Up to six decimals;
// what is left of a byte is dropped. Nothing may stand before the digits or behind the unit.
// Errors: invalid_argument (not a size), out_of_range (over 2^63 - 1, the largest file offset);
// both with a sentence in Error::context.
Result<std::uint64_t> parse_size(std::string_view text);

// Nanoseconds from "5" (seconds), "0.5", "300ms", "2m", "1h", "10s". Errors as parse_size;
// at most 1000 hours.
Result<std::uint64_t> parse_duration_ns(std::string_view text);

// "1 GiB", "1.5 MiB", "512 B": powers of 1024, at most two decimals.
std::string format_size(std::uint64_t bytes);

// "1234 MB/s", "12.3 MB/s", "0.512 MB/s": bytes a second in 10^6, about three digits.
std::string format_rate(double bytes_per_second);

// "850 ns", "12.3 us", "4.56 ms", "1.20 s".
std::string format_latency(std::uint64_t nanoseconds);

}  // namespace volt
