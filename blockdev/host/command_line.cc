#include "blockdev/host/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <limits>
#include <type_traits>
#include <utility>

#include "blockdev/host/completion.h"
#include "blockdev/host/name_suggestion.h"
#include "crypto/base/same_name.h"

namespace volt {
namespace {

std::string joined(const std::vector<std::string>& words, const char* separator) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : separator) + word;
  return out;
}

// "--read-only" of "-r,--read-only": what messages call an option.
std::string long_name(const OptionRow& row) {
  const std::size_t comma = row.name.rfind(',');
  return comma == std::string::npos ? row.name : row.name.substr(comma + 1);
}

std::uint64_t most_of(const OptionRow& row) {
  return std::visit(
      [&](auto* target) -> std::uint64_t {
        using Value = std::remove_reference_t<decltype(*target)>;
        if constexpr (std::is_same_v<Value, std::uint32_t> ||
                      std::is_same_v<Value, std::vector<std::uint32_t>>) {
          return std::min<std::uint64_t>(row.most, std::numeric_limits<std::uint32_t>::max());
        } else if constexpr (std::is_same_v<Value, int>) {
          return std::min<std::uint64_t>(row.most, std::numeric_limits<int>::max());
        } else {
          return row.most;
        }
      },
      row.target);
}

std::uint64_t number_of(const OptionRow& row, const std::string& text) {
  std::uint64_t value = 0;
  const std::uint64_t most = most_of(row);
  const bool number = parse_decimal(text, &value) && value >= row.least && value <= most;
  if (number && row.choices.empty()) return value;
  for (const std::string& choice : row.choices) {
    if (number && choice == std::to_string(value)) return value;
  }
  if (!row.choices.empty()) {
    throw CLI::ValidationError(long_name(row), "must be one of " + joined(row.choices, ", "));
  }
  throw CLI::ValidationError(long_name(row), "must be a whole number in decimal digits, " +
                                                 std::to_string(row.least) + " to " +
                                                 std::to_string(most));
}

// Decimal digits, with a point and more digits or without.
double fraction_of(const OptionRow& row, const std::string& text) {
  double value = 0;
  const bool digits = !text.empty() && text.find_first_not_of("0123456789.") == std::string::npos &&
                      text.front() != '.';
  const char* const end = text.data() + text.size();
  const auto [parsed, problem] = std::from_chars(text.data(), end, value, std::chars_format::fixed);
  if (digits && problem == std::errc() && parsed == end) return value;
  throw CLI::ValidationError(long_name(row), "must be numbers such as 54 or 12.5");
}

std::string text_of(const OptionRow& row, const std::string& text) {
  // Empty is what a script's unset variable gives: it must not count as left out.
  if (text.empty() && !row.is_argument()) {
    throw CLI::ValidationError(long_name(row), "must not be empty");
  }
  if (row.choices.empty()) return text;
  for (const std::string& choice : row.choices) {
    if (same_name(choice, text)) return choice;
  }
  throw CLI::ValidationError(long_name(row), "must be one of " + joined(row.choices, ", "));
}

std::vector<std::string> parts_of(const OptionRow& row, const CLI::results_t& values) {
  if (!row.comma_separated) return values;
  std::vector<std::string> parts;
  for (const std::string& value : values) {
    std::size_t from = 0;
    for (std::size_t comma = 0; comma != std::string::npos; from = comma + 1) {
      comma = value.find(',', from);
      parts.push_back(value.substr(from, comma == std::string::npos ? comma : comma - from));
    }
  }
  return parts;
}

// Puts what was typed into the row's variable.
void fill(const OptionRow& row, const CLI::results_t& values) {
  if (row.given != nullptr) *row.given = true;
  std::visit(
      [&](auto* target) {
        using Value = std::remove_reference_t<decltype(*target)>;
        if constexpr (std::is_same_v<Value, bool>) {
          *target = !row.clears;
        } else if constexpr (std::is_same_v<Value, std::string>) {
          *target = text_of(row, values.back());
        } else if constexpr (std::is_same_v<Value, std::vector<std::string>>) {
          target->clear();
          for (const std::string& part : parts_of(row, values)) {
            target->push_back(text_of(row, part));
          }
        } else if constexpr (std::is_same_v<Value, std::vector<std::uint32_t>>) {
          target->clear();
          for (const std::string& part : parts_of(row, values)) {
            target->push_back(static_cast<std::uint32_t>(number_of(row, part)));
          }
        } else if constexpr (std::is_same_v<Value, std::vector<double>>) {
          target->clear();
          for (const std::string& part : parts_of(row, values)) {
            target->push_back(fraction_of(row, part));
          }
        } else {
          *target = static_cast<Value>(number_of(row, values.back()));
        }
      },
      row.target);
}

