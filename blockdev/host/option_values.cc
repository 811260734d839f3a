#include "blockdev/host/option_values.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <string_view>
#include <utility>

#include "blockdev/host/command_line.h"
#include "crypto/same_name.h"

namespace volt {
namespace {

constexpr const char* digits_only = "a whole number in decimal digits";
constexpr const char* checked_name = "volt";  // marks the options that have a rule of ours

CLI::Validator rule(std::function<std::string(std::string&)> check, std::string description) {
  CLI::Validator validator(std::move(check), std::move(description), checked_name);
  return validator;
}

bool has_rule(CLI::Option* option) {
  try {
    return option->get_validator(checked_name) != nullptr;
  } catch (const CLI::OptionNotFound&) {
    return false;
  }
}

// "12" or "12.5": digits, and digits behind a point.
bool is_decimal_fraction(const std::string& text) {
  const std::size_t point = text.find('.');
  const auto all_digits = [](std::string_view part) {
    return !part.empty() && part.find_first_not_of("0123456789") == std::string_view::npos;
  };
  if (point == std::string::npos) return all_digits(text);
  return all_digits(std::string_view(text).substr(0, point)) &&
         all_digits(std::string_view(text).substr(point + 1));
}

CLI::Validator decimal_fraction() {
  return rule(
      [](std::string& text) -> std::string {
        constexpr std::size_t longest = 40;
        if (text.size() <= longest && is_decimal_fraction(text)) return "";
        return "must be a number in decimal digits, with a point where it has a fraction";
      },
      "");
}

// Text that is empty is what a script's unset variable gives: it must not count as left out.
CLI::Validator something() {
  return rule([](std::string& text) { return text.empty() ? "must not be empty" : ""; }, "");
}

std::string list_of(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : ", ") + word;
  return out;
}

}  // namespace

CLI::Validator whole_number(std::uint64_t least, std::uint64_t most) {
  const std::string range = std::to_string(least) + " to " + std::to_string(most);
  const bool any = most >= std::numeric_limits<std::int32_t>::max();
  return rule(
      [least, most, range](std::string& text) -> std::string {
        std::uint64_t value = 0;
        if (parse_decimal(text, &value) && value >= least && value <= most) {
          text = std::to_string(value);  // CLI11 takes a leading zero for octal
          return "";
        }
        return std::string("must be ") + digits_only + ", " + range;
      },
      any ? "" : range);
}

CLI::Validator one_number_of(std::vector<std::uint64_t> allowed) {
  std::vector<std::string> words;
  for (const std::uint64_t number : allowed) words.push_back(std::to_string(number));
  return rule(
      [allowed = std::move(allowed), words](std::string& text) -> std::string {
        std::uint64_t value = 0;
        if (parse_decimal(text, &value) &&
            std::find(allowed.begin(), allowed.end(), value) != allowed.end()) {
          text = std::to_string(value);
          return "";
        }
        return "must be one of " + list_of(words);
      },
      list_of(words));
}

CLI::Validator one_of(std::vector<std::string> words) {
  const std::string list = list_of(words);
  return rule(
      [words = std::move(words), list](std::string& text) -> std::string {
        for (const std::string& word : words) {
          if (!same_name(text, word)) continue;
          text = word;
          return "";
        }
        return "must be one of " + list;
      },
      "");
}

void settle_option_values(CLI::App* app) {
  for (CLI::Option* option : app->get_options()) {
    const std::string type = option->get_type_name();
    if (has_rule(option)) continue;
    if (type.starts_with("UINT")) {
      option->transform(whole_number(0, std::numeric_limits<std::uint64_t>::max()));
    } else if (type.starts_with("INT")) {
      option->transform(whole_number(0, std::numeric_limits<std::int32_t>::max()));
    } else if (type.starts_with("FLOAT")) {
      option->transform(decimal_fraction());
    } else if (type.starts_with("TEXT") && !option->get_positional()) {
      option->transform(something());
    }
  }
  for (CLI::App* command : app->get_subcommands([](CLI::App*) { return true; })) {
    settle_option_values(command);
  }
}

}  // namespace volt
