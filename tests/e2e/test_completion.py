"""What shells offer after `volt`, `voltd` and `voltest`: asked of the shells themselves."""
import pathlib
import re
import shlex
import subprocess

import pytest

from support import programs
from support.programs import VOLT, VOLTD, VOLTEST

PROGRAMS = (VOLT, VOLTD, VOLTEST)


def script(program, shell):
    return programs.run(program, "--completion", shell).out


def bash_offers(program, *words):
    """What bash would offer for the last of `words`."""
    name = pathlib.Path(program).name
    asked = " ".join(shlex.quote(word) for word in (name, *words))
    commands = (f"{script(program, 'bash')}\nCOMP_WORDS=({asked})\nCOMP_CWORD={len(words)}\n"
                f"_{name}\nprintf '%s\\n' \"${{COMPREPLY[@]}}\"\n")
    return programs.run("bash", "-c", commands).out.split()


def fish_offers(program, line):
    if not programs.has("fish"):
        pytest.skip("fish is not installed")
    source = f"{shlex.quote(program)} --completion fish | source; complete -C {shlex.quote(line)}"
    out = programs.run("fish", "--no-config", "-c", source).out
    return [row.partition("\t")[0] for row in out.splitlines()]


def command_places(program, words=()):
    """Every command of a program, as its help lists them: ((), ("open",), ("header", "backup"))."""
    text = programs.run(program, *words, "--help").out
    yield words, set(re.findall(r"^ {1,6}(?:-\w,)?(--[a-z][a-z-]*)", text, re.MULTILINE))
    for command in re.findall(r"^  ([a-z][a-z-]*)", text.partition("\nSubcommands:\n")[2],
                              re.MULTILINE):
        yield from command_places(program, (*words, command))


def test_bash_offers_commands(work):
    assert "open" in bash_offers(VOLT, "")
    assert bash_offers(VOLT, "op") == ["open"]


def test_bash_offers_the_commands_of_a_command(work):
    assert bash_offers(VOLT, "header", "") == ["backup", "restore"]


def test_bash_offers_options_of_the_command_alone(work):
    assert bash_offers(VOLT, "open", "--read") == ["--read-only"]
    assert bash_offers(VOLT, "list", "--read") == []


@pytest.mark.parametrize("words", [("--prf", "sha5"), ("--prf", "=", "sha5")])
def test_bash_offers_fixed_values(work, words):
    assert bash_offers(VOLT, "create", *words) == ["sha512"]


def test_bash_offers_every_value_after_the_equals_sign(work):
    assert "sha512" in bash_offers(VOLT, "create", "--prf", "=")


def test_bash_offers_files_for_arguments_and_file_options(work):
    (work / "box of mine.hc").touch()
    assert " ".join(bash_offers(VOLT, "open", "box")) == "box of mine.hc"
    assert " ".join(bash_offers(VOLT, "open", "--password-file", "b")) == "box of mine.hc"


def test_bash_offers_nothing_for_a_number(work):
    (work / "1").touch()
    assert bash_offers(VOLT, "open", "--pim", "") == []


def test_fish_offers_commands_options_values_and_files(work):
    (work / "box.hc").touch()
    assert fish_offers(VOLT, "volt op") == ["open"]
    assert "--read-only" in fish_offers(VOLT, "volt open --read")
    assert "sha512" in fish_offers(VOLT, "volt create --prf sha5")
    assert "box.hc" in fish_offers(VOLT, "volt open bo")
    assert set(fish_offers(VOLT, "volt header ")) >= {"backup", "restore"}
    assert "--read-only" in fish_offers(VOLTD, "voltd --read")


def test_zsh_takes_the_script(work):
    if not programs.has("zsh"):
        pytest.skip("zsh is not installed")
    for program in PROGRAMS:
        name = pathlib.Path(program).name
        (work / f"_{name}").write_text(script(program, "zsh"))
        told = programs.run("zsh", "-f", "-c", f"fpath=({work} $fpath); autoload -U compinit; "
                            f"compinit -u -D; print $_comps[{name}]; autoload +X _{name}").out
        assert told.strip() == f"_{name}"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: pathlib.Path(path).name)
def test_every_option_of_the_help_is_offered(work, program, shell):
    text = script(program, shell)
    for words, options in command_places(program):
        for option in options:
            known = f" -l {option[2:]} " if shell == "fish" else option
            assert known in text, (words, option)


def test_what_help_does_not_show_is_not_offered(work):
    for shell in ("bash", "zsh", "fish"):
        assert "while-fd" not in script(VOLTD, shell)


def test_another_shell_is_named_as_unknown(work):
    programs.run(VOLT, "--completion", "tcsh", status=1, words="bash, zsh, fish")


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: pathlib.Path(path).name)
def test_scripts_pass_the_shells_own_check(work, program):
    for shell in ("bash", "zsh", "fish"):
        if programs.has(shell):
            file = work / f"script.{shell}"
            file.write_text(script(program, shell))
            subprocess.run([shell, "-n", file], check=True)
