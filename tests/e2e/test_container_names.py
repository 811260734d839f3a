"""One meaning of a container's name in every command."""
import json
import os

import pytest

from support import loops, programs

NAME = "stripe:64K:a,b"


@pytest.fixture
def secret(password_file):
    return ("--password-file", password_file, "--prf", "sha512", "--pim", "1")


@pytest.fixture
def stripe(make_container):
    make_container(NAME)
    return NAME


@pytest.fixture(autouse=True)
def make_container(work, secret):
    """Names are relative to the current folder, as somebody would type them."""

    def make(name, *more, status=0, **options):
        return programs.volt("create", name, "--quick", *secret,
                             *(more or ("--size", "4M")), status=status, **options)

    return make


def test_create_makes_the_members(work, stripe):
    assert sorted(p.name for p in work.iterdir()) == ["a", "b", "password"]
    assert (work / "a").stat().st_size == (work / "b").stat().st_size == 2 << 20


def test_every_command_means_the_stripe(work, stripe, secret, open_volume):
    told = json.loads(programs.volt("info", stripe, "--json", *secret).out)
    assert told["container_bytes"] == 4 << 20
    programs.volt("passwd", stripe, *secret, "--new-password-file", work / "password", "--new-pim", "2")
    programs.volt("passwd", stripe, *secret[:4], "--pim", "2", "--new-password-file",
                  work / "password", "--new-pim", "1")
    programs.volt("header", "backup", stripe, "saved", *secret)
    programs.volt("header", "restore", "--yes", stripe, "saved", *secret)
    (work / "data").write_bytes(b"x" * 200000)
    programs.volt("load", "--yes", stripe, "data", *secret)
    programs.volt("dump", stripe, "out", *secret)
    assert (work / "out").read_bytes()[:200000] == b"x" * 200000
    assert open_volume(stripe).read(0, 200000) == b"x" * 200000
    assert not [p.name for p in work.iterdir() if ":" in p.name]


def test_status_and_list_name_absolute_members(work, stripe, open_volume):
    volume = open_volume(stripe)
    absolute = f"stripe:64K:{work / 'a'},{work / 'b'}"
    assert volume.status["container"] == absolute
    assert absolute in programs.volt("list").out


def test_with_a_file_system(work, make_container, open_volume):
    if not programs.has("mkfs.ext4"):
        pytest.skip("mkfs.ext4 is not installed")
    make_container(NAME, "--size", "8M", "--fs", "ext4")
    assert open_volume(NAME).read(1080, 2) == b"\x53\xef"


def test_a_stripe_of_devices(work, root, make_container, open_volume):
    for name in "ab":
        (work / name).write_bytes(bytes(2 << 20))
    with loops.loop(work / "a") as first, loops.loop(work / "b") as second:
        name = f"stripe:64K:{first},{second}"
        make_container(name, "--yes")
        volume = open_volume(name)
        volume.write(0, b"y" * 512)
        volume.close()


@pytest.mark.parametrize("there", ["a", "b"])
def test_nothing_that_exists_is_overwritten(work, make_container, there):
    (work / there).write_text("mine")
    make_container(NAME, status=4, words=f"{there} exists already")
    assert sorted(p.name for p in work.iterdir()) == sorted([there, "password"])
    assert (work / there).read_text() == "mine"


@pytest.mark.parametrize("name, words", [
    ("stripe:64K:a", "fewer than two"),
    ("stripe:64K:a,./a", "are one file"),
    ("stripe:0:a,b", "chunk"),
    ("stripe:x:a,b", "chunk is not a size"),
    ("model:hdd-5400x2:a", "not made through a model"),
    ("fault:lost-write:a", "not made through a model"),
])
def test_what_cannot_be_made_is_said(work, make_container, name, words):
    make_container(name, status=1, words=words)
    assert [p.name for p in work.iterdir()] == ["password"]


def test_a_file_of_such_a_name_has_a_folder_before_it(work, make_container, secret):
    make_container("./stripe:64K:a,b")
    assert (work / NAME).stat().st_size == 4 << 20
    programs.volt("info", f"./{NAME}", *secret)


def test_expand_says_that_it_cannot(stripe, secret):
    programs.volt("expand", stripe, "--size", "8M", *secret, status=4, words="is a stripe")


def test_a_member_twice_is_refused(work, image, fuse):
    (work / "m").mkdir()
    os.link(image, work / "other")
    programs.volt("open", "--plain", "--read-only", "stripe:64K:image,other", "m", status=1,
                  words="are one file")


def test_files_that_are_no_containers_are_plain(work, stripe, secret, open_volume):
    for command in [("header", "backup", "a", NAME), ("header", "restore", "--yes", "a", NAME),
                    ("dump", stripe, NAME), ("load", "--yes", stripe, NAME),
                    ("info", stripe, "--header", NAME)]:
        programs.volt(*command, *secret, status=1, words=f"./{NAME}")
    open_volume(stripe).close("--save-as", NAME, status=1, words=f"./{NAME}")
