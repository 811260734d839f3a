"""A container that no longer answers: nothing hangs for ever, and without --force nothing is given up."""
import os
import signal
import subprocess
import sys

import pytest

from support import mounts, programs

WRITER = """
import os, sys
file = os.open(sys.argv[1], os.O_RDWR)
print("writing", flush=True)
os.pwrite(file, b"w" * 65536, 4096)
os.fsync(file)
print("written", flush=True)
"""


class Stall:
    """A volume, `above`, whose container is the volume of another daemon, which can be stopped."""

    def __init__(self, open_volume, image, *options):
        self.image = image
        self.low = open_volume(image, "--plain", folder="low")
        self.above = open_volume(self.low.volume, "--plain", *options, folder="above")
        self.low_pid, self.pid = self.low.pid, self.above.pid
        self.writer = None

    def begin(self, with_a_write=True):
        os.kill(self.low_pid, signal.SIGSTOP)
        if with_a_write:
            self.writer = subprocess.Popen([sys.executable, "-c", WRITER, self.above.volume],
                                           stdout=subprocess.PIPE, text=True)
            assert self.writer.stdout.readline() == "writing\n"

    def end(self):
        os.kill(self.low_pid, signal.SIGCONT)

    def clean_up(self):
        self.end()
        if self.writer is not None:
            self.writer.kill()
            self.writer.communicate()
        for volume, pid in (self.above, self.pid), (self.low, self.low_pid):
            if mounts.is_mounted(volume.folder):
                volume.close(status=None)
            mounts.eventually(lambda pid=pid: programs.is_gone(pid))


@pytest.fixture
def make_stall(open_volume, image):
    made = []

    def make(*options):
        made.append(Stall(open_volume, image, *options))
        return made[-1]

    yield make
    for stall in made:
        stall.clean_up()


@pytest.mark.parametrize("engine", ["threads", "io_uring"])
def test_close_gives_nothing_up(make_stall, engine):
    stall = make_stall("--io", engine)
    stall.begin()
    stall.above.close("--timeout", "1", status=4, words=("does not answer", "still open", "--force"))
    assert mounts.is_mounted(stall.above.folder)
    stall.end()
    assert stall.writer.communicate(timeout=programs.TIME_LIMIT_SECONDS)[0] == "written\n"
    assert stall.above.read(4096, 65536) == b"w" * 65536
    stall.above.write(0, b"v" * 4096, sync=True)
    stall.above.close()
    assert programs.is_gone(stall.pid)
    stall.low.close()
    assert stall.image.read_bytes()[:69632] == b"v" * 4096 + b"w" * 65536


def test_close_of_a_stopped_daemon_gives_nothing_up(open_volume, image):
    volume = open_volume(image, "--plain")
    pid = volume.pid
    volume.write(0, b"s" * 4096)
    os.kill(pid, signal.SIGSTOP)
    try:
        volume.close("--timeout", "1", status=4, words=("does not answer", "still open"))
        assert mounts.is_mounted(volume.folder)
    finally:
        os.kill(pid, signal.SIGCONT)
    assert volume.read(0, 4096) == b"s" * 4096
    volume.close()
    assert programs.is_gone(pid)
    assert image.read_bytes()[:4096] == b"s" * 4096


def test_a_daemon_that_is_slow_to_answer_is_waited_for(open_volume, image):
    volume = open_volume(image, "--plain")
    pid = volume.pid
    os.kill(pid, signal.SIGSTOP)
    # Longer than the state is waited for, far shorter than the time that close is given.
    resume = subprocess.Popen(["sh", "-c", f"sleep 5; kill -CONT {pid}"])
    try:
        volume.close("--timeout", "60")
    finally:
        resume.wait()
    assert programs.is_gone(pid)
    assert not mounts.is_mounted(volume.folder)


def test_force_closes_and_tells_the_loss(make_stall):
    stall = make_stall()
    stall.begin()
    stall.above.close("--timeout", "1", "--force", status=4, words=("does not answer", "may be lost"))
    assert not mounts.is_mounted(stall.above.folder)


def test_sigterm_ends_when_the_storage_answers_again(make_stall):
    stall = make_stall()
    stall.above.write(4096, b"w" * 65536)
    stall.begin(with_a_write=False)
    os.kill(stall.pid, signal.SIGTERM)
    mounts.eventually(lambda: not mounts.is_mounted(stall.above.folder))
    stall.end()
    mounts.eventually(lambda: programs.is_gone(stall.pid))
    stall.low.close()
    assert stall.image.read_bytes()[4096:69632] == b"w" * 65536


@pytest.mark.parametrize("seconds", ["0", "-1", "86401", "x"])
def test_timeouts_that_mean_nothing_are_refused(open_volume, image, seconds):
    volume = open_volume(image, "--plain")
    volume.close(f"--timeout={seconds}", status=1, words="timeout")
    assert mounts.is_mounted(volume.folder)


def test_many_silent_daemons_take_no_longer_than_one(open_volume, work):
    """Each is given three seconds to answer; one after another these would take half a minute."""
    volumes = []
    for name in "abcdefghij":
        (work / name).write_bytes(os.urandom(65536))
        volumes.append(open_volume(work / name, "--plain", folder="m" + name))
    pids = [volume.pid for volume in volumes]
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    try:
        listed = programs.volt("list", timeout=25).out
        assert listed.count("no answer") >= len(volumes)
    finally:
        for pid in pids:
            os.kill(pid, signal.SIGCONT)
    for volume in volumes:
        volume.close()
