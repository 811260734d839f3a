"""Containers that are shorter or longer than their header says."""
import json
import os
import subprocess
import tarfile

import pytest

from support import programs

WHOLE = 1 << 20
DATA = 131072  # where it begins
UNIT = 512
SECRET = ("--prf", "sha512", "--pim", "1")


@pytest.fixture
def filled(make_container, password_file, work):
    """A container of 1 MiB whose volume holds the bytes of the file `plain`."""
    file = make_container(size="1M")
    (work / "plain").write_bytes(os.urandom(WHOLE - 2 * DATA))
    programs.volt("load", file, work / "plain", "--yes", "--password-file", password_file, *SECRET)
    return file


@pytest.fixture
def volt(password_file):
    """volt(command, file, *more): with the secret of the test's container."""
    def run(command, file, *more, **options):
        return programs.volt(*command.split(), file, *more, "--password-file", password_file, *SECRET,
                             **options)

    return run


def read_error(path, offset, length):
    file = os.open(path, os.O_RDONLY)
    try:
        os.pread(file, length, offset)
    except OSError as error:
        return error.errno
    finally:
        os.close(file)
    return 0


def test_without_its_backups_a_container_opens_with_one_notice(filled, open_volume, work, volt):
    size = WHOLE - 1000
    os.truncate(filled, size)
    sizes = f"should have {WHOLE} bytes and has {size}"
    result = volt("open", filled, work, status=4)  # the folder is not empty
    (work / "m").mkdir()
    result = volt("open", filled, work / "m")
    assert result.err.count("\n") == 1 and sizes in result.err and "backup header" in result.err
    assert (work / "m/volume").read_bytes() == (work / "plain").read_bytes()
    programs.volt("close", work / "m")
    result = volt("dump", filled, work / "out", words=sizes)
    assert (work / "out").read_bytes() == (work / "plain").read_bytes()


@pytest.mark.parametrize("size", [WHOLE - DATA - 1, DATA + 300000, DATA + UNIT, DATA, 70000, UNIT])
def test_cut_into_the_data(filled, fuse, work, volt, size):
    os.truncate(filled, size)
    before = filled.read_bytes()
    there = max(0, size - DATA) // UNIT * UNIT
    volume_size = WHOLE - 2 * DATA
    plain = (work / "plain").read_bytes()
    (work / "m").mkdir()
    sizes = f"it should have {WHOLE} bytes and has {size}"
    refused = volt("open", filled, work / "m", status=4, words=[sizes, "--read-only", "volt dump"])
    assert refused.err.count(str(size)) == 1, "says it twice"

    volt("open", filled, work / "m", "--read-only", words=sizes)
    volume = work / "m/volume"
    assert volume.stat().st_size == volume_size
    file = os.open(volume, os.O_RDONLY)
    assert os.pread(file, there, 0) == plain[:there]
    os.close(file)
    assert read_error(volume, there, UNIT) == 5, "EIO"
    assert read_error(volume, volume_size - UNIT, UNIT) == 5, "EIO"
    programs.volt("close", work / "m")

    volt("dump", filled, work / "out", status=4, words=f"{there} of {volume_size} bytes")
    assert (work / "out").read_bytes() == plain[:there]
    told = json.loads(volt("info", filled, "--json").out)
    assert (told["expected_container_bytes"], told["container_fit"], told["readable_bytes"]) == (
        WHOLE, "data cut", there)
    assert "cut short" in volt("info", filled).out
    assert filled.read_bytes() == before


def test_what_would_write_is_refused(filled, work, volt):
    os.truncate(filled, 500000)
    before = filled.read_bytes()
    sizes = f"should have {WHOLE} bytes and has 500000"
    (work / "new").write_text("another")
    volt("passwd", filled, "--new-password-file", work / "new", status=4, words=sizes)
    volt("expand", filled, "--size", "2M", status=4, words=sizes)
    volt("load", filled, work / "plain", "--yes", status=4, words=sizes)
    volt("header backup", filled, work / "saved", words=sizes)
    volt("header restore", filled, work / "saved", "--yes", status=4, words=sizes)
    assert filled.read_bytes() == before


