#!/usr/bin/env python3
"""Adds up JUnit files: which tests ran, what was skipped and why, and the closing line.

usage: summary.py FOLDER BROKEN
FOLDER holds PASS.xml files as meson writes them; BROKEN is the number of passes that could not be
built or run, each counted as one failure. Exit status 0 only if nothing failed and something ran.
"""
import collections
import pathlib
import sys
import xml.etree.ElementTree as ElementTree


def outcome(case):
    if case.find("failure") is not None or case.find("error") is not None:
        return "failed"
    if case.find("skipped") is not None or case.get("status") == "notrun":
        return "skipped"
    return "passed"


def main():
    folder, broken = pathlib.Path(sys.argv[1]), int(sys.argv[2])
    total = collections.Counter(failed=broken)
    for path in sorted(folder.glob("*.xml")):
        for suite in ElementTree.parse(path).getroot().iter("testsuite"):
            name = suite.get("name", "?").split(".")[-1]
            counts = collections.Counter()
            notes = []
            for case in suite.iter("testcase"):
                result = outcome(case)
                counts[result] += 1
                if result != "passed":
                    notes.append(f"    {result}: {case.get('name')}")
            total += counts
            print(f"{path.stem}: {name}: " + ", ".join(f"{n} {k}" for k, n in counts.items()))
            print("\n".join(notes[:20]), end="\n" if notes else "")
    ran = total["passed"] + total["failed"]
    print(f"{total['passed']} passed, {total['failed']} failed, {total['skipped']} skipped")
    return 0 if ran > 0 and total["failed"] == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
