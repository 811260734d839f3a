"""One storage is opened for writing once, whatever names lead to it."""
import contextlib
import os
import subprocess

import pytest

from support import loops, mounts, programs

IN_USE = "is in use already"


@contextlib.contextmanager
def hard_link(work, image, stack):
    os.link(image, work / "other")
    yield image, work / "other"


@contextlib.contextmanager
def symlink(work, image, stack):
    (work / "other").symlink_to(image)
    yield image, work / "other"


@contextlib.contextmanager
def same_file(work, image, stack):
    yield image, image


@contextlib.contextmanager
def bind_mount(work, image, stack):
    (work / "bound").touch()
    subprocess.run(["mount", "--bind", image, work / "bound"], check=True)
    yield image, work / "bound"


@contextlib.contextmanager
def loop_device(work, image, stack):
    yield image, stack.enter_context(loops.loop(image))


@contextlib.contextmanager
def renamed_below_a_loop_device(work, image, stack):
    device = stack.enter_context(loops.loop(image))
    yield image.rename(work / "renamed"), device


@contextlib.contextmanager
def two_loop_devices(work, image, stack):
    yield stack.enter_context(loops.loop(image)), stack.enter_context(loops.loop(image))


@contextlib.contextmanager
def loop_over_loop(work, image, stack):
    below = stack.enter_context(loops.loop(image))
    yield image, stack.enter_context(loops.loop(below))


@contextlib.contextmanager
def loop_over_a_part(work, image, stack):
    yield image, stack.enter_context(loops.loop(image, "-o", 1 << 20, "--sizelimit", 1 << 20))


@contextlib.contextmanager
def partition_and_disk(work, image, stack):
    disk, first, _ = stack.enter_context(loops.partitioned(image))
    yield disk, first


@contextlib.contextmanager
def partition_and_file(work, image, stack):
    yield image, stack.enter_context(loops.partitioned(image))[2]


@contextlib.contextmanager
def stripe_member(work, image, stack):
    (work / "second").write_bytes(bytes(4 << 20))
    yield image, f"stripe:64K:{work / 'second'},{image}"


@contextlib.contextmanager
def stripe_member_by_loop(work, image, stack):
    (work / "second").write_bytes(bytes(4 << 20))
    yield image, f"stripe:64K:{work / 'second'},{stack.enter_context(loops.loop(image))}"


@contextlib.contextmanager
def another_node(work, image, stack):
    device = stack.enter_context(loops.loop(image))
    yield device, loops.make_node(work / "node", device)


@contextlib.contextmanager
def another_node_of_a_partition(work, image, stack):
    disk, first, _ = stack.enter_context(loops.partitioned(image))
    yield disk, loops.make_node(work / "node", first)


WITHOUT_ROOT = [same_file, hard_link, symlink, stripe_member]
WITH_ROOT = [bind_mount, loop_device, renamed_below_a_loop_device, two_loop_devices,
             loop_over_loop, loop_over_a_part, partition_and_disk, partition_and_file,
             stripe_member_by_loop, another_node, another_node_of_a_partition]
PAIRS = WITHOUT_ROOT + WITH_ROOT


@pytest.fixture
def names(work, image):
    """names(pair): two names of one storage, undone at the end, behind what is open on them."""
    with contextlib.ExitStack() as stack:
        def make(pair):
            if pair in WITH_ROOT and os.geteuid() != 0:
                pytest.skip("needs root")
            return stack.enter_context(pair(work, image, stack))

        yield make
        for folder in work.glob("m*"):
            if mounts.is_mounted(folder):
                programs.volt("close", folder, status=None)


def open_plain(work, name, folder, *options, **run_options):
    (work / folder).mkdir(exist_ok=True)
    return programs.volt("open", "--plain", *options, name, work / folder, **run_options)


@pytest.mark.parametrize("order", ["forwards", "backwards"])
@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.__name__)
def test_the_second_opening_is_refused(work, fuse, names, pair, order):
    first, second = names(pair) if order == "forwards" else reversed(names(pair))
    open_plain(work, first, "m")
    refused = open_plain(work, second, "m2", status=5, words=IN_USE)
    assert f"open on {work / 'm'}" in refused.err, refused
    open_plain(work, second, "m2", "--read-only", status=5, words=IN_USE)
    programs.volt("close", work / "m")
    open_plain(work, second, "m2")


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.__name__)
def test_readers_share(work, fuse, names, pair):
    first, second = names(pair)
    open_plain(work, first, "m", "--read-only")
    open_plain(work, second, "m2", "--read-only")
    open_plain(work, second, "m3", status=5, words=IN_USE)


def test_two_partitions_are_two_storages(work, fuse, root, image):
    with loops.partitioned(image) as (_, first, second):
        open_plain(work, first, "m")
        open_plain(work, second, "m2")
        programs.volt("close", work / "m")
        programs.volt("close", work / "m2")


