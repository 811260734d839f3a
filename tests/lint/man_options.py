#!/usr/bin/env python3
"""Whether manual pages and programs name the same options.

usage: man_options.py MAN_FOLDER PROGRAM...

Every long option that --help of a program or of one of its commands shows must stand in PROGRAM.1,
and every long option that a .Fl of the page names must be one that one of the programs knows.
"""
import pathlib
import re
import subprocess
import sys


def help_of(program, *words):
    run = subprocess.run([program, *words, "--help"], stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL, text=True, check=True)
    return run.stdout


def commands_in(text):
    """Names in the list of subcommands, which stands last."""
    listed = text.partition("\nSubcommands:\n")[2]
    return re.findall(r"^  ([a-z][a-z-]*)", listed, re.MULTILINE)


def long_options(text):
    """{--option} of what is offered, not of what descriptions mention."""
    return set(re.findall(r"^ {1,6}(?:-\w,)?(--[a-z][a-z-]*)", text, re.MULTILINE))


def all_options(program, words=()):
    text = help_of(program, *words)
    options = long_options(text)
    for command in commands_in(text):
        options |= all_options(program, (*words, command))
    return options


def page_options(page):
    """Of mdoc: what follows Fl on a line of macros, up to the next macro."""
    options = set()
    for line in page.splitlines():
        after_flag = False
        for word in line[1:].split() if line.startswith(".") else []:
            if re.fullmatch(r"[A-Z][a-z]", word):
                after_flag = word == "Fl"
            elif after_flag and re.fullmatch(r"-[a-z][a-z-]*", word):
                options.add("-" + word)
    return options


def main():
    folder = pathlib.Path(sys.argv[1])
    problems = []
    options = {program: all_options(program) for program in sys.argv[2:]}
    known = set().union(*options.values())
    for program, offered in options.items():
        name = pathlib.Path(program).name
        page = (folder / f"{name}.1").read_text(encoding="utf-8")
        assert len(offered) > 3, f"{name} --help shows no options"
        told = page_options(page)
        for option in sorted(offered - told - {"--help"}):
            problems.append(f"{name}.1 does not name {option}")
        for option in sorted(told - known):
            problems.append(f"{name}.1 names {option}, which no program knows")
    if problems:
        sys.exit("\n".join(problems))


main()
