"""`voltest verify` on media that hold earlier runs, its journal, and composed containers."""
import json
import os
import re
import shutil

import pytest

from support import programs

BLOCKS = 1024  # of 4 KiB: all of the image


def verify(target, *options, status=0, **more):
    """Runs a verification that may overwrite, and gives its result as a dictionary."""
    leave = () if "--resume" in options else ("--destructive", "--size", "4M")
    result = programs.voltest("verify", target, *leave, *options, "--json", "result.json",
                              status=status, **more)
    with open("result.json", encoding="utf-8") as file:
        return {**json.load(file), "out": result.out}


@pytest.fixture
def verified_image(open_volume, image):
    """The image after a run of voltest verify with the default seed, and that run's number."""
    volume = open_volume(image, "--plain")
    result = verify(volume.folder)
    volume.close()
    return image, result["run"]


@pytest.mark.parametrize("seed", [(), ("--seed", "1"), ("--seed", "7")])
def test_a_disk_that_loses_every_write_is_found_where_verify_ran_before(open_volume, verified_image,
                                                                       seed):
    image, first = verified_image
    volume = open_volume(f"fault:lost-write@1x999999:{image}", "--plain", "--testing")
    result = verify(volume.folder, *seed, status=4)
    assert result["found"]["lost"] == BLOCKS and result["good_blocks"] == 0
    assert f"a block of the older run {first} stands there" in result["out"]
    assert "everything came back" not in result["out"]


# The first 1024 writes are of the first generation; what is written from then on is not covered.
@pytest.mark.parametrize("fault", ["lost-write@1100", "misdirected-write@1102", "torn-write@1101",
                                   "stale-read@77"])
@pytest.mark.parametrize("place", ["mount", "composed"])
def test_one_fault_is_found_where_verify_ran_before(open_volume, verified_image, fault, place):
    image, _ = verified_image
    target = f"fault:{fault}:{image}"
    if place == "mount":
        target = open_volume(target, "--plain", "--testing").folder
    result = verify(target, "--threads", "1", status=4)
    assert result["good_blocks"] < result["checked_blocks"] == BLOCKS


def test_resume_does_not_pass_blocks_of_an_older_run(verified_image, work):
    image, first = verified_image
    older = work / "older"
    shutil.copyfile(image, older)
    verify(image, "--journal", "journal")
    verify(image, "--resume", "journal")
    with open(image, "r+b") as file:  # a backup is put back
        file.write(older.read_bytes())
    result = verify(image, "--resume", "journal", status=4)
    assert result["found"]["lost"] == BLOCKS
    assert first in result["out"]


def test_the_run_is_told_and_is_another_each_time(verified_image):
    image, first = verified_image
    second = verify(image, "--journal", "journal")
    assert re.fullmatch("[0-9a-f]{16}", second["run"])
    assert second["run"] != first
    assert f"run {second['run']}, seed 1" in second["out"]
    resumed = verify(image, "--resume", "journal")
    assert resumed["run"] == second["run"] and resumed["run"] in resumed["out"]


def test_a_journal_of_an_older_version_is_refused(image, work):
    (work / "journal").write_bytes(b"2nrJtloV" + bytes(6240))
    programs.voltest("verify", image, "--resume", "journal", status=1, words="older voltest")


def test_resuming_a_run_that_acknowledged_nothing_is_no_pass(image):
    verify(f"fault:failed-write@1x999999:{image}", "--journal", "journal", status=4)
    programs.voltest("verify", image, "--resume", "journal", status=4,
                     words="there is nothing to check")


@pytest.mark.parametrize("name", ["model:hdd-5400", "fault:lost-write"])
def test_simulated_disks_need_testing(work, fuse, image, password_file, name):
    (work / "m").mkdir()
    disk = f"{name}:{image}"
    for command in [("open", "--plain", disk, "m"), ("info", disk, "--password-file", password_file)]:
        programs.volt(*command, status=1, words=[disk, "only with --testing"])
    programs.voltd("--plain", disk, "m", status=1, words="only with --testing")
    assert os.listdir(work / "m") == []
    programs.volt("open", "--testing", "--plain", disk, "m")
    programs.volt("close", "m")


def test_a_composed_container_is_overwritten_with_leave_only(work, image):
    other = work / "other"
    shutil.copyfile(image, other)
    before = image.read_bytes()
    stripe = f"stripe:64K:{image},{other}"
    programs.voltest("verify", stripe, "--size", "4M", status=1, words="needs --destructive")
    programs.voltest("seq", stripe, "--runtime", "50ms", "--loops", "1", "--size", "4M")
    assert image.read_bytes() == before == other.read_bytes()
    verify(stripe)
    assert image.read_bytes() != before != other.read_bytes()


def test_a_composed_container_that_is_open_elsewhere_is_refused(open_volume, image, work):
    open_volume(image, "--plain")
    other = work / "other"
    shutil.copyfile(image, other)
    programs.voltest("verify", f"stripe:64K:{image},{other}", "--size", "4M", "--destructive", status=5)
    programs.voltest("verify", "stripe:64K:absent,other", "--destructive", status=4, words="No such file")
    programs.voltest("verify", "stripe:64K:other", "--destructive", status=1, words="fewer than two")
