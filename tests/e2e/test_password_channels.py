"""Passwords that nobody can type, files that others can read, and commands that fail: what is said,
and that every byte is taken."""
import pytest

from support import programs

CREATE = ("--size", "400K", "--quick", "--pim", "1", "--prf", "sha512")
INFO = ("--pim", "1", "--prf", "sha512")


def private(file, content):
    file.write_bytes(content)
    file.chmod(0o600)
    return file


@pytest.mark.parametrize("content, said", [
    (b"one\ntwo\n", "holds a line break"),
    (b"end\r", "holds a carriage return"),
    (b"a\0b\n", "holds a NUL byte"),
    (b"\xef\xbb\xbfmark\n", "begins with a byte-order mark"),
])
def test_what_cannot_be_typed_is_noticed_on_every_channel_and_taken(work, content, said):
    file = private(work / "pw", content)
    made = programs.volt("create", work / "c.hc", *CREATE, "--password-file", file, words=said)
    assert made.err.count("password: it ") == 1, made
    info = ("info", work / "c.hc", *INFO)
    programs.volt(*info, "--password-command", f"cat '{file}'", words=said)
    taken = content[:-1] if content.endswith(b"\n") else content
    if content.isascii():
        programs.volt(*info, "--password-file", "-", stdin=content.decode(), words=said)
    handed = private(work / "taken", taken)  # nothing is dropped from a descriptor's bytes
    programs.run("/bin/sh", "-c", f"exec '{programs.VOLT}' \"$@\" 3<'{handed}'", "sh", *info,
                 "--password-fd", "3", words=said)
    programs.volt(*info, "--password-file", private(work / "other", taken + b"x"), status=2)


def test_an_ordinary_password_is_no_news(work):
    for content in (b"plain", b"plain\n", b"plain\r\n"):
        file = private(work / "pw", content)
        (work / "c.hc").unlink(missing_ok=True)
        assert programs.volt("create", work / "c.hc", *CREATE, "--password-file", file).err == ""


@pytest.mark.parametrize("mode, told", [(0o600, False), (0o400, False), (0o640, True), (0o604, True)])
def test_files_that_others_can_read_are_noticed(work, mode, told):
    password = private(work / "pw", b"word")
    key = private(work / "key", b"key")
    programs.volt("create", work / "c.hc", *CREATE, "--password-file", password, "--keyfile", key)
    password.chmod(mode)
    key.chmod(mode)
    said = programs.volt("info", work / "c.hc", *INFO, "--password-file", password, "--keyfile", key).err
    assert said.count("permissions let others read it") == (2 if told else 0)
    assert (f"{password}: " in said) == told and (f"key file {key}: " in said) == told


@pytest.mark.parametrize("command, said", [
    ("exit 3", "the password command failed with status 3"),
    ("no-such-program-anywhere 2>/dev/null", "failed with status 127"),
    ("kill -KILL $$", "the password command was ended by signal 9 (SIGKILL)"),
    ("kill -TERM $$", "ended by signal 15 (SIGTERM)"),
    ("printf %200d 1", "longer than 128 bytes"),
])
def test_a_failed_password_command_is_told_whole(work, image, command, said):
    done = programs.volt("info", image, "--password-command", command, status=None, words=said)
    assert done.status in (1, 4), done


def test_a_password_command_that_does_not_end_is_stopped(work, image):
    # Each ignores SIGTERM, and would be waited for without end.
    stubborn = "trap '' TERM PIPE; while :; do echo 0123456789; done"
    programs.volt("info", image, "--password-command", stubborn, status=1, words="longer than 128")
    silent = "trap '' TERM; echo word; exec >&-; while :; do sleep 1; done"
    programs.volt("info", image, "--password-command", silent, status=4, words="did not end")


def test_no_reason_is_said_twice(work, image, fuse):
    (work / "m").mkdir()
    said = programs.volt("open", "--plain", work, work / "m", status=4, words="s a directory").err
    assert said.lower().count("is a directory") == 1, said