std::string value_name(const OptionRow& row) {
  if (!row.choices.empty()) return "{" + joined(row.choices, ",") + "}";
  return std::visit(
      [&](auto* target) -> std::string {
        using Value = std::remove_reference_t<decltype(*target)>;
        if constexpr (std::is_same_v<Value, std::string> ||
                      std::is_same_v<Value, std::vector<std::string>>) {
          return row.is_argument() ? "" : "TEXT";
        } else if constexpr (std::is_same_v<Value, std::vector<double>>) {
          return "FLOAT";
        } else {
          return "N";
        }
      },
      row.target);
}

bool is_list(const OptionRow& row) noexcept {
  return std::holds_alternative<std::vector<std::string>*>(row.target) ||
         std::holds_alternative<std::vector<double>*>(row.target) ||
         std::holds_alternative<std::vector<std::uint32_t>*>(row.target);
}

void add_row(CLI::App* app, const OptionRow& row) {
  CLI::Option* option = nullptr;
  if (row.is_flag()) {
    option = app->add_flag_callback(
        row.name, [&row] { fill(row, {}); }, row.help);
    option->disable_flag_override();
  } else {
    option = app->add_option(
        row.name,
        [&row](const CLI::results_t& values) {
          fill(row, values);
          return true;
        },
        row.help);
    option->type_name(value_name(row))->type_size(1);
    if (is_list(row)) {
      constexpr int any_number = -1;  // as CLI11 writes it
      option->expected(1, row.is_argument() ? any_number : 1);
      option->allow_extra_args(row.is_argument());
      option->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    } else {
      option->multi_option_policy(CLI::MultiOptionPolicy::Throw);
    }
  }
  if (!row.is_argument()) option->group(row.heading);
  option->required(row.required);
}

using ChosenCommand = const Command*;

void add_command(CLI::App* app, const Command& command, ChosenCommand* chosen) {
  app->get_formatter()->column_width(30);
  app->set_help_flag("-h,--help", "print this help");
  for (const OptionRow& row : command.rows()) add_row(app, row);
  app->footer(command.examples_text());
  for (const Command& sub : command.commands()) {
    add_command(app->add_subcommand(sub.name(), sub.help()), sub, chosen);
  }
  if (command.action()) app->parse_complete_callback([chosen, &command] { *chosen = &command; });
}

// The command that was being parsed, and its words: {open} of "volt open".
const Command& reached(const CLI::App& app, const Command& program, std::string* words) {
  const CLI::App* at = &app;
  const Command* command = &program;
  *words = program.name();
  while (!at->get_subcommands().empty()) {
    at = at->get_subcommands().front();
    for (const Command& sub : command->commands()) {
      if (sub.name() != at->get_name()) continue;
      command = &sub;
      break;
    }
    *words += " " + at->get_name();
  }
  return *command;
}

std::vector<std::string> option_names(const Command& command) {
  std::vector<std::string> names = {"--help"};
  for (const OptionRow& row : command.rows()) {
    if (!row.is_argument() && !row.heading.empty()) names.push_back(long_name(row));
  }
  return names;
}

std::vector<std::string> command_names(const Command& command) {
  std::vector<std::string> names;
  for (const Command& sub : command.commands()) names.push_back(sub.name());
  return names;
}

// Whether a word looks like a command's name, so that it may be repeated: anything else may be a
// password that was typed in the wrong place.
bool may_be_repeated(const std::string& word) {
  constexpr std::size_t longest = 16;
  return word.size() <= longest && std::all_of(word.begin(), word.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || c == '-';
         });
}

std::string did_you_mean(const std::string& name, const std::vector<std::string>& names) {
  const std::string near = nearest_name(name, names);
  return near.empty() ? "" : "; did you mean " + near + "?";
}

std::string unexpected(const CLI::App& app, const Command& program) {
  std::string words;
  const Command& command = reached(app, program, &words);
  const std::vector<std::string> extras = app.remaining(/*recurse=*/true);
  const std::string see = " (see " + words + " --help)";
  for (const std::string& extra : extras) {
    if (extra.size() < 2 || extra.front() != '-') continue;
    const std::string name = extra.substr(0, extra.find('='));
    return "unknown option " + name + did_you_mean(name, option_names(command)) + see;
  }
  if (!command.commands().empty() && !extras.empty() && may_be_repeated(extras.front())) {
    return "unknown command '" + extras.front() + "'" +
           did_you_mean(extras.front(), command_names(command)) + see;
  }
  return "an argument too many" + see;
}

