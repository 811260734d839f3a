"""The container's file is deleted, replaced or renamed while its volume is open."""
import os
import signal
import subprocess

import pytest

from support import mounts, programs

DATA = b"kept" * 16384


def delete(container):
    container.unlink()


def replace(container):
    new = container.with_name("new")
    new.write_bytes(b"synced from elsewhere")
    new.rename(container)


WAYS = [delete, replace]


@pytest.fixture
def lost(open_volume, container):
    """lost(way): a volume that was written to, and whose container is gone."""

    def make(way):
        volume = open_volume(container)
        volume.write(65536, DATA)
        way(container)
        return volume

    return make


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_it_is_told_and_close_refuses(lost, container, way):
    volume = lost(way)
    assert volume.status["container_state"] == "deleted"
    assert volume.status["container_files"] == [
        {"path": str(container), "state": "deleted", "now": None}]
    listed = programs.volt("list", words=f"{container} was deleted or replaced while open")
    assert "(container deleted)" in listed.out
    volume.close(status=4, words=["was deleted or replaced", "--save-as FILE", "--force"])
    assert volume.read(65536, len(DATA)) == DATA


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_save_as_keeps_everything(lost, open_volume, work, way):
    volume = lost(way)
    volume.write(1 << 20, DATA)
    volume.close("--save-as", work / "saved.hc")
    assert not mounts.is_mounted(volume.folder)
    again = open_volume(work / "saved.hc")
    assert again.read(65536, len(DATA)) == DATA
    assert again.read(1 << 20, len(DATA)) == DATA
    again.close()


def test_force_gives_it_up(lost):
    volume = lost(delete)
    volume.close("--force", status=4, words="given up")
    assert not mounts.is_mounted(volume.folder)


def test_save_as_overwrites_nothing(lost, work):
    volume = lost(delete)
    (work / "there").write_text("mine")
    volume.close("--save-as", work / "there", status=4, words="exists already")
    volume.close("--save-as", work / "there", "--force", status=4, words="exists already")
    assert (work / "there").read_text() == "mine"
    volume.write(0, b"y" * 512)
    assert volume.read(65536, len(DATA)) == DATA


def test_save_as_leaves_nothing_where_the_volume_is_in_use(lost, work):
    volume = lost(delete)
    with open(volume.volume, "r+b", buffering=0) as held:
        volume.close("--save-as", work / "saved.hc", status=5, words="in use")
        assert not (work / "saved.hc").exists()
        mounts.eventually(lambda: not volume.status["writes_held"], "writes are taken again")
        assert held.write(b"z" * 512) == 512
    volume.close("--save-as", work / "saved.hc")


def test_nothing_is_written_between_the_copy_and_the_end(lost, work):
    volume = lost(delete)
    copying = os.open(volume.folder / ".container", os.O_RDONLY)
    try:
        with pytest.raises(OSError, match="Read-only"):
            volume.write(0, b"y" * 512)
    finally:
        os.close(copying)
    assert volume.status["writes_held"]
    os.kill(volume.pid, signal.SIGUSR2)
    mounts.eventually(lambda: not volume.status["writes_held"], "writes are taken again")
    volume.write(0, b"y" * 512)
    volume.close("--force", status=4)


def test_holes_stay_holes(open_volume, work):
    with open(work / "big", "wb") as file:
        file.truncate(256 << 20)
    volume = open_volume(work / "big", "--plain")
    volume.write(200 << 20, DATA)
    (work / "big").unlink()
    volume.close("--save-as", work / "saved")
    info = (work / "saved").stat()
    assert info.st_size == 256 << 20
    assert info.st_blocks * 512 < 8 << 20
    with open(work / "saved", "rb") as file:
        file.seek(200 << 20)
        assert file.read(len(DATA)) == DATA


def test_a_renamed_container_is_told_and_kept(open_volume, container, work):
    volume = open_volume(container)
    volume.write(65536, DATA)
    container.rename(work / "renamed.hc")
    assert volume.status["container_state"] == "moved"
    assert "(container moved)" in programs.volt("list").out
    volume.close(words=f"was renamed while open and is now {work / 'renamed.hc'}")
    again = open_volume(work / "renamed.hc")
    assert again.read(65536, len(DATA)) == DATA


def test_another_hard_link_keeps_it(open_volume, container, work):
    os.link(container, work / "other.hc")
    volume = open_volume(container)
    volume.write(65536, DATA)
    container.unlink()
    assert volume.status["container_state"] == "moved"
    volume.close(words="was renamed while open")
    assert open_volume(work / "other.hc").read(65536, len(DATA)) == DATA


def test_a_container_that_stays_says_so(open_volume, container):
    volume = open_volume(container)
    assert volume.status["container_state"] == "present"
    assert "container" not in programs.volt("list").err
    assert volume.close().err == ""


def test_a_member_of_a_stripe(open_volume, work):
    for name in "ab":
        (work / name).write_bytes(bytes(1 << 20))
    volume = open_volume("stripe:64K:a,b", "--plain")
    volume.write(65536, DATA)
    (work / "b").unlink()
    assert [one["state"] for one in volume.status["container_files"]] == ["present", "deleted"]
    volume.close(status=4, words=f"{work / 'b'} was deleted")
    volume.close("--save-as", work / "one")
    assert (work / "one").read_bytes()[65536:65536 + len(DATA)] == DATA


def test_what_a_command_does_to_a_container_that_goes_is_no_success(container, password_file, work):
    data, feed = os.pipe()
    loading = subprocess.Popen(
        [programs.VOLT, "load", "--yes", container, "--password-file", password_file, "--prf",
         "sha512", "--pim", "1"], stdin=data, stderr=subprocess.PIPE, text=True)
    os.close(data)
    # It has the container open for writing as soon as it takes more than a pipe holds.
    os.write(feed, b"x" * (256 << 10))
    container.unlink()
    os.close(feed)
    said = loading.communicate()[1]
    assert loading.returncode == 4, said
    assert "was deleted or replaced meanwhile" in said


def test_the_log_tells_it(work, fuse, image):
    (work / "m").mkdir()
    with open(work / "log", "wb") as log:
        daemon = subprocess.Popen([programs.VOLTD, "--foreground", "--plain", image, work / "m"],
                                  stderr=log)
    try:
        mounts.eventually(lambda: mounts.is_mounted(work / "m") and (work / "m/volume").exists())
        mounts.Volume(work / "m").write(0, b"x" * 512, sync=True)
        image.unlink()
        mounts.eventually(lambda: b"was deleted or replaced while open" in
                          (work / "log").read_bytes(), "noticed without being asked")
    finally:
        daemon.terminate()
    assert daemon.wait() == 4
    assert b"its contents are gone" in (work / "log").read_bytes()
