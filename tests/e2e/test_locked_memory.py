"""Keys that cannot be locked in memory are told of when a volume is opened, or refused."""
import ctypes
import resource

import pytest

from support import mounts, programs

PR_CAPBSET_DROP = 24
CAP_IPC_LOCK = 14


def no_locked_memory():
    """For the child before exec: no memory may be locked, by root neither."""
    ctypes.CDLL(None).prctl(PR_CAPBSET_DROP, CAP_IPC_LOCK, 0, 0, 0)
    resource.setrlimit(resource.RLIMIT_MEMLOCK, (0, 0))


SECRET = ("--prf", "sha512", "--pim", "1")
NOTICE = "keys could not be locked in memory"


def test_it_is_said_once_what_to_do(work, open_volume, container, password_file):
    (work / "m").mkdir()
    said = programs.volt("open", container, work / "m", *SECRET, "--password-file", password_file,
                         limits=no_locked_memory, words=(NOTICE, "ulimit -l")).err
    assert said.count("\n") == 1, said
    mounts.Volume(work / "m").close()


def test_it_is_refused_where_that_is_asked_for(work, fuse, container, password_file):
    (work / "m").mkdir()
    for program, command in ((programs.volt, ["open"]), (programs.voltd, [])):
        program(*command, container, work / "m", "--require-locked-memory", *SECRET,
                "--password-file", password_file, limits=no_locked_memory, status=3, words=NOTICE)
        assert not mounts.is_mounted(work / "m")


def test_locked_keys_are_no_news(work, root, fuse, container, password_file):
    hard = resource.getrlimit(resource.RLIMIT_MEMLOCK)[1]
    if hard != resource.RLIM_INFINITY and hard < 1 << 20:
        pytest.skip("too little memory may be locked here")
    (work / "m").mkdir()
    assert programs.volt("open", container, work / "m", "--require-locked-memory", *SECRET,
                         "--password-file", password_file).err == ""
    mounts.Volume(work / "m").close()


def test_plain_files_have_no_keys(work, fuse, image):
    (work / "m").mkdir()
    assert programs.volt("open", "--plain", "--require-locked-memory", image, work / "m",
                         limits=no_locked_memory).err == ""
    mounts.Volume(work / "m").close()
