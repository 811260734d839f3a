"""Loop devices, partitions and device nodes that tests make for themselves (root)."""
import contextlib
import os
import pathlib
import subprocess

import pytest

from support import mounts

def _losetup(*arguments):
    return subprocess.run(["losetup", *map(str, arguments)], capture_output=True, text=True,
                          check=False)


@contextlib.contextmanager
def loop(file, *options):
    """A loop device over a file or device, detached at the end. Skips where there is none."""
    done = _losetup("--show", "-f", *options, file)
    if done.returncode:
        pytest.skip(f"no loop device: {done.stderr.strip()}")
    device = pathlib.Path(done.stdout.strip())
    try:
        yield device
    finally:
        mounts.eventually(lambda: _losetup("-d", device).returncode == 0 or not is_attached(device),
                          f"detaching {device}")
        mounts.eventually(lambda: not is_attached(device), f"{device} is free")


def is_attached(device):
    return pathlib.Path(f"/sys/block/{pathlib.Path(device).name}/loop/backing_file").exists()


@contextlib.contextmanager
def partitioned(file):
    """A loop device over a file of 4 MiB with two partitions: (disk, first, second)."""
    with loop(file, "-P") as disk:
        for number, first, sectors in ((1, 2048, 2048), (2, 4096, 4096)):
            added = subprocess.run(["addpart", disk, str(number), str(first), str(sectors)],
                                   capture_output=True, text=True, check=False)
            if added.returncode:
                pytest.skip(f"no partitions on loop devices: {added.stderr.strip()}")
        parts = [pathlib.Path(f"{disk}p{number}") for number in (1, 2)]
        mounts.eventually(lambda: all(part.exists() for part in parts), "the partitions' nodes")
        yield disk, *parts


def make_node(path, device):
    """Another node of a block device."""
    os.mknod(path, 0o600 | 0o060000, os.stat(device).st_rdev)
    return path
