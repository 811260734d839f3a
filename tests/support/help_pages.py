"""What the programs' own help says: every command, and every option that takes a value."""
import re

from support import programs

PROGRAMS = {"volt": programs.VOLT, "voltd": programs.VOLTD, "voltest": programs.VOLTEST}


def _commands(text):
    """Names below "Subcommands:" (or "Commands:")."""
    section = re.search(r"^(?:Subc|C)ommands:\n((?:  .*\n)+)", text, re.M)
    if not section:
        return []
    return re.findall(r"^  ([a-z][a-z-]*)", section.group(1), re.M)


def pages():
    """Yields (program's name, words of the command, help text) of every command there is."""
    todo = [(name, ()) for name in PROGRAMS]
    while todo:
        name, words = todo.pop(0)
        text = programs.run(PROGRAMS[name], *words, "--help").out
        yield name, words, text
        todo += [(name, (*words, command)) for command in _commands(text)]


def valued_options():
    """Yields (program's name, words of the command, option, kind of value as help names it)."""
    for name, words, text in pages():
        for line in text.splitlines():
            match = re.match(r"\s+(?:-\w,)?(--[a-z-]+) ([A-Z]+|\{)", line)
            if match:
                yield name, words, match.group(1), match.group(2)
