#!/usr/bin/env python3
"""Pairs voltest with fio: the same engine, block size, depth, file and direct flag, interleaved.

usage: bench_vs_fio.py VOLTEST FOLDER [--size BYTES] [--runtime S] [--rounds N] [--only REGEX] [--json FILE]

Each round runs every test once with each program, in alternating order, on the same existing file.
Prints medians and their ratios; exit status 1 where one lies outside 5 % (and outside the spread of
fio's own rounds).
"""
import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile

TESTS = [("seq", "1M", 8), ("seq", "1M", 1), ("rand", "4K", 32), ("rand", "4K", 1)]
METRICS = ["mb_per_s", "iops", "p50", "p99"]
LIMIT = 0.05


def run(command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL).stdout


def voltest(program, path, order, block, depth, op, arguments, seed):
    out = run([program, order, path, "--destructive", "--block-size", block, "--depth", str(depth),
               "--threads", "1", "--rw", op, "--loops", "1", "--runtime", str(arguments.runtime),
               "--size", str(arguments.size), "--engine", "io_uring", "--seed", str(seed),
               "--prepared", "--json", "-"])
    row = json.loads(out)["results"][0]
    return {"mb_per_s": row["mb_per_s"], "iops": row["iops"],
            "p50": row["latency_ns"]["p50"], "p99": row["latency_ns"]["p99"]}


def fio(path, order, block, depth, op, arguments, seed):
    name = {"seq": "", "rand": "rand"}[order] + op
    out = run(["fio", "--name=x", "--output-format=json", "--ioengine=io_uring", "--fixedbufs=1",
               "--registerfiles=1", "--direct=1", f"--filename={path}", f"--size={arguments.size}",
               f"--bs={block}", f"--iodepth={depth}", f"--rw={name}", "--time_based=1",
               f"--runtime={arguments.runtime}", "--end_fsync=1" if op == "write" else "--end_fsync=0",
               "--refill_buffers=0", "--randrepeat=1", f"--randseed={seed}", "--thread=1",
               "--percentile_list=50:99"])
    row = json.loads(out)["jobs"][0][op]
    latency = row["clat_ns"]["percentile"]
    return {"mb_per_s": row["bw_bytes"] / 1e6, "iops": row["iops"],
            "p50": latency["50.000000"], "p99": latency["99.000000"]}


def compare(arguments, path):
    rows = []
    for order, block, depth in TESTS:
        for op in ("read", "write"):
            if not re.search(arguments.only, f"{order}{block.lower()}-q{depth} {op}"):
                continue
            figures = {"voltest": [], "fio": []}
            for number in range(arguments.rounds):
                programs = ["voltest", "fio"] if number % 2 == 0 else ["fio", "voltest"]
                for program in programs:
                    call = voltest if program == "voltest" else fio
                    first = [arguments.voltest] if program == "voltest" else []
                    figures[program].append(
                        call(*first, path, order, block, depth, op, arguments, number + 1))
            row = {"test": f"{order}{block.lower()}-q{depth}t1", "op": op}
            for metric in METRICS:
                ours = statistics.median(f[metric] for f in figures["voltest"])
                theirs = [f[metric] for f in figures["fio"]]
                row[metric] = {"voltest": ours, "fio": statistics.median(theirs),
                               "ratio": ours / statistics.median(theirs),
                               "fio_spread": [min(theirs), max(theirs)]}
            rows.append(row)
            print("%-13s %-5s " % (row["test"], op) + "  ".join(
                "%s %.4g / %.4g = %.3f" % (m, row[m]["voltest"], row[m]["fio"], row[m]["ratio"])
                for m in METRICS), flush=True)
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("voltest")
    parser.add_argument("folder")
    parser.add_argument("--size", type=int, default=256 << 20)
    parser.add_argument("--runtime", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", default="", help="of rows like 'rand4k-q32 read'")
    parser.add_argument("--json")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
        path = os.path.join(folder, "file")
        with open(path, "wb") as file:
            for _ in range(arguments.size >> 20):
                file.write(os.urandom(1 << 20))
            file.flush()
            os.fsync(file.fileno())
        rows = compare(arguments, path)
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=2)
    outside = []
    for row in rows:
        for metric in METRICS:
            figures = row[metric]
            inside_spread = figures["fio_spread"][0] <= figures["voltest"] <= figures["fio_spread"][1]
            if abs(figures["ratio"] - 1) > LIMIT and not inside_spread:
                outside.append("%s %s %s %.3f" % (row["test"], row["op"], metric, figures["ratio"]))
    for line in outside:
        print("outside 5 %% and outside fio's own spread: %s" % line)
    return 1 if outside else 0


if __name__ == "__main__":
    sys.exit(main())