std::string problem_of(const CLI::ParseError& error, const CLI::App& app, const Command& program) {
  std::string words;
  const Command& command = reached(app, program, &words);
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) return unexpected(app, program);
  const std::string text = error.what();
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
    const std::string name = text.substr(0, text.find_first_of(": "));
    if (text.find("flag override") != std::string::npos) {
      return (name.starts_with('-') ? name : "--" + name) + " takes no value";
    }
    const bool too_many = text.find("At Most") != std::string::npos;
    return name + (too_many ? " is given more than once" : " needs a value");
  }
  if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr && !command.commands().empty()) {
    if (!app.remaining(/*recurse=*/true).empty()) return unexpected(app, program);
    return "name a command: " + joined(command_names(command), ", ") + " (see " + words +
           " --help)";
  }
  if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr) {
    return text + " (see " + words + " --help)";
  }
  return text;
}

}  // namespace

OptionRow& OptionRow::among(std::vector<std::string> values) {
  choices = std::move(values);
  return *this;
}

OptionRow& OptionRow::between(std::uint64_t from, std::uint64_t to) {
  least = from;
  most = to;
  return *this;
}

OptionRow& OptionRow::under(std::string new_heading) {
  heading = std::move(new_heading);
  return *this;
}

OptionRow& OptionRow::needed() {
  required = true;
  return *this;
}

OptionRow& OptionRow::separated_by_commas() {
  comma_separated = true;
  return *this;
}

OptionRow& OptionRow::turns_off() {
  clears = true;
  return *this;
}

OptionRow& OptionRow::tells(bool* was_given) {
  given = was_given;
  return *this;
}

Command::Command(std::string name, std::string help)
    : name_(std::move(name)), help_(std::move(help)) {}

OptionRow& Command::add(std::string name, OptionRow::Target target, std::string help) {
  rows_.push_back({std::move(name), target, std::move(help)});
  return rows_.back();
}

OptionRow* Command::find(std::string_view name) noexcept {
  for (OptionRow& row : rows_) {
    if (row.name == name || long_name(row) == name) return &row;
  }
  return nullptr;
}

Command& Command::add_command(std::string name, std::string help) {
  return commands_.emplace_back(std::move(name), std::move(help));
}

void Command::example(std::string line, std::string meaning) {
  examples_.push_back({std::move(line), std::move(meaning)});
}

std::string Command::examples_text() const {
  std::string out;
  for (const Example& example : examples_) {
    if (out.empty()) out = "Examples:\n";
    out += "    " + example.line + "\n        " + example.meaning + "\n";
  }
  return out;
}

ParsedCommandLine parse_command_line(Command& program, std::string_view version, int argc,
                                     const char* const* argv) {
  ParsedCommandLine parsed;
  CLI::App app(program.help(), program.name());
  add_command(&app, program, &parsed.chosen);
  app.set_version_flag("--version", std::string(version), "print the version");
  std::string shell;
  const OptionRow completion =
      OptionRow{"--completion", &shell, "print completions for a shell"}.among(completion_shells());
  add_row(&app, completion);
  if (!program.commands().empty()) app.require_subcommand(1);
  for (CLI::App* sub : app.get_subcommands([](CLI::App*) { return true; })) {
    if (!sub->get_subcommands([](CLI::App*) { return true; }).empty()) sub->require_subcommand(1);
  }
  try {
    app.parse(argc, argv);
    if (shell.empty()) return parsed;
  } catch (const CLI::CallForHelp&) {
    std::string words;
    const CLI::App* at = &app;
    while (!at->get_subcommands().empty()) {
      words += (words.empty() ? "" : " ") + at->get_name();
      at = at->get_subcommands().front();
    }
    parsed.output = at->help(words);
    while (parsed.output.ends_with("\n\n")) parsed.output.pop_back();
  } catch (const CLI::CallForVersion&) {
    parsed.output = std::string(version) + "\n";
  } catch (const CLI::ParseError& error) {
    parsed.problem = problem_of(error, app, program);
    parsed.exit_status = exit_wrong_parameters;
  }
  parsed.chosen = nullptr;
  // Filled before it is found that no command was named, which is no mistake here.
  if (const auto script = completion_script(program, shell)) {
    parsed.output = *script;
    parsed.problem.clear();
    parsed.exit_status = exit_done;
  }
  return parsed;
}

bool parse_decimal(std::string_view text, std::uint64_t* value) noexcept {
  if (text.empty() || text.front() < '0' || text.front() > '9') return false;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), *value);
  return problem == std::errc() && end == text.data() + text.size();
}

}  // namespace volt
