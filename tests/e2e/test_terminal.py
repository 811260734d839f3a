"""On a terminal: what is typed while a key is derived neither shows nor reaches the shell, every way out
puts the terminal back, and an interruption gives exit status 130."""
import os
import signal
import termios

import pytest

from support import mounts, programs

# A derivation that takes hours, so that what happens during it is during it.
ENDLESS = ("--prf", "sha512", "--format", "veracrypt", "--pim", "2000000")
TYPED = "typed-meanwhile"


def echo(child):
    return bool(termios.tcgetattr(child.child_fd)[3] & termios.ECHO)


def answer(child, prompt="assword", text=programs.PASSWORD):
    """Types the tests' password at the prompt; gives what the screen showed up to its end."""
    child.expect(prompt + "[^\r\n]*: ")
    child.sendline(text)
    child.expect("\r\n")
    return child.before


def exit_status(child):
    """Of the program, whose terminal is read to the end first."""
    import pexpect
    child.expect(pexpect.EOF)
    child.close()
    return child.exitstatus if child.signalstatus is None else 128 + child.signalstatus


def in_shell(*command):
    """A shell that runs the command, tells its exit status, and then shows what it is given to read."""
    return ("/bin/bash", "-c", '"$@"; echo "status=$?"; exec cat', "bash", *command)


def ready_to_read(child):
    child.expect(r"status=(\d+)\r\n")
    status = int(child.match.group(1))
    screen = child.before
    mounts.eventually(lambda: echo(child), "echo is on again")
    child.sendline("typed-after")
    child.expect("typed-after\r\ntyped-after\r\n")
    screen += child.before
    child.sendeof()
    return status, screen


def commands(work):
    """Every way to be asked for a password, each with what it says of itself."""
    return {
        "info": (programs.VOLT, "info", "noise", *ENDLESS),
        "open": (programs.VOLT, "open", "noise", "m", *ENDLESS),
        "voltd": (programs.VOLTD, "noise", "m", *ENDLESS),
        "passwd": (programs.VOLT, "passwd", "noise", *ENDLESS),
        "dump": (programs.VOLT, "dump", "noise", "out", *ENDLESS),
        "expand": (programs.VOLT, "expand", "noise", "--size", "8M", *ENDLESS),
        "header": (programs.VOLT, "header", "restore", "noise", "--yes", *ENDLESS),
    }


@pytest.fixture
def noise(work):
    (work / "noise").write_bytes(os.urandom(1 << 20))
    (work / "m").mkdir()


@pytest.mark.parametrize("name", ["info", "open", "voltd", "passwd", "dump", "expand", "header"])
def test_typing_during_the_wait_is_hidden_and_thrown_away(work, noise, fuse, terminal, name):
    child = terminal(*in_shell(*commands(work)[name]))
    screen = answer(child)
    assert not echo(child)
    child.sendline(TYPED)
    child.send("\x03")
    status, rest = ready_to_read(child)
    assert status == 130
    assert TYPED not in screen + rest
    assert programs.PASSWORD not in screen + rest


def test_typing_during_a_wait_that_ends_well_is_thrown_away(work, terminal, make_container):
    make_container("slow.hc", "400K", "--pim", "3000")
    child = terminal(*in_shell(programs.VOLT, "info", "slow.hc", "--prf", "sha512", "--format",
                               "veracrypt", "--pim", "3000"))
    screen = answer(child)
    child.sendline(TYPED)
    status, rest = ready_to_read(child)
    assert status == 0
    assert TYPED not in screen + rest


def test_two_prompts_leave_the_terminal_as_the_first_found_it(work, terminal, container):
    child = terminal(*in_shell(programs.VOLT, "passwd", container, "--prf", "sha512", "--pim", "1"))
    answer(child, "Present password")
    answer(child, "New password", "another word")
    answer(child, "again", "another word")
    status, rest = ready_to_read(child)
    assert status == 0, rest


def test_a_refusal_puts_the_terminal_back(work, noise, terminal):
    child = terminal(*in_shell(programs.VOLT, "info", "noise", "--prf", "sha512", "--pim", "1"))
    answer(child)
    assert ready_to_read(child)[0] == 2


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP", "SIGQUIT", "SIGINT"])
@pytest.mark.parametrize("command", ["info", "voltd"])
def test_signals_put_the_terminal_back(work, noise, fuse, terminal, command, name):
    number = getattr(signal, name)
    child = terminal("/usr/bin/env", "--default-signal", *commands(work)[command],
                     *(["--foreground"] if command == "voltd" else []))
    answer(child)
    assert not echo(child)
    os.kill(child.pid, number)
    assert exit_status_with_echo(child) in (130, 128 + number)


def exit_status_with_echo(child):
    mounts.eventually(lambda: programs.is_gone(child.pid))
    assert echo(child)
    return exit_status(child)


