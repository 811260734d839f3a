"""Unlocking as a user sees it: what is refused before anything is derived, and what is shown."""
import os
import subprocess
import sys

import pytest

from support import programs

ON_TERMINAL = programs.SOURCE_ROOT / "tests/e2e/on_terminal.py"


@pytest.fixture
def noise(work):
    file = work / "noise"
    file.write_bytes(os.urandom(1 << 20))
    return file


@pytest.mark.parametrize("options, limit", [
    (("--system", "--pim", "65536"), "65535"),
    (("--system", "--prf", "sha512", "--pim", "2147468"), "65535"),
    (("--pim", "2147469"), "2147468"),
    (("--format", "truecrypt", "--pim", "1"), "TrueCrypt volumes have no PIM"),
])
def test_a_pim_past_its_limit_is_refused_at_once(work, noise, password_file, options, limit):
    (work / "m").mkdir()
    for command in (("info", noise), ("open", noise, "m"), ("passwd", noise)):
        programs.volt(*command, *options, "--password-file", password_file, status=1,
                      words=("--pim", limit))
    programs.run(programs.VOLTD, noise, "m", *options, "--password-file", password_file, status=1,
                 words=("--pim", limit))


def test_new_pims_have_the_same_limits(work, container, password_file):
    programs.volt("passwd", container, "--pim", "1", "--password-file", password_file,
                  "--keep-password", "--new-pim", "2147469", status=1, words="2147468")
    programs.volt("create", work / "t.tc", "--size", "1M", "--format", "truecrypt", "--pim", "1",
                  "--password-file", password_file, status=1, words="no PIM")
    assert not (work / "t.tc").exists()


def on_terminal(*command):
    done = subprocess.run([sys.executable, ON_TERMINAL, "80", *map(str, command)],
                          capture_output=True, check=False, timeout=programs.TIME_LIMIT_SECONDS)
    return done.returncode, done.stdout.decode(errors="replace")


@pytest.mark.parametrize("command", [("info",), ("header", "restore", "--yes")])
def test_a_terminal_sees_what_is_derived(noise, password_file, command):
    status, shown = on_terminal(programs.VOLT, *command, noise, "--password-file", password_file,
                                "--prf", "whirlpool", "--pim", "200")
    assert status == 2, shown
    assert "veracrypt whirlpool: " in shown, shown


def test_a_healthy_argon2id_volume_opens_from_its_own_header(make_container, password_file):
    file = make_container("a.hc", "300K", "--prf", "argon2id")
    for _ in range(5):
        shown = programs.volt("info", file, "--prf", "argon2id", "--pim", "1", "--json",
                              "--password-file", password_file)
        assert '"header_place": "primary"' in shown.out
        assert "damaged" not in shown.err
