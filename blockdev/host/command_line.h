// The command line of a program as data: commands, their options and arguments, one row each. What
// parses it, what prints the help, and whatever else lists options read the same rows.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "blockdev/host/exit_status.h"

namespace volt {

// One option ("--size", "-r,--read-only") or argument ("FILE"). The variable that it fills belongs
// to the caller and outlives parsing; what it holds before is the default.
struct OptionRow {
  using Target = std::variant<bool*, std::string*, std::vector<std::string>*, int*, std::uint32_t*,
                              std::uint64_t*, std::vector<std::uint32_t>*, std::vector<double>*>;
  std::string name;
  Target target;
  std::string help;
  std::string heading = "Options";  // under which help shows it; empty: not shown
  std::vector<std::string>
      choices{};  // the only values, spelled as same_name() compares; empty: any
  std::vector<std::string> offers{};  // what shells complete it with, where others are taken too
  std::uint64_t least = 0;            // of numbers
  std::uint64_t most = UINT64_MAX;    // of numbers; also limited by the variable's type
  bool required = false;
  bool comma_separated = false;  // of lists: one value may hold several
  bool clears = false;           // of flags: false where it is given
  bool* given = nullptr;         // set where it is on the command line; may be null

  bool is_argument() const noexcept { return name.empty() || name.front() != '-'; }
  bool is_flag() const noexcept { return std::holds_alternative<bool*>(target); }

  OptionRow& among(std::vector<std::string> values);
  OptionRow& between(std::uint64_t from, std::uint64_t to);
  OptionRow& under(std::string new_heading);
  OptionRow& not_shown() { return under(""); }
  OptionRow& needed();
  OptionRow& separated_by_commas();
  OptionRow& turns_off();
  OptionRow& tells(bool* was_given);
};

// A command, or the program itself. Thread contract: one thread.
class Command {
 public:
  Command(std::string name, std::string help);
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;

  // A row more. References stay good as long as the command does.
  OptionRow& add(std::string name, OptionRow::Target target, std::string help);
  // The row of that name, to change it; null where there is none.
  OptionRow* find(std::string_view name) noexcept;
  Command& add_command(std::string name, std::string help);
  // What is done when the command is chosen; gives the exit status. A command with commands of its
  // own has none.
  void runs(std::function<int()> action) { action_ = std::move(action); }
  // A line of the help's examples: "volt open c.hc here" and what it does.
  void example(std::string line, std::string meaning);

  const std::string& name() const noexcept { return name_; }
  const std::string& help() const noexcept { return help_; }
  const std::deque<OptionRow>& rows() const noexcept { return rows_; }
  const std::deque<Command>& commands() const noexcept { return commands_; }
  std::deque<Command>& commands() noexcept { return commands_; }
  const std::function<int()>& action() const noexcept { return action_; }
  std::string examples_text() const;

 private:
  struct Example {
    std::string line;
    std::string meaning;
  };
  std::string name_;
  std::string help_;
  std::deque<OptionRow> rows_;
  std::deque<Command> commands_;
  std::function<int()> action_;
  std::vector<Example> examples_;
};

// What came of a command line.
struct ParsedCommandLine {
  const Command* chosen = nullptr;  // what is to run; null: nothing
  std::string output;               // help or version, for standard output
  // What is wrong, as a sentence that names the option or command but never a value, which may be a
  // password; with a suggestion where a name was nearly right.
  std::string problem;
  ExitStatus exit_status = exit_done;  // where nothing is to run
};

// Fills the rows' variables. `version` is what --version prints. Values are given as "--name VALUE"
// or "--name=VALUE"; "--" ends the options. Numbers are decimal digits and nothing else.
ParsedCommandLine parse_command_line(Command& program, std::string_view version, int argc,
                                     const char* const* argv);

// The whole number that `text` spells in decimal digits. False where it is anything else (a sign, a
// space, "0x10", nothing) or does not fit.
bool parse_decimal(std::string_view text, std::uint64_t* value) noexcept;

}  // namespace volt
