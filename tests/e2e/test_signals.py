"""Signals that the system sends for input and output and for limits, and streams that take nothing:
an error exit with words, and mounts that live on."""
import errno
import os
import resource
import signal
import subprocess

import pytest

from support import mounts, programs

LIMIT = 1 << 20


def small_files():
    """For `limits`: no file may grow beyond LIMIT."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (LIMIT, LIMIT))


def ignored(name):
    return lambda: signal.signal(getattr(signal, name), signal.SIG_IGN)


def secret(password_file):
    return "--password-file", password_file, "--prf", "sha512", "--pim", "1"


# ---- RLIMIT_FSIZE


@pytest.mark.parametrize("engine", ["threads", "io_uring"])
@pytest.mark.parametrize("direct", ["on", "off"])
def test_a_write_beyond_the_limit_is_efbig(open_volume, image, engine, direct):
    volume = open_volume(image, "--plain", "--io", engine, "--direct", direct, limits=small_files)
    file = os.open(volume.volume, os.O_RDWR)
    try:
        for length in 4096, 777, 1 << 20:
            with pytest.raises(OSError) as raised:
                os.pwrite(file, b"x" * length, 2 * LIMIT)
            assert raised.value.errno == errno.EFBIG
        assert os.pwrite(file, b"y" * 4096, 0) == 4096
        os.fsync(file)
    finally:
        os.close(file)
    assert volume.read(0, 4096) == b"y" * 4096
    volume.close()
    assert image.read_bytes()[:4096] == b"y" * 4096


def test_commands_beyond_the_limit_say_so(work, password_file, make_container):
    words = ("volt: ", f"limited to {LIMIT} bytes")
    programs.volt("create", "new.hc", "--size", "4M", "--quick", "--prf", "sha512", "--pim", "1",
                  "--password-file", password_file, limits=small_files, status=4, words=words)
    assert not (work / "new.hc").exists()
    container = make_container()
    before = container.read_bytes()
    # The backup headers lie beyond the limit.
    programs.volt("passwd", container, *secret(password_file), "--keep-password", "--new-pim", "2",
                  limits=small_files, status=4, words="volt: ")
    programs.volt("info", container, *secret(password_file), status=None)
    after = container.read_bytes()
    assert after[LIMIT:] == before[LIMIT:]
    programs.volt("dump", container, "dumped", *secret(password_file), limits=small_files, status=4,
                  words=words)
    assert not (work / "dumped").exists()
    programs.volt("expand", container, "--size", "8M", *secret(password_file), limits=small_files,
                  status=4, words="volt: ")
    assert container.stat().st_size == 4 << 20


def test_a_backup_that_does_not_fit_is_told(work, password_file, make_container):
    container = make_container()

    def no_files():
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))

    programs.volt("header", "backup", container, "saved", *secret(password_file), limits=no_files,
                  status=4, words=("volt: ", "limited to 1000 bytes"))
    assert not (work / "saved").exists()


def test_voltest_beyond_the_limit_says_so(work):
    programs.voltest("seq", work, "--size", "4M", "--runtime", "1", "--loops", "1",
                     limits=small_files, status=4, words="voltest: ")
    assert not list(work.iterdir())


def test_a_journal_without_room_is_told(work):
    target = work / "target"
    target.write_bytes(bytes(1 << 16))

    def no_files():
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))

    programs.voltest("verify", target, "--size", "64K", "--destructive", "--journal", "journal",
                     limits=no_files, status=4, words="making the journal")
    assert not (work / "journal").exists()


# ---- streams

PRINTS = {
    "volt --help": (programs.VOLT, "--help"),
    "volt --version": (programs.VOLT, "--version"),
    "voltd --help": (programs.VOLTD, "--help"),
    "voltd --version": (programs.VOLTD, "--version"),
    "voltest --help": (programs.VOLTEST, "--help"),
    "voltest --version": (programs.VOLTEST, "--version"),
    "voltest matrix --published": (programs.VOLTEST, "matrix", "--published"),
    "voltest cpu": (programs.VOLTEST, "cpu", "--cipher", "aes", "--threads", "1"),
    "voltest cpu --json -": (programs.VOLTEST, "cpu", "--cipher", "aes", "--threads", "1", "--json",
                             "-"),
    "volt list --json": (programs.VOLT, "list", "--json"),
}


def run_into(command, out, **options):
    return subprocess.run([*map(str, command)], stdin=subprocess.DEVNULL, stdout=out,
                          stderr=subprocess.PIPE, timeout=programs.TIME_LIMIT_SECONDS, text=True,
                          check=False, start_new_session=True,
                          env={"VOLT_VOLTD": programs.VOLTD, **os.environ}, **options)


def check_told(done):
    assert done.returncode == 4, done
    assert "standard output: cannot be written" in done.stderr.splitlines()[-1], done


@pytest.mark.parametrize("name", PRINTS)
def test_full_standard_output_is_told(name):
    with open("/dev/full", "wb") as full:
        check_told(run_into(PRINTS[name], full))


@pytest.mark.parametrize("name", PRINTS)
def test_a_reader_that_has_gone_is_told(name):
    reading, writing = os.pipe()
    os.close(reading)
    try:
        check_told(run_into(PRINTS[name], writing))
    finally:
        os.close(writing)


@pytest.mark.parametrize("name", PRINTS)
def test_closed_standard_output_is_told(name):
    check_told(run_into(PRINTS[name], None, preexec_fn=lambda: os.close(1)))


def test_what_commands_tell_of_volumes_is_never_lost_silently(container, open_volume, password_file):
    open_volume(container)
    for command in (["list"], ["list", "--json"]):
        with open("/dev/full", "wb") as full:
            check_told(run_into([programs.VOLT, *command], full))
    mounts.Volume(container.parent / "m").close()
    for command in (["info", container], ["info", container, "--json"]):
        with open("/dev/full", "wb") as full:
            check_told(run_into([programs.VOLT, *command, *secret(password_file)], full))
    with open("/dev/full", "wb") as full:
        done = run_into([programs.VOLT, "dump", container, *secret(password_file)], full)
    assert done.returncode == 4 and "standard output" in done.stderr, done


@pytest.mark.parametrize("descriptors", [(0,), (1,), (2,), (0, 1, 2)])
def test_closed_streams_never_become_the_container(container, password_file, descriptors):
    before = container.read_bytes()

    def close():
        for descriptor in descriptors:
            os.close(descriptor)

    done = run_into([programs.VOLT, "passwd", container, "--password-file", "/dev/null",
                     "--keep-password"], subprocess.DEVNULL, preexec_fn=close)
    assert done.returncode not in (0, -signal.SIGABRT), done
    done = run_into([programs.VOLT, "info", container, *secret(password_file)],
                    subprocess.DEVNULL, preexec_fn=close)
    assert done.returncode == (4 if 1 in descriptors else 0), done
    assert container.read_bytes() == before


@pytest.mark.parametrize("program", [programs.VOLT, programs.VOLTD, programs.VOLTEST])
def test_full_standard_error_keeps_the_exit_status(program, work):
    arguments = {programs.VOLT: ["info", "missing"], programs.VOLTD: ["missing", "nowhere"],
                 programs.VOLTEST: ["seq", "missing"]}[program]
    with open("/dev/full", "wb") as full:
        done = subprocess.run([program, *arguments], stdin=subprocess.DEVNULL, stderr=full, check=False,
                              timeout=programs.TIME_LIMIT_SECONDS)
    assert done.returncode == 4


# ---- signals that are asked for, ignored or blocked by the caller


def dispositions(text):
    """SigBlk and SigIgn of /proc/PID/status as sets of signal numbers."""
    found = {}
    for line in text.splitlines():
        name, _, mask = line.partition(":")
        if name in ("SigBlk", "SigIgn"):
            found[name] = {n for n in range(1, 32) if int(mask, 16) >> (n - 1) & 1}
    return found


def test_children_get_default_signals(work, container, password_file):
    """The password command, whatever the caller has blocked."""

    def block():
        signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 32))
        signal.signal(signal.SIGPIPE, signal.SIG_IGN)
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

    command = f"grep Sig /proc/self/status >{work}/seen; cat {password_file}"
    programs.volt("info", container, "--password-command", command, "--prf", "sha512", "--pim", "1",
                  limits=block)
    assert dispositions((work / "seen").read_text()) == {"SigBlk": set(), "SigIgn": set()}


def test_ignored_children_are_waited_for(open_volume, image):
    volume = open_volume(image, "--plain", limits=ignored("SIGCHLD"))
    volume.close(limits=ignored("SIGCHLD"))


def test_a_hang_up_that_the_caller_ignores_leaves_the_mount(open_volume, image):
    volume = open_volume(image, "--plain", limits=ignored("SIGHUP"))
    pid = volume.pid
    os.kill(pid, signal.SIGHUP)
    # Signals are taken in the order of their numbers: what SIGUSR2 has done, SIGHUP would have.
    os.kill(pid, signal.SIGUSR2)
    for _ in range(50):
        assert volume.pid == pid
    assert mounts.is_mounted(volume.folder)
    volume.close()


@pytest.mark.parametrize("name", ["SIGPIPE", "SIGXFSZ", "SIGURG", "SIGCHLD", "SIGTTOU", "SIGUSR1"])
def test_signals_of_input_and_output_leave_the_mount(open_volume, image, name):
    volume = open_volume(image, "--plain")
    pid = volume.pid
    os.kill(pid, getattr(signal, name))
    volume.write(0, b"z" * 4096, sync=True)
    assert volume.pid == pid
    volume.close()
    assert image.read_bytes()[:4096] == b"z" * 4096


def test_the_limit_on_processor_time_closes_in_order(work, fuse, image):
    place = work / "m"
    place.mkdir()
    daemon = subprocess.Popen([programs.VOLTD, "--plain", "--foreground", image, place],
                              stderr=subprocess.PIPE, text=True)
    mounts.eventually(lambda: mounts.is_mounted(place))
    mounts.Volume(place).write(4096, b"t" * 4096)
    daemon.send_signal(signal.SIGXCPU)
    words = daemon.communicate(timeout=programs.TIME_LIMIT_SECONDS)[1]
    assert daemon.returncode == 4 and "limit on processor time" in words
    assert not mounts.is_mounted(place)
    assert image.read_bytes()[4096:8192] == b"t" * 4096


# ---- exceptions


def test_no_memory_is_exit_status_3(work):
    def little_memory():
        resource.setrlimit(resource.RLIMIT_AS, (160 << 20, 160 << 20))

    (work / "target").write_bytes(bytes(1 << 16))
    programs.volt("create", "x.hc", "--size", "1M", "--quick", "--prf", "argon2id", "--pim", "31",
                  "--password-command", "echo x", status=3, limits=little_memory)
