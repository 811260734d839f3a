"""Runs voltd, volt and voltest for tests, and checks what every run of them must keep to."""
import os
import pathlib
import shutil
import signal
import subprocess

SOURCE_ROOT = pathlib.Path(os.environ.get("VOLT_SOURCE_ROOT",
                                          pathlib.Path(__file__).resolve().parents[2]))
# The password of test volumes: it must never be seen in what a program prints.
PASSWORD = "secret-word"
TIME_LIMIT_SECONDS = 120


def _program(variable, built):
    return os.environ.get(variable, str(SOURCE_ROOT / "build" / built))


VOLT = _program("VOLT", "tools/volt")
VOLTD = _program("VOLTD", "daemon/voltd")
VOLTEST = _program("VOLTEST", "tools/voltest")
FAULTY_FOLDER = _program("VOLT_FAULTY", "tests/faulty_folder")


def test_data():
    """The folder of published data beside the source tree, or None."""
    folder = pathlib.Path(os.environ.get("VOLT_TEST_DATA", SOURCE_ROOT.parent / "shared"))
    return folder if folder.is_dir() else None


class Run:
    """What a finished command left: `status`, `out` and `err` as text."""

    def __init__(self, command, status, out, err):
        self.command, self.status = command, status
        self.out, self.err = out, err

    def __repr__(self):
        return (f"{' '.join(map(str, self.command))}\nexit status {self.status}\n"
                f"-- out\n{self.out}-- err\n{self.err}")


def run(program, *arguments, status=0, words=(), stdin=None, user=None, limits=None,
        environment=None, timeout=TIME_LIMIT_SECONDS):
    """Runs a program without a terminal and checks its exit status, and that standard error holds
    each of `words` (a string or several) and never the tests' password.

    status: the exit status that is right; None: any. stdin: text for standard input; None: empty.
    user: a user's name to run as (needs root). limits: a function called in the child before exec.
    """
    command = [program, *map(str, arguments)]
    if user is not None:
        command = ["setpriv", "--reuid", user, "--regid", "nogroup", "--clear-groups", *command]
    settings = {"VOLT_VOLTD": VOLTD, **os.environ, **(environment or {})}
    done = subprocess.run(command, input=(stdin or "").encode(), capture_output=True,
                          timeout=timeout, start_new_session=True, preexec_fn=limits, env=settings,
                          check=False)
    result = Run(command, done.returncode, done.stdout.decode(errors="replace"),
                 done.stderr.decode(errors="replace"))
    if status is not None:
        assert result.status == status, f"exit status is not {status}: {result!r}"
    for word in [words] if isinstance(words, str) else words:
        assert word in result.err, f"standard error does not say {word!r}: {result!r}"
    assert PASSWORD not in result.out + result.err, f"a password was printed: {result!r}"
    return result


def volt(*arguments, **options):
    return run(VOLT, *arguments, **options)


def voltd(*arguments, **options):
    return run(VOLTD, *arguments, **options)


def voltest(*arguments, **options):
    return run(VOLTEST, *arguments, **options)


def has(*programs):
    """Whether all of these programs are installed (also where only root looks for them)."""
    path = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
    return all(shutil.which(program, path=path) for program in programs)


def is_gone(pid):
    """Whether a process has ended; one that nobody has waited for yet counts as ended."""
    try:
        state = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return True
    return state in "ZX"


def end_process(pid):
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
