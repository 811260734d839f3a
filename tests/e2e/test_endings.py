"""Ways for an open volume to end."""
import os
import signal
import subprocess

import pytest

from support import mounts, programs


@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT"])
def test_a_signal_writes_back_and_unmounts(open_volume, image, name):
    volume = open_volume(image, "--plain")
    pid = volume.pid
    volume.write(4096, b"x" * 512)
    os.kill(pid, getattr(signal, name))
    mounts.eventually(lambda: programs.is_gone(pid))
    assert not mounts.is_mounted(volume.folder)
    assert image.read_bytes()[4096:4608] == b"x" * 512


def test_close_names_who_is_in_the_way(open_volume, image):
    volume = open_volume(image, "--plain")
    with open(volume.volume, "rb") as held:
        holder = subprocess.Popen(["sleep", "60"], stdin=held)
    try:
        volume.close(status=5, words=f"in use by sleep ({holder.pid})")
    finally:
        holder.kill()
        holder.wait()
    volume.close()
    volume.close(status=4, words="no volume is open there")


def test_synced_writes_survive_a_killed_daemon(open_volume, container):
    volume = open_volume(container)
    data = os.urandom(65536)
    volume.write(131072, data, sync=True)
    pid = volume.pid
    programs.end_process(pid)
    mounts.eventually(lambda: programs.is_gone(pid))
    volume.close(words="had died")
    assert open_volume(container).read(131072, 65536) == data
