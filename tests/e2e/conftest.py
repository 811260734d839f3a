"""Fixtures of the end-to-end tests. Each test works in a folder of its own and leaves nothing behind,
also when it fails. By hand: `python3 -m pytest tests/e2e/test_NAME.py`, with the programs in build/."""
import os
import pathlib
import shutil
import tempfile

import pytest

from support import mounts, programs


@pytest.fixture
def work(monkeypatch):
    """An empty folder that is also the current one. What is mounted in it is unmounted at the end."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="volt-e2e.")).resolve()
    folder.chmod(0o755)
    monkeypatch.chdir(folder)
    yield folder
    os.chdir("/")
    mounts.clean_up(folder)
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def fuse():
    """Skips the test where this user cannot mount."""
    if not os.access("/dev/fuse", os.R_OK | os.W_OK):
        pytest.skip("/dev/fuse cannot be used here")
    if os.geteuid() != 0 and not programs.has("fusermount3"):
        pytest.skip("fusermount3 is not installed")


@pytest.fixture
def root():
    if os.geteuid() != 0:
        pytest.skip("needs root")


@pytest.fixture
def password_file(work):
    file = work / "password"
    file.write_text(programs.PASSWORD)
    file.chmod(0o600)
    return file


@pytest.fixture
def image(work):
    """A file of 4 MiB of noise: what `--plain` opens."""
    file = work / "image"
    file.write_bytes(os.urandom(4 << 20))
    return file


@pytest.fixture
def make_container(work, password_file):
    """make_container(name="c.hc", size="4M", *more): creates a volume with the tests' password.
    Cheap to open: PIM 1, unless another is given."""

    def make(name="c.hc", size="4M", *more):
        pim = () if "--pim" in more or "truecrypt" in more else ("--pim", "1")
        prf = () if "--prf" in more else ("--prf", "sha512")
        programs.volt("create", work / name, "--size", size, "--quick", *prf, *pim,
                      "--password-file", password_file, *more)
        return work / name

    return make


@pytest.fixture
def container(make_container):
    return make_container()


@pytest.fixture
def open_volume(work, fuse, password_file):
    """open_volume(container, *options, folder="m"): opens it and gives a support.mounts.Volume. With
    "--plain" among the options no password is handed over. Closed at the end of the test."""

    def open_(file, *options, folder="m", **run_options):
        place = work / folder
        place.mkdir(exist_ok=True)
        secret = () if "--plain" in options else ("--password-file", password_file, "--prf", "sha512",
                                                  "--pim", "1")
        if "--pim" in options or "--format" in options:
            secret = secret[:4]
        programs.volt("open", *options, *secret, file, place, **run_options)
        return mounts.Volume(place)

    return open_


@pytest.fixture
def failing_folder(work, fuse, image):
    """The image as the file of a support.mounts.FailingFolder."""
    if not os.access(programs.FAULTY_FOLDER, os.X_OK):
        pytest.skip("faulty_folder is not built")
    folder = work / "low"
    folder.mkdir()
    return mounts.FailingFolder(image, folder)


@pytest.fixture
def terminal(work):
    """terminal(program, *arguments): starts it on a terminal of its own, as a pexpect.spawn."""
    pexpect = pytest.importorskip("pexpect")
    started = []

    def start(program, *arguments, columns=80, **options):
        child = pexpect.spawn(program, [str(a) for a in arguments], dimensions=(24, columns),
                              timeout=programs.TIME_LIMIT_SECONDS, encoding="utf-8",
                              env={"VOLT_VOLTD": programs.VOLTD, **os.environ}, **options)
        started.append(child)
        return child

    yield start
    for child in started:
        child.close(force=True)
