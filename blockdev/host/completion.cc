#include "blockdev/host/completion.h"

#include <algorithm>

namespace volt {
namespace {

// A command with the words that lead to it: {"header", "backup"}; none for the program itself.
struct Place {
  std::vector<std::string> words;
  const Command* command;
};

void collect(const Command& command, const std::vector<std::string>& words,
             std::vector<Place>* places) {
  places->push_back({words, &command});
  for (const Command& sub : command.commands()) {
    std::vector<std::string> longer = words;
    longer.push_back(sub.name());
    collect(sub, longer, places);
  }
}

std::vector<Place> places_of(const Command& program) {
  std::vector<Place> places;
  collect(program, {}, &places);
  return places;
}

std::string joined(const std::vector<std::string>& words, std::string_view separator) {
  std::string out;
  for (const std::string& word : words) {
    if (!out.empty()) out += separator;
    out += word;
  }
  return out;
}

// "-r" and "--read-only" of "-r,--read-only".
std::vector<std::string> names_of(const OptionRow& row) {
  std::vector<std::string> names;
  std::size_t from = 0;
  while (from != std::string::npos) {
    const std::size_t comma = row.name.find(',', from);
    names.push_back(row.name.substr(from, comma == std::string::npos ? comma : comma - from));
    from = comma == std::string::npos ? comma : comma + 1;
  }
  return names;
}

bool takes_text(const OptionRow& row) noexcept {
  return std::holds_alternative<std::string*>(row.target) ||
         std::holds_alternative<std::vector<std::string>*>(row.target);
}

// What a value can be, where that is known.
const std::vector<std::string>& known_values(const OptionRow& row) {
  return row.choices.empty() ? row.offers : row.choices;
}

// The options that help shows, those of every command included.
std::vector<OptionRow> shown_options(const Place& place) {
  std::vector<OptionRow> rows;
  for (const OptionRow& row : place.command->rows()) {
    if (!row.is_argument() && !row.heading.empty()) rows.push_back(row);
  }
  rows.push_back({"-h,--help", static_cast<bool*>(nullptr), "print this help"});
  if (place.words.empty()) {
    rows.push_back({"--version", static_cast<bool*>(nullptr), "print the version"});
    rows.push_back({"--completion", static_cast<std::string*>(nullptr),
                    "print completions for a shell", "Options", completion_shells()});
  }
  return rows;
}

bool has_arguments(const Command& command) {
  return std::any_of(command.rows().begin(), command.rows().end(),
                     [](const OptionRow& row) { return row.is_argument(); });
}

// Put between the shell's single quotes.
std::string quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      out += c;
    }
  }
  return out + "'";
}

std::string bash_script(const Command& program) {
  const std::vector<Place> places = places_of(program);
  std::vector<std::string> known;  // patterns of "command so far" and the next word
  std::string values;
  std::string offers;
  for (const Place& place : places) {
    const std::string at = joined(place.words, " ");
    for (const Command& sub : place.command->commands()) {
      known.push_back("\"" + at + " " + sub.name() + "\"");
    }
    std::string options;
    for (const OptionRow& row : shown_options(place)) {
      for (const std::string& name : names_of(row)) {
        options += options.empty() ? name : " " + name;
        if (row.is_flag()) continue;
        const std::string words = joined(known_values(row), " ");
        values += "    \"" + at + " " + name + "\") ";
        values += words.empty() ? (takes_text(row) ? "files=yes" : ":") : "offers=" + quoted(words);
        values += " ;;\n";
      }
    }
    std::vector<std::string> subs;
    for (const Command& sub : place.command->commands()) subs.push_back(sub.name());
    offers += "      \"" + at + "\") commands=" + quoted(joined(subs, " ")) +
              " options=" + quoted(options) + " ;;\n";
  }
  const std::string name = program.name();
  std::string out = "# Completions of " + name + " for bash, as `" + name +
                    " --completion bash` prints them.\n_" + name + "() {\n";
  out +=
      "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}\n"
      "  local at= i offers= files= value=yes commands= options=\n"
      "  # bash takes \"--name=value\" for three words.\n"
      "  [ \"$word\" != = ] || word=\n"
      "  [ \"$before\" != = ] || before=${COMP_WORDS[COMP_CWORD - 2]}\n"
      "  for ((i = 1; i < COMP_CWORD; i++)); do\n"
      "    case \"$at ${COMP_WORDS[i]}\" in\n";
  if (!known.empty()) {
    out += "      " + joined(known, " | ") + ") at=\"${at:+$at }${COMP_WORDS[i]}\" ;;\n";
  }
  out += "    esac\n  done\n  case \"$at $before\" in\n" + values +
         "    *) value= ;;\n  esac\n"
         "  if [ -z \"$value\" ]; then\n"
         "    case \"$at\" in\n" +
         offers +
         "    esac\n"
         "    case \"$word\" in\n"
         "      -*) offers=$options ;;\n"
         "      *) offers=$commands; [ -n \"$commands\" ] || files=yes ;;\n"
         "    esac\n"
         "  fi\n"
         "  local IFS=$'\\n'\n"
         "  if [ -n \"$files\" ]; then\n"
         "    COMPREPLY=($(compgen -f -- \"$word\"))\n"
         "    compopt -o filenames 2>/dev/null\n"
         "  else\n"
         "    COMPREPLY=($(compgen -W \"${offers// /$IFS}\" -- \"$word\"))\n"
         "  fi\n"
         "}\n";
  return out + "complete -F _" + name + " " + name + "\n";
}

