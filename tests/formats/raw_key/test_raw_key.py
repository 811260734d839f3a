"""A second format, in programs that have one row more: what is generic works, what it lacks is said."""
import json
import os
import struct

import pytest

from support import mounts, programs

DATA_BYTES = 1 << 20
LABEL = (b"not encrypted\n" * 300)[:4096]


@pytest.fixture
def raw_key(work):
    """A container of the format, and its key in the file `key`."""
    file = work / "c.raw"
    file.write_bytes((b"volt raw key  1\n" + struct.pack("<Q", DATA_BYTES)).ljust(4096, b"\0") +
                     LABEL + os.urandom(DATA_BYTES))
    key = work / "key"
    key.write_bytes(bytes(range(64)))
    key.chmod(0o600)
    return file


def test_it_is_recognised_and_told_of_without_being_named(raw_key):
    facts = json.loads(programs.volt("info", "--json", "--volume-key-file", "key", raw_key,
                                     words="a format for tests").out)
    assert facts["format"] == "raw-key"
    assert facts["encrypted_bytes"] == DATA_BYTES
    assert facts["container_bytes"] == raw_key.stat().st_size
    text = programs.volt("info", "--volume-key-file", "key", raw_key).out
    assert "encrypted:      1 MiB (1048576 bytes)" in text


def test_no_password_is_asked_for_where_none_opens_it(raw_key):
    programs.volt("info", raw_key, status=1, words=["raw-key", "--volume-key-file"])


def test_a_key_of_the_wrong_length_is_refused(raw_key, work):
    (work / "short").write_bytes(b"x" * 16)
    programs.volt("info", "--volume-key-file", "short", raw_key, status=2, words="64 bytes")


def test_an_option_that_it_lacks_is_refused(raw_key):
    programs.volt("info", "--volume-key-file", "key", "--format", "raw-key", "--hidden", raw_key,
                  status=1, words="nothing to choose")
    programs.volt("info", "--volume-key-file", "key", "--format", "veracrypt", raw_key, status=1,
                  words="--volume-key-file")


def test_an_open_volume_has_its_parts_in_their_places(raw_key, work, fuse):
    folder = work / "m"
    folder.mkdir()
    programs.volt("open", "--volume-key-file", "key", raw_key, folder)
    volume = mounts.Volume(folder)
    assert volume.status["format"] == "raw-key"
    assert volume.status["encrypted_bytes"] == DATA_BYTES
    assert volume.status["size_bytes"] == DATA_BYTES + 8192
    assert "raw-key aes" in programs.volt("list").out
    volume.write(DATA_BYTES - 4096, b"d" * 4096)
    assert volume.read(DATA_BYTES - 4096, 12288) == b"d" * 4096 + LABEL + bytes(4096)
    with pytest.raises(OSError):
        volume.write(DATA_BYTES, b"x" * 512)
    volume.close()
    assert raw_key.read_bytes()[-4096:] != b"d" * 4096
    programs.volt("dump", "--volume-key-file", "key", raw_key, "plain")
    assert (work / "plain").read_bytes()[-12288:] == b"d" * 4096 + LABEL + bytes(4096)


def test_the_tester_tells_of_it(raw_key, work, fuse):
    folder = work / "m"
    folder.mkdir()
    programs.volt("open", "--volume-key-file", "key", raw_key, folder)
    programs.voltest("seq", folder, "--read-only", "--runtime", "0.1", "--loops", "1", "--json",
                     "out.json")
    programs.volt("close", folder)
    target = json.loads((work / "out.json").read_text())["target"]
    assert (target["cipher"], target["plain"]) == ("aes", False)


@pytest.mark.parametrize("command, lacks", [
    (["passwd", "--keep-password"], "raw-key volumes have no change of password"),
    (["header", "backup"], "raw-key volumes have no header backup"),
    (["expand", "--size", "4M"], "raw-key volumes have no growing"),
])
def test_what_it_does_not_offer_is_said(raw_key, command, lacks):
    file = [raw_key, "backup"] if command[0] == "header" else [raw_key]
    before = raw_key.read_bytes()
    programs.volt(*command, "--volume-key-file", "key", *file, status=4, words=lacks)
    assert raw_key.read_bytes() == before


def test_it_cannot_be_made(work, password_file):
    programs.volt("create", "new.raw", "--size", "4M", "--format", "raw-key", "--password-file",
                  password_file, status=1, words="does not make them")
    assert not (work / "new.raw").exists()


def test_the_other_format_works_beside_it(container, password_file):
    facts = programs.volt("info", "--json", "--pim", "1", "--prf", "sha512", "--password-file",
                          password_file, container).out
    assert json.loads(facts)["format"] == "veracrypt"
