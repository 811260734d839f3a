// What the values of options may be, for programs that describe their options to CLI11 themselves.
// Every problem names what is allowed and never repeats the value, which may be a secret.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

namespace volt {

// For CLI::Option::transform(): a whole number in decimal digits and nothing else, `least` to
// `most`.
CLI::Validator whole_number(std::uint64_t least, std::uint64_t most);

// The same, one of these numbers.
CLI::Validator one_number_of(std::vector<std::uint64_t> allowed);

// For CLI::Option::transform(): one of these words in any letter case, as same_name() compares; the
// option gets the word as it is written here.
CLI::Validator one_of(std::vector<std::string> words);

// Gives a rule to all options of `app` and its commands that have none of the above yet: numbers
// are decimal, so that CLI11 never reads octal or hexadecimal, and text is not empty. Call it when
// all options are there, before parsing.
void settle_option_values(CLI::App* app);

}  // namespace volt