// Text within zsh's "[...]" and before its ":".
std::string for_zsh(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string zsh_function_name(const Command& program, const Place& place) {
  std::string name = "_" + program.name();
  for (const std::string& word : place.words) name += "_" + word;
  return name;
}

// What _arguments of zsh takes for one option: "(-r --read-only)"{-r,--read-only}"[help]".
std::string zsh_option(const OptionRow& row) {
  const std::vector<std::string> names = names_of(row);
  std::string value;
  if (!known_values(row).empty()) {
    value = ":value:(" + joined(known_values(row), " ") + ")";
  } else if (!row.is_flag()) {
    value = takes_text(row) ? ":value:_files" : ":number:";
  }
  const std::string rest = quoted("[" + for_zsh(row.help) + "]" + value);
  if (names.size() == 1) return quoted(names.front()) + rest;
  return quoted("(" + joined(names, " ") + ")") + "{" + joined(names, ",") + "}" + rest;
}

std::string zsh_script(const Command& program) {
  std::string out = "#compdef " + program.name() + "\n# Completions of " + program.name() +
                    " for zsh, as `" + program.name() + " --completion zsh` prints them.\n";
  for (const Place& place : places_of(program)) {
    out += zsh_function_name(program, place) + "() {\n  _arguments -C";
    for (const OptionRow& row : shown_options(place)) out += " \\\n    " + zsh_option(row);
    if (place.command->commands().empty()) {
      if (has_arguments(*place.command)) out += " \\\n    '*:file:_files'";
      out += "\n}\n";
      continue;
    }
    std::string names;
    std::string calls;
    for (const Command& sub : place.command->commands()) {
      names += ' ';
      names += quoted(for_zsh(sub.name()) + ":" + sub.help());
      Place next = place;
      next.words.push_back(sub.name());
      calls += "        " + sub.name() + ") " + zsh_function_name(program, next) + " ;;\n";
    }
    out +=
        " \\\n    '1: :->command' '*:: :->rest'\n"
        "  case $state in\n"
        "    command)\n"
        "      local -a commands=(" +
        names +
        ")\n"
        "      _describe command commands ;;\n"
        "    rest)\n"
        "      case $words[1] in\n" +
        calls + "      esac ;;\n  esac\n}\n";
  }
  const std::string main = "_" + program.name();
  return out + "if [ \"$funcstack[1]\" = " + main + " ]; then " + main + " \"$@\"; else compdef " +
         main + " " + program.name() + "; fi\n";
}

std::string fish_condition(const Place& place) {
  if (place.words.empty()) return "__fish_use_subcommand";
  std::string out;
  for (const std::string& word : place.words) {
    if (!out.empty()) out += "; and ";
    out += "__fish_seen_subcommand_from " + word;
  }
  std::vector<std::string> subs;
  for (const Command& sub : place.command->commands()) subs.push_back(sub.name());
  if (!subs.empty()) out += "; and not __fish_seen_subcommand_from " + joined(subs, " ");
  return out;
}

std::string fish_script(const Command& program) {
  const std::string start = "complete -c " + program.name();
  std::string out = "# Completions of " + program.name() + " for fish, as `" + program.name() +
                    " --completion fish` prints them.\n" + start + " -f\n";
  for (const Place& place : places_of(program)) {
    const bool only_command = program.commands().empty();
    const std::string here = only_command ? start : start + " -n " + quoted(fish_condition(place));
    for (const Command& sub : place.command->commands()) {
      out += here + " -a " + sub.name() + " -d " + quoted(sub.help()) + "\n";
    }
    if (has_arguments(*place.command)) out += here + " -F\n";
    for (const OptionRow& row : shown_options(place)) {
      std::string line = here;
      for (const std::string& name : names_of(row)) {
        line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      }
      if (!known_values(row).empty()) {
        line += " -x -a " + quoted(joined(known_values(row), " "));
      } else if (!row.is_flag()) {
        line += takes_text(row) ? " -r -F" : " -x";
      }
      out += line + " -d " + quoted(row.help) + "\n";
    }
  }
  return out;
}

}  // namespace

const std::vector<std::string>& completion_shells() {
  static const std::vector<std::string> shells = {"bash", "zsh", "fish"};
  return shells;
}

std::optional<std::string> completion_script(const Command& program, std::string_view shell) {
  if (shell == "bash") return bash_script(program);
  if (shell == "zsh") return zsh_script(program);
  if (shell == "fish") return fish_script(program);
  return std::nullopt;
}

}  // namespace volt
