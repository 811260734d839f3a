"""A loop device offers what the volume takes, no more: neither TRIM nor zeroing by holes is there only to
be refused."""
import os
import pathlib
import subprocess

import pytest

from support import programs


@pytest.fixture
def open_loop(root, open_volume, image):
    """open_loop(*options): the volume and the name of the device on it."""
    if not os.path.exists("/dev/loop-control"):
        pytest.skip("no loop devices")
    if subprocess.run(["losetup", "-f"], capture_output=True, check=False).returncode:
        pytest.skip("no loop device is free")

    def open_(*options):
        volume = open_volume(image, "--plain", "--loop", *options)
        for device in pathlib.Path("/sys/block").glob("loop*"):
            backing = device / "loop/backing_file"
            if backing.exists() and backing.read_text().strip() == str(volume.volume):
                return volume, device.name
        raise AssertionError("no loop device is attached")

    return open_


def limit(device, name):
    return int(pathlib.Path(f"/sys/block/{device}/queue/{name}").read_text())


def blkdiscard(*arguments):
    return subprocess.run(["blkdiscard", *arguments], capture_output=True, check=False).returncode


@pytest.mark.parametrize("options", [(), ("--read-only",), ("--read-only", "--discard")])
def test_nothing_is_offered_that_is_refused(open_loop, options):
    volume, device = open_loop(*options)
    assert limit(device, "discard_max_bytes") == 0
    assert limit(device, "write_zeroes_max_bytes") == 0
    assert blkdiscard(f"/dev/{device}") != 0
    volume.close()


def test_zeroing_writes_zeros(open_loop, image):
    volume, device = open_loop()
    before = image.read_bytes()
    assert blkdiscard("-z", "-o", "65536", "-l", "1048576", f"/dev/{device}") == 0
    volume.close()
    assert image.read_bytes() == before[:65536] + bytes(1 << 20) + before[65536 + (1 << 20):]


def test_attaching_changes_nothing_and_the_volume_takes_writes(open_loop, image):
    before = image.read_bytes()
    volume, device = open_loop()
    assert not volume.status["writes_held"]
    assert os.statvfs(volume.folder).f_blocks == len(before) // 4096
    volume.close()
    assert image.read_bytes() == before


def test_the_next_user_of_the_device_finds_it_as_it_was(open_loop, image):
    volume, device = open_loop()
    volume.close()
    # The same device mostly, since it is the first that is free.
    other = image.parent / "other"
    other.write_bytes(bytes(1 << 20))
    name = subprocess.run(["losetup", "-f", "--show", other], capture_output=True, text=True,
                          check=True).stdout.strip()
    queue = pathlib.Path("/sys/block") / name.removeprefix("/dev/") / "queue"
    try:
        assert (queue / "discard_max_bytes").read_text() == (queue / "discard_max_hw_bytes").read_text()
    finally:
        subprocess.run(["losetup", "-d", name], check=True)


def test_trim_arrives_with_discard(root, open_volume, image):
    before = image.read_bytes()
    (image.parent / "m").mkdir()
    opened = programs.volt("open", "--plain", "--loop", "--discard", image, image.parent / "m",
                           status=None)
    if opened.status != 0:
        # Some kernels cannot be kept from zeroing by holes: then nothing stays open, and nothing changed.
        assert opened.status == 4 and "TRIM" in opened.err
        assert not os.path.ismount(image.parent / "m")
        assert image.read_bytes() == before
        pytest.skip(opened.err)
    device = opened.out.strip()
    assert limit(device.removeprefix("/dev/"), "write_zeroes_max_bytes") == 0
    used = image.stat().st_blocks
    assert blkdiscard("-l", "1048576", device) == 0
    programs.volt("close", image.parent / "m")
    assert image.stat().st_blocks < used
    assert image.read_bytes()[1 << 20:] == before[1 << 20:]


@pytest.mark.parametrize("mode", ["-l 4096", "-z -l 4096", "-p -n -l 4096", "-c -l 4096",
                                  "-i -l 4096"])
def test_refused_ways_of_fallocate_change_nothing(open_volume, image, mode):
    before = image.read_bytes()
    volume = open_volume(image, "--plain")
    done = subprocess.run(["fallocate", *mode.split(), volume.volume], capture_output=True, check=False)
    assert done.returncode != 0
    volume.close()
    assert image.read_bytes() == before