def test_ctrl_z_puts_the_terminal_back_until_it_goes_on(work, noise, terminal):
    script = 'set -m; "$@"; echo "stopped=$?"; read line; fg >/dev/null; echo "status=$?"; exec cat'
    child = terminal("/bin/bash", "-c", script, "bash", *commands(work)["info"])
    answer(child)
    assert not echo(child)
    child.send("\x1a")
    child.expect(r"stopped=\d+\r\n")
    assert echo(child)
    child.sendline("go on")
    mounts.eventually(lambda: not echo(child), "quiet again")
    child.send("\x03")
    assert ready_to_read(child)[0] == 130


def test_ctrl_c_at_the_prompt_gives_130(work, noise, fuse, terminal):
    for name, command in commands(work).items():
        child = terminal(*in_shell(*command))
        child.expect("assword[^\r\n]*: ")
        child.send("\x03")
        assert ready_to_read(child)[0] == 130, name
    child = terminal(*in_shell(programs.VOLT, "create", "new.hc", "--size", "1M"))
    child.expect("assword[^\r\n]*: ")
    child.send("\x03")
    assert ready_to_read(child)[0] == 130
    assert not (work / "new.hc").exists()


def test_ctrl_c_while_creating_gives_130_and_leaves_nothing(work, terminal):
    before = set(os.listdir(work))
    child = terminal(*in_shell(programs.VOLT, "create", "new.hc", "--size", "300K", "--quick",
                               "--prf", "sha512", "--pim", "2000000"))
    answer(child, "New password")
    answer(child, "again")
    child.sendline(TYPED)
    child.send("\x03")
    status, rest = ready_to_read(child)
    assert status == 130
    assert TYPED not in rest
    assert set(os.listdir(work)) == before


@pytest.mark.parametrize("command", [
    ("kdf", "--pim", "2000000", "--loops", "1000", "--prf", "sha512"),
    ("cpu", "--loops", "1000"),
    ("seq", "noise", "--read-only", "--runtime", "10m"),
    ("verify", ".", "--size", "1G"),
])
def test_ctrl_c_gives_130_in_voltest(work, noise, terminal, command):
    before = set(os.listdir(work))
    child = terminal(*in_shell(programs.VOLTEST, *command))
    child.expect(r"\S")  # it has begun
    child.send("\x03")
    child.expect(r"status=(\d+)")
    assert int(child.match.group(1)) == 130, child.before
    child.sendeof()
    assert set(os.listdir(work)) == before


@pytest.mark.parametrize("command", [
    ("info", "noise"), ("open", "noise", "m"), ("create", "new.hc", "--size", "1M"), ("passwd", "noise"),
    ("expand", "noise", "--size", "8M"), ("dump", "noise", "out"), ("header", "restore", "noise", "--yes")])
def test_no_terminal_to_ask_on_says_what_to_do(work, noise, fuse, command):
    said = programs.volt(*command, status=1, words=("no terminal to ask on", "--password-file")).err
    assert "No such device" not in said
    assert not (work / "new.hc").exists()


def test_a_shown_question_has_echo(work, terminal, make_container):
    """The confirmation behind a hidden prompt is typed visibly."""
    outer = make_container("outer.hc", "4M")
    child = terminal(*in_shell(programs.VOLT, "create", outer, "--hidden", "--hidden-size", "64K",
                               "--prf", "sha512", "--pim", "1"))
    answer(child, "outer volume")
    child.expect(r"\[yes/no\] ")
    assert echo(child)
    child.sendline("no")
    assert ready_to_read(child)[0] != 0


def test_a_pim_is_asked_for_and_does_not_show(terminal, container, work):
    mount = work / "m"
    mount.mkdir()
    child = terminal(programs.VOLT, "open", "--prf", "sha512", "--ask-pim", container, mount)
    answer(child)
    shown = answer(child, prompt="PIM", text="1")
    assert "1" not in shown
    assert exit_status(child) == 0
    mounts.Volume(mount).close()


@pytest.mark.parametrize("typed", ["-1", "0x1", "one", "99999999999999999999", "2147469"])
def test_what_is_no_pim_is_refused(terminal, container, typed):
    child = terminal(programs.VOLT, "info", "--ask-pim", container)
    answer(child)
    answer(child, prompt="PIM", text=typed)
    child.expect("PIM|pim")
    assert exit_status(child) == 1


def test_enter_alone_is_the_default_pim(terminal, make_container):
    container = make_container("default.hc", "4M", "--pim", "0")
    child = terminal(programs.VOLT, "info", "--prf", "sha512", "--ask-pim", container)
    answer(child)
    answer(child, prompt="PIM", text="")
    assert exit_status(child) == 0


def test_a_pim_is_given_or_asked_for(container):
    programs.volt("info", "--pim", "1", "--ask-pim", container, status=1, words="exclude")