def test_two_windows_of_a_file_are_two_storages(work, fuse, root, image):
    with loops.loop(image, "--sizelimit", 1 << 20) as first, \
            loops.loop(image, "-o", 1 << 20) as second:
        open_plain(work, first, "m")
        open_plain(work, second, "m2")
        open_plain(work, image, "m3", status=5, words=IN_USE)
        programs.volt("close", work / "m")
        programs.volt("close", work / "m2")


def test_what_is_mounted_through_a_loop_device_is_in_use(work, fuse, root, image):
    if not programs.has("mkfs.ext4"):
        pytest.skip("mkfs.ext4 is not installed")
    subprocess.run(["mkfs.ext4", "-q", "-F", image], check=True, capture_output=True)
    (work / "fs").mkdir()
    with loops.loop(image) as device:
        subprocess.run(["mount", device, work / "fs"], check=True)
        try:
            open_plain(work, image, "m", status=5,
                       words=[IN_USE, f"{device} is mounted on {work / 'fs'}"])
            open_plain(work, device, "m", status=5, words=IN_USE)
        finally:
            subprocess.run(["umount", work / "fs"], check=True)


def test_one_of_many_that_come_at_once_gets_it(work, fuse, root, image):
    with loops.loop(image) as device:
        for number in range(6):
            (work / f"m{number}").mkdir()
        running = [subprocess.Popen([programs.VOLTD, "--plain", [image, device][number % 2],
                                     work / f"m{number}"], stderr=subprocess.DEVNULL)
                   for number in range(6)]
        statuses = sorted(one.wait() for one in running)
        for number in range(6):
            programs.volt("close", work / f"m{number}", status=None)
        assert statuses == [0, 5, 5, 5, 5, 5]


def commands(work, name, password_file):
    secret = ("--password-file", password_file, "--prf", "sha512", "--pim", "1")
    (work / "data").write_bytes(b"x" * 512)
    return [
        (programs.VOLT, "passwd", name, *secret, "--new-password-file", password_file,
         "--new-pim", "1"),
        (programs.VOLT, "header", "restore", "--yes", name, *secret),
        (programs.VOLT, "load", "--yes", name, work / "data", *secret),
        (programs.VOLT, "expand", name, "--size", "8M", "--quick", *secret),
        (programs.VOLT, "create", "--hidden", "--hidden-size", "1M", "--yes", name, *secret,
         "--hidden-password-file", password_file),
        (programs.VOLTD, "--plain", name, work / "m2"),
        (programs.VOLTEST, "verify", name, "--size", "1M", "--destructive"),
        (programs.VOLTEST, "seq", name, "--size", "1M", "--runtime", "0.1", "--destructive"),
    ]


@pytest.mark.parametrize("way", ["loop_device", "hard_link"])
def test_every_command_that_writes_is_refused(work, fuse, root, container, password_file, way,
                                              open_volume):
    with contextlib.ExitStack() as stack:
        pair = {"loop_device": loop_device, "hard_link": hard_link}[way]
        _, other = stack.enter_context(pair(work, container, stack))
        volume = open_volume(container)
        (work / "m2").mkdir()
        before = container.read_bytes()
        for command in commands(work, other, password_file):
            programs.run(*command, status=5, words=IN_USE)
        if way == "loop_device":
            programs.volt("create", "--yes", "--quick", other, "--pim", "1", "--password-file",
                          password_file, status=5, words=IN_USE)
        assert container.read_bytes() == before
        volume.close()


def test_testers_of_one_volume_exclude_each_other(work, fuse, open_volume, image):
    volume = open_volume(image, "--plain")
    running = subprocess.Popen([programs.VOLTEST, "seq", volume.folder, "--destructive", "--size",
                                "1M", "--runtime", "60"], stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    try:
        mounts.eventually(lambda: volume.status["io"]["write"]["requests"] > 0, "the first write")
        programs.voltest("verify", volume.folder, "--destructive", "--size", "1M", status=5,
                         words=IN_USE)
    finally:
        running.kill()
        running.wait()


def test_expand_keeps_the_lock_while_it_fills(work, fuse, container, password_file):
    """The part that was added is filled with noise, which takes a while; nobody gets in."""
    growing = subprocess.Popen(
        [programs.VOLT, "expand", container, "--size", "300M", "--password-file", password_file,
         "--prf", "sha512", "--pim", "1"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    (work / "m").mkdir()
    try:
        mounts.eventually(lambda: container.stat().st_size > 4 << 20, "growing")
        while growing.poll() is None:
            attempt = programs.voltd("--plain", container, work / "m", status=None)
            assert attempt.status == 5 or growing.wait() == 0 and attempt.status == 0, attempt
    finally:
        growing.wait()
    programs.volt("close", work / "m", status=None)
    assert growing.returncode == 0
