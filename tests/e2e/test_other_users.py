"""What another user of the machine, or another process of the same user, can do to root's volt: nothing.
Each test works in a mount namespace of its own, where /dev/fuse is open to every user."""
import ctypes
import json
import os
import pathlib
import shutil
import signal
import stat
import subprocess
import sys
import time

import pytest

from support import mounts, programs

NOBODY = 65534
AS_NOBODY = ("setpriv", "--reuid", "nobody", "--regid", "nogroup", "--clear-groups")
NEW_MOUNT_NAMESPACE = 0x00020000
LIBC = ctypes.CDLL(None, use_errno=True)


@pytest.fixture(scope="module", autouse=True)
def own_namespace(tmp_path_factory):
    """This process and its children have mounts that nobody else sees, and a /dev/fuse for everybody."""
    if os.geteuid() != 0:
        pytest.skip("needs root")
    if LIBC.unshare(NEW_MOUNT_NAMESPACE) != 0:
        pytest.skip("mount namespaces cannot be made here")
    subprocess.run(["mount", "--make-rprivate", "/"], check=True)
    node = tmp_path_factory.mktemp("node") / "fuse"
    try:
        os.mknod(node, 0o666 | stat.S_IFCHR, os.makedev(10, 229))
        os.chmod(node, 0o666)
        subprocess.run(["mount", "--bind", node, "/dev/fuse"], check=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("/dev/fuse cannot be opened to users here")
    if not programs.has("fusermount3") or not os.path.exists("/etc/mtab"):
        pytest.skip("fusermount3 cannot be used here")


@pytest.fixture
def work(work):
    """As everywhere, with programs that nobody can run as well."""
    for name in ("volt", "voltd", "voltest"):
        shutil.copy2(getattr(programs, name.upper()), work / name)
        os.chmod(work / name, 0o755)
    return work


@pytest.fixture
def theirs(work):
    """A folder of the other user, with an image and an empty folder."""
    folder = work / "theirs"
    (folder / "m").mkdir(parents=True)
    (folder / "image").write_bytes(os.urandom(4 << 20))
    for path in (folder, folder / "m", folder / "image"):
        os.chown(path, NOBODY, NOBODY)
    return folder


def volt(work, *arguments, user=None, **options):
    settings = {"VOLT_VOLTD": str(work / "voltd"), **options.pop("environment", {})}
    return programs.run(work / "volt", *arguments, environment=settings,
                        user="nobody" if user else None, **options)


def mount_ids(place):
    return [line.split()[0] for line in open("/proc/self/mountinfo", encoding="utf-8")
            if line.split()[4] == str(place)]


def test_root_closes_only_its_own_by_all(work, theirs, image):
    (work / "mine").mkdir()
    volt(work, "open", "--plain", image, work / "mine")
    volt(work, "open", "--plain", theirs / "image", theirs / "m", user="nobody")
    volt(work, "close", "--all")
    assert not mounts.is_mounted(work / "mine")
    assert mounts.is_mounted(theirs / "m"), "another user's volume is nobody else's to close"
    volt(work, "close", "--all", "--all-users")
    assert not mounts.is_mounted(theirs / "m")


def test_root_closes_anothers_as_that_user_and_loses_nothing(work, theirs):
    volt(work, "open", "--plain", theirs / "image", theirs / "m", user="nobody")
    write = "import os; os.pwrite(os.open('m/volume', os.O_RDWR), b'kept' * 1024, 0)"
    subprocess.run([*AS_NOBODY, sys.executable, "-c", write],
                   cwd=theirs, check=True)
    volt(work, "close", theirs / "m")
    assert not mounts.is_mounted(theirs / "m")
    assert (theirs / "image").read_bytes()[:4096] == b"kept" * 1024


def test_what_only_calls_itself_a_volume_is_left_alone(work):
    place = work / "fake"
    place.mkdir()
    # A FUSE file system under our type's name, in which nothing is of ours.
    faulty = pathlib.Path(programs.FAULTY_FOLDER)
    if not os.access(faulty, os.X_OK):
        pytest.skip("faulty_folder is not built")
    (work / "file").write_bytes(bytes(4096))
    server = subprocess.Popen([faulty, work / "file", place, "subtype=volt"])
    try:
        mounts.eventually(lambda: mounts.is_mounted(place))
        volt(work, "close", place, status=4, words="not by voltd")
        volt(work, "close", "--all", status=4)
        assert mounts.is_mounted(place)
    finally:
        subprocess.run(["umount", place], check=False)
        server.terminate()
        server.wait()


def test_a_folder_that_is_swapped_at_the_prompt_is_not_covered(work, password_file, make_container):
    make_container()
    parent = work / "parent"
    (parent / "m").mkdir(parents=True)
    victim = work / "victim"
    (victim / "m").mkdir(parents=True)
    os.mkfifo(work / "password.pipe", 0o600)
    opening = subprocess.Popen([work / "volt", "open", "c.hc", "parent/m", "--pim", "1", "--prf",
                                "sha512", "--password-file", "password.pipe"],
                               env={**os.environ, "VOLT_VOLTD": str(work / "voltd")})
    with open("password.pipe", "w", encoding="utf-8") as pipe:  # it waits for the password now
        parent.rename(work / "elsewhere")
        parent.symlink_to(victim)
        pipe.write(programs.PASSWORD)
    assert opening.wait(timeout=60) == 0
    assert not mounts.is_mounted(victim / "m")
    assert mounts.is_mounted(work / "elsewhere/m"), "what was checked is what is mounted on"
    status = json.loads((work / "elsewhere/m/status.json").read_text())
    assert status["mount_point"] == str(work / "elsewhere/m")
    volt(work, "close", work / "elsewhere/m")


def test_the_loop_device_is_of_the_volume_that_was_opened(work, image):
    if not os.path.exists("/dev/loop-control"):
        pytest.skip("no loop devices")
    parent = work / "parent"
    (parent / "m").mkdir(parents=True)
    forged = work / "forged/m"
    forged.mkdir(parents=True)
    (forged / "volume").write_bytes(b"forged" * 4096)
    (forged / "status.json").write_text('{"schema": "voltd/1", "pid": 1, "writes_held": true}')
    # The attacker's moment: the volume is open, and its loop device not yet attached.
    trap = work / "trap"
    trap.write_text(f'#!/bin/sh\n"{work}/voltd" "$@" || exit\nmv "{parent}" "{work}/moved"\n'
                    f'ln -s "{work}/forged" "{parent}"\n')
    trap.chmod(0o755)
    device = volt(work, "open", "--plain", "--loop", image, parent / "m", status=None,
                  environment={"VOLT_VOLTD": str(trap)}).out.strip()
    try:
        if device:
            backing = pathlib.Path(f"/sys/block/{device[5:]}/loop/backing_file").read_text().strip()
            assert backing == f"{work}/moved/m/volume"
    finally:
        volt(work, "close", work / "moved/m", status=None)
    assert not device or not pathlib.Path(f"/sys/block/{device[5:]}/loop").exists()


def test_the_command_line_of_the_daemon_tells_nothing(work, open_volume, container):
    volume = open_volume(container)
    line = pathlib.Path(f"/proc/{volume.pid}/cmdline").read_bytes()
    for word in (b"--pim", b"sha512", b"c.hc", b"password"):
        assert word not in line
    assert stat.S_IMODE((volume.folder / "status.json").stat().st_mode) == 0o400


def test_the_daemon_keeps_no_descriptor_of_its_caller(work, image):
    (work / "m").mkdir()
    secret = os.open(work / "secret", os.O_RDWR | os.O_CREAT)
    subprocess.run([work / "voltd", "--plain", image, work / "m"], pass_fds=[secret], check=True)
    pid = mounts.Volume(work / "m").pid
    names = [os.readlink(f"/proc/{pid}/fd/{fd}") for fd in os.listdir(f"/proc/{pid}/fd")]
    assert str(work / "secret") not in names
    assert not [name for name in names if name.startswith("pipe:")]
    volt(work, "close", work / "m")


@pytest.mark.parametrize("program", ["volt", "voltest"])
def test_the_same_users_processes_cannot_look_inside(work, theirs, program):
    os.mkfifo(theirs / "pipe", 0o600)
    os.chown(theirs / "pipe", NOBODY, NOBODY)
    if program == "volt":
        command = [work / "volt", "info", theirs / "image", "--password-file", theirs / "pipe"]
    else:
        command = [work / "voltest", "seq", theirs / "image", "--read-only", "--runtime", "30"]
    child = subprocess.Popen([*AS_NOBODY, *command],
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        mounts.eventually(lambda: program in os.readlink(f"/proc/{child.pid}/exe"))
        time.sleep(0.3)  # past the first lines of main()
        look = f"open('/proc/{child.pid}/mem', 'rb')"
        looked = subprocess.run([*AS_NOBODY, sys.executable,
                                 "-c", look], capture_output=True, text=True, check=False)
        assert "PermissionError" in looked.stderr, looked
    finally:
        child.send_signal(signal.SIGKILL)
        child.wait()


def test_names_cannot_move_the_cursor(work, theirs):
    name = theirs / "a\x1b[31mb\nvolt: forged\u009bc"
    shutil.copy(theirs / "image", name)
    os.chown(name, NOBODY, NOBODY)
    volt(work, "open", "--plain", name, theirs / "m", user="nobody")
    listed = volt(work, "list")
    for text in (listed.out, listed.err, volt(work, "info", name, status=None,
                                              stdin="x").err):
        assert not [c for c in text if (ord(c) < 0x20 and c not in "\n\t") or 0x7F <= ord(c) < 0xA0]
        assert "\nvolt: forged" not in text
    volt(work, "close", theirs / "m", user="nobody")


def test_results_that_go_too_deep_are_refused(work):
    (work / "deep.json").write_text('{"schema": "voltest/1", "x": ' + "[" * 170000 + "]" * 170000 + "}")
    programs.run(work / "voltest", "report", "deep.json", "-o", "page.html", status=1,
                 words="not a result")


def test_the_tester_believes_no_status_in_an_ordinary_folder(work):
    folder = work / "plain"
    folder.mkdir()
    (work / "precious").write_bytes(b"precious" * (1 << 18))
    (folder / "volume").symlink_to(work / "precious")
    (folder / "status.json").write_text('{"schema": "voltd/1", "pid": 1, "container": "/x"}')
    programs.run(work / "voltest", "seq", folder, "--destructive", "--size", "2M", "--runtime",
                 "0.1", "--loops", "1", status=None)
    assert (work / "precious").read_bytes() == b"precious" * (1 << 18)


def test_a_lock_on_the_folder_by_another_stops_nobody(work, image):
    folder = work / "m"
    folder.mkdir()
    folder.chmod(0o755)
    lock = subprocess.Popen([*AS_NOBODY, "flock", folder,
                             "sleep", "60"])
    try:
        mounts.eventually(lambda: any(f":{folder.stat().st_ino} " in line
                                      for line in open("/proc/locks", encoding="utf-8")))
        volt(work, "open", "--plain", image, folder)
        volt(work, "close", folder)
    finally:
        lock.kill()
        lock.wait()


def test_keep_mtime_gives_the_container_its_time_back(work, image):
    os.utime(image, (1_000_000_000, 1_000_000_000))
    (work / "m").mkdir()
    for option, kept in (((), False), (("--keep-mtime",), True)):
        os.utime(image, (1_000_000_000, 1_000_000_000))
        volt(work, "open", "--plain", *option, image, work / "m")
        mounts.Volume(work / "m").write(0, os.urandom(4096), sync=True)
        volt(work, "close", work / "m")
        assert (image.stat().st_mtime == 1_000_000_000) == kept


def test_a_file_system_that_is_being_made_leaves_nothing_when_volt_is_killed(work, password_file):
    if not programs.has("mkfs.ext4"):
        pytest.skip("mkfs.ext4 is not installed")
    slow = work / "bin"
    slow.mkdir()
    (slow / "mkfs.ext4").write_text("#!/bin/sh\nsleep 60\n")
    (slow / "mkfs.ext4").chmod(0o755)
    making = subprocess.Popen(
        [work / "volt", "create", "new.hc", "--size", "8M", "--fs", "ext4", "--pim", "1", "--quick",
         "--password-file", password_file],
        env={**os.environ, "PATH": f"{slow}:{os.environ['PATH']}", "VOLT_VOLTD": str(work / "voltd"),
             "TMPDIR": str(work)}, start_new_session=True)
    mounts.eventually(lambda: mounts.mounted_below(work))
    time.sleep(0.2)
    making.kill()
    making.wait()
    mounts.eventually(lambda: not mounts.mounted_below(work), "the volume is closed")
    subprocess.run(["pkill", "-s", str(making.pid)], check=False)


def test_a_replaced_header_is_kept(work, container, password_file):
    before = container.read_bytes()[:131072]
    volt(work, "header", "restore", "--yes", container, "--pim", "1", "--prf", "sha512",
         "--password-file", password_file, words="the header that was replaced")
    kept = work / "c.hc.replaced-header"
    assert kept.read_bytes() == before
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    volt(work, "info", container, "--header", kept, "--pim", "1", "--prf", "sha512",
         "--password-file", password_file)
