#!/usr/bin/env python3
"""What encryption costs on the way through FUSE: a minimal passthrough, voltd --plain and encrypted
volumes, measured by voltest in turns.

A file's place in memory (or on the disk) changes its rate by as much as encryption does. So each
round makes every target's file anew, in another order, and ratios are taken within rounds.

usage: tests/perf/bench_path.py BUILD [--dir DIR] [--targets A,B] [--rounds N] [--runtime S] [--size BYTES]
Targets: passthrough, plain, and cipher names. Rates are compared with plain's.
"""

import argparse
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

TESTS = {
    "seq1m-q8t1": ["seq", "--block-size", "1M", "--depth", "8"],
    "rand4k-q32t1": ["rand", "--block-size", "4K", "--depth", "32"],
    "rand4k-q1t1": ["rand", "--block-size", "4K", "--depth", "1"],
}


def run(*command, **options):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, **options).stdout


class Stand:
    """Containers and mount points in a folder of their own."""

    def __init__(self, build, folder, size):
        self.build = pathlib.Path(build).resolve()
        self.folder = pathlib.Path(folder)
        self.size = size
        self.password = self.folder / "password"
        self.password.write_text("bench path")

    def make_file(self, target):
        file = self.folder / f"{target}.file"
        file.unlink(missing_ok=True)
        with open(file, "wb") as out:
            block = os.urandom(1 << 20)
            for _ in range((self.size >> 20) + 1):
                out.write(block)
            out.flush()
            os.fsync(out.fileno())
        if target not in ("passthrough", "plain"):
            # TrueCrypt's iteration count: nothing but the time to open depends on it.
            run(self.build / "tools/volt", "create", file.with_suffix(".new"), "--size",
                str(self.size), "--quick", "--format", "truecrypt", "--cipher", target,
                "--password-file", self.password)
            with open(file.with_suffix(".new"), "rb") as header, open(file, "r+b") as out:
                out.write(header.read(131072))
            file.with_suffix(".new").unlink()
        return file

    def start(self, target, file):
        mount = self.folder / f"{target}.mount"
        mount.mkdir(exist_ok=True)
        if target == "passthrough":
            # A session of its own, as a daemon has: the scheduler shares the cores by session.
            process = subprocess.Popen([self.build / "tests/minimal_passthrough", file, mount],
                                       start_new_session=True)
            while not (mount / "volume").exists():
                if process.poll() is not None:
                    sys.exit("bench_path: the passthrough does not start")
                time.sleep(0.01)
            return mount
        how = ["--plain"] if target == "plain" else [
            "--password-file", self.password, "--format", "truecrypt", "--prf", "sha512"]
        run(self.build / "daemon/voltd", file, mount, *how)
        return mount

    def stop(self, target, mount):
        if target == "passthrough":
            run("fusermount3", "-u", mount)
        else:
            run(self.build / "tools/volt", "close", mount)

    def measure(self, mount, test, op, runtime):
        result = self.folder / "result.json"
        order, *shape = TESTS[test]
        run(self.build / "tools/voltest", order, mount / "volume", *shape, "--rw", op,
            "--loops", "1", "--runtime", str(runtime), "--size", str(self.size - (1 << 20)),
            "--prepared", "--destructive", "--json", result, stderr=subprocess.DEVNULL)
        row = json.loads(result.read_text())["results"][0]
        return row["mb_per_s"], row["iops"]


def main():
    options = argparse.ArgumentParser()
    options.add_argument("build")
    options.add_argument("--dir", default="/dev/shm")
    options.add_argument("--targets", default="passthrough,plain,aes")
    options.add_argument("--tests", default=",".join(TESTS))
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--runtime", type=float, default=0.4)
    options.add_argument("--size", type=int, default=512 << 20)
    options = options.parse_args()
    targets = options.targets.split(",")
    rows = [(test, op) for test in options.tests.split(",") for op in ("read", "write")]
    rates = {(target, row): [] for target in targets for row in rows}

    folder = tempfile.mkdtemp(prefix="volt-path.", dir=options.dir)
    mounts = {}
    try:
        stand = Stand(options.build, folder, options.size)
        for turn in range(options.rounds):
            order = targets[turn % len(targets):] + targets[:turn % len(targets)]
            for target in order:
                mounts[target] = stand.start(target, stand.make_file(target))
            for row in rows:
                for target in order:
                    rates[target, row].append(stand.measure(mounts[target], *row, options.runtime))
                order.reverse()
            while mounts:
                stand.stop(*mounts.popitem())
            print(f"round {turn + 1} of {options.rounds}", file=sys.stderr)
    finally:
        for target, mount in mounts.items():
            stand.stop(target, mount)
        shutil.rmtree(folder)

    print(f"{'test':13} {'op':6} {'target':22} {'MB/s':>7} {'IOPS':>8} {'of plain':>8}  each round")
    for row in rows:
        for target in targets:
            values = rates[target, row]
            ratios = [a[0] / b[0] for a, b in zip(values, rates.get(("plain", row), values))]
            print(f"{row[0]:13} {row[1]:6} {target:22} "
                  f"{statistics.median(v[0] for v in values):7.0f} "
                  f"{statistics.median(v[1] for v in values):8.0f} "
                  f"{statistics.median(ratios):8.3f}  "
                  + " ".join(f"{ratio:.2f}" for ratio in ratios))


main()