def test_a_dump_to_a_pipe_ends_at_the_cut(filled, volt, work, password_file):
    os.truncate(filled, DATA + 4096)
    done = subprocess.run([programs.VOLT, "dump", filled, "--password-file", password_file, *SECRET],
                          capture_output=True, check=False)
    assert done.returncode == 4 and done.stdout == (work / "plain").read_bytes()[:4096]


def test_a_detached_header_opens_what_is_left(filled, volt, work):
    volt("header backup", filled, work / "saved")
    with open(filled, "r+b") as file:
        file.write(os.urandom(DATA))
    os.truncate(filled, DATA + 4096)
    volt("dump", filled, work / "out", "--header", work / "saved", status=4, words="4096 of")
    assert (work / "out").read_bytes() == (work / "plain").read_bytes()[:4096]


def test_a_hidden_volume_past_the_cut(make_container, work, volt):
    file = make_container("h.hc", "1M")
    (work / "hidden").write_text("the hidden one")
    volt("create", file, "--hidden", "--hidden-size", "256K", "--hidden-password-file",
         work / "hidden", "--hidden-prf", "sha512", "--hidden-pim", "1", "--yes", status=None)
    os.truncate(file, 400000)
    programs.volt("info", file, "--hidden", "--password-file", work / "hidden", *SECRET,
                  words="at least")
    programs.volt("dump", file, work / "out", "--hidden", "--password-file", work / "hidden", *SECRET,
                  status=4, words="0 of 262144 bytes")


def test_a_new_password_in_a_longer_container(filled, volt, work):
    appended = os.urandom(300000)
    with open(filled, "ab") as file:
        file.write(appended)
    told = json.loads(volt("info", filled, "--json", "--places").out)
    assert told["container_fit"] == "longer"
    assert [place["same_volume"] for place in told["places"]] == [True, True]
    (work / "new").write_text("another")
    volt("passwd", filled, "--new-password-file", work / "new")
    assert filled.read_bytes()[WHOLE:] == appended, "foreign bytes were overwritten"
    os.truncate(filled, WHOLE)
    volt("info", filled, "--backup-header", status=2)
    programs.volt("info", filled, "--backup-header", "--password-file", work / "new", *SECRET)


def test_a_stripe_with_a_member_cut_short(make_container, work, volt):
    whole = make_container("s.hc", "1M").read_bytes()
    chunk = 65536
    for index in (0, 1):
        parts = [whole[at:at + chunk] for at in range(index * chunk, len(whole), 2 * chunk)]
        (work / f"s{index}").write_bytes(b"".join(parts))
    name = f"stripe:64K:{work}/s0,{work}/s1"
    volt("info", name)
    os.truncate(work / "s1", 300000)
    volt("info", name, status=4, words="members of the stripe differ in size")
    os.truncate(work / "s0", 300000)
    volt("info", name, words=f"should have {WHOLE} bytes and has {4 * 2 * chunk}")


@pytest.fixture
def images(work):
    """Published containers, unpacked."""
    data = programs.test_data()
    archive = data / "images/tcrypt.tar.xz" if data else None
    if archive is None or not archive.exists():
        pytest.skip("no images: set VOLT_TEST_DATA")
    with tarfile.open(archive) as file:
        file.extractall(work)
    (work / "image-password").write_text("aaaaaaaaaaaa")
    return work / "tcrypt"


@pytest.mark.parametrize("name, cut_to, should_have, there, options", [
    # TrueCrypt 3's header tells the volume's size; there are no backups.
    ("tc_3-ripemd160-xts-twofish-serpent", 10000, 19456, 9216, ("--format", "truecrypt")),
    # An encrypted partition of a drive, at 1 MiB.
    ("sys_vc_1_mbr_part-sha256-xts-aes", 10 << 20, 17 << 20, 9 << 20, ("--system", "--prf", "sha256")),
])
def test_containers_without_backups(images, work, name, cut_to, should_have, there, options):
    file = images / name
    secret = (*options, "--password-file", work / "image-password")
    programs.volt("dump", file, work / "whole", *secret)
    os.truncate(file, cut_to)
    programs.volt("load", file, work / "whole", "--yes", *secret, status=4,
                  words=f"should have {should_have} bytes and has {cut_to}")
    programs.volt("dump", file, work / "left", *secret, status=4, words=f"{there} of")
    assert (work / "left").read_bytes() == (work / "whole").read_bytes()[:there]
