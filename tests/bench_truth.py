#!/usr/bin/env python3
"""Whether `voltest compare` tells the truth: the same target twice, and one that is 10 % slower.

usage: bench_truth.py VOLTEST VOLT FOLDER [--trials N] [--first SEED] [--runtime S]
                      [--mode same|slower] [--log FILE]

same    compares one plain mount with itself; at most 10 % of all rows may report a difference.
slower  compares a modelled disk with itself 26.2 % further in, where its media are 10 % slower
        (blockdev/disk_profile.h); "slower" must be found in at least nine of ten sequential reads.
Exit status 1 where it is not so. With --log the rows are kept in a file (JSON lines) and those that
it holds already count as well, so that twenty trials can be run a few at a time.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

SIZE = 256 << 20  # more than the modelled disk caches


class Mounts:
    """Opens containers below a folder; closes them and removes everything at the end."""

    def __init__(self, volt, parent):
        self.volt = volt
        self.folder = tempfile.TemporaryDirectory(dir=parent)
        self.open_ones = []

    def open(self, name, model=""):
        image = os.path.join(self.folder.name, name + ".img")
        with open(image, "wb") as file:
            for _ in range(SIZE >> 20):
                file.write(os.urandom(1 << 20))
        mount = os.path.join(self.folder.name, name)
        os.mkdir(mount)
        subprocess.run([self.volt, "open", "--testing", "--plain", model + image,
                        mount], check=True)
        self.open_ones.append(mount)
        return mount

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for mount in self.open_ones:
            subprocess.run([self.volt, "close", mount], check=False)
        self.folder.cleanup()


def compare(arguments, baseline, target, extra, seed, size):
    command = [arguments.voltest, "compare", "--baseline", baseline, target, "--prepared",
               "--runtime", str(arguments.runtime), "--loops", "5", "--size", size, "--seed",
               str(seed), "--json", "-"] + extra
    out = subprocess.run(command, check=True, stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL).stdout
    return json.loads(out)["comparisons"]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("voltest")
    parser.add_argument("volt")
    parser.add_argument("folder")
    parser.add_argument("--trials", type=int, default=20)
    parser.add_argument("--first", type=int, default=1, help="seed of the first trial")
    parser.add_argument("--runtime", default="0.1")
    parser.add_argument("--log")
    parser.add_argument("--mode", choices=["same", "slower"], default="same")
    arguments = parser.parse_args()
    same = arguments.mode == "same"
    rows = []
    if arguments.log and os.path.exists(arguments.log):
        with open(arguments.log, encoding="utf-8") as file:
            rows = [json.loads(line) for line in file]
    with Mounts(arguments.volt, arguments.folder) as mounts:
        if same:
            pair, size = [mounts.open("one")] * 2, "64M"
            extra = ["--destructive"]
        else:
            pair = [mounts.open("outer", "model:hdd-5400@0:"),
                    mounts.open("inner", "model:hdd-5400@26.2:")]
            size = "256M"
            extra = ["--order", "seq", "--rw", "read", "--block-size", "1M", "--depth", "8"]
        for trial in range(arguments.trials):
            new = compare(arguments, *pair, extra, arguments.first + trial, size)
            rows += new
            if arguments.log:
                with open(arguments.log, "a", encoding="utf-8") as file:
                    file.writelines(json.dumps(row) + "\n" for row in new)
            print("trial %d: %d of %d rows report a difference" %
                  (trial + 1, sum(r["difference"] for r in rows), len(rows)), flush=True)
    if same:
        share = sum(r["difference"] for r in rows) / len(rows)
        print("same target twice: %.1f %% of %d rows report a difference" % (100 * share, len(rows)))
        return 0 if share <= 0.10 else 1
    found = sum(r["verdict"] == "slower" for r in rows)
    ratios = sorted(r["ratio"] for r in rows)
    print("10 %% slower: found in %d of %d, median ratio %.3f" %
          (found, len(rows), ratios[len(ratios) // 2]))
    return 0 if found >= 0.9 * len(rows) else 1


if __name__ == "__main__":
    sys.exit(main())
