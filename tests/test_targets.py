#!/usr/bin/env python3
"""Prints what must be built to run the named suites, one ninja target a line.

usage: test_targets.py BUILD_FOLDER SUITE...
"""
import json
import os
import subprocess
import sys


def introspect(build, what):
    return json.loads(subprocess.run(["meson", "introspect", what, build], check=True,
                                     capture_output=True, text=True).stdout)


def main():
    build, suites = sys.argv[1], set(sys.argv[2:])
    files = {target["id"]: target["filename"] for target in introspect(build, "--targets")}
    wanted = set()
    for test in introspect(build, "--tests"):
        if suites & {suite.split(":")[-1] for suite in test["suite"]}:
            for target in test["depends"]:
                wanted.update(os.path.relpath(name, build) for name in files[target])
    print("\n".join(sorted(wanted)))


if __name__ == "__main__":
    main()
