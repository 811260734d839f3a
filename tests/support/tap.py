"""Prints what pytest ran in the Test Anything Protocol, so that meson reports each test by its name.

usage: pytest --tap -p no:terminal FILE...
"""
import os
import sys


class TapReporter:
    """One line a test: "ok N - NAME", with the reason where it was skipped. What a failure printed
    follows as a comment."""

    def __init__(self, stream):
        self._stream = stream
        self._count = 0

    def _line(self, text):
        print(text, file=self._stream, flush=True)

    def _result(self, word, name, directive=""):
        self._count += 1
        # A '#' would begin a directive.
        self._line(f"{word} {self._count} - {name.replace('#', ' ')}{directive}")

    def _comment(self, text):
        for line in text.splitlines():
            self._line(f"# {line}")

    def pytest_runtest_logreport(self, report):
        name = report.nodeid.split("::", 1)[-1]
        if report.failed:
            suffix = "" if report.when == "call" else f" ({report.when})"
            self._result("not ok", name + suffix)
            self._comment(report.longreprtext)
            for title, content in report.sections:
                self._comment(f"{title}:\n{content}")
        elif report.skipped:
            reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else ""
            self._result("ok", name, f" # SKIP {reason.removeprefix('Skipped: ')}")
        elif report.when == "call":
            self._result("ok", name)

    def pytest_collectreport(self, report):
        if report.failed:
            self._result("not ok", f"{report.nodeid} cannot be loaded")
            self._comment(report.longreprtext)
        elif report.skipped:
            reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else ""
            self._result("ok", report.nodeid, f" # SKIP {reason.removeprefix('Skipped: ')}")

    def pytest_sessionfinish(self):
        self._line(f"1..{self._count}")


def pytest_addoption(parser):
    parser.addoption("--tap", action="store_true", help="print the Test Anything Protocol")


def pytest_configure(config):
    if config.getoption("--tap"):
        # A copy of standard output, since pytest puts its own in the way of what tests print.
        stream = os.fdopen(os.dup(sys.__stdout__.fileno()), "w")
        config.pluginmanager.register(TapReporter(stream), "tap-reporter")
