#!/usr/bin/env python3
"""Pairs voltest with fio: the same engine, block size, depth, file and direct flag, interleaved.

usage: bench_vs_fio.py VOLTEST FOLDER [--size BYTES] [--runtime MS] [--rounds N] [--only REGEX]
                       [--json FILE]

Each round runs every test once with each program, in alternating order, on the same existing file.
Prints the medians and the median of the rounds' own ratios with its 95 % interval (order
statistics: no distribution is assumed). Exit status 1 where a ratio lies outside 5 %; a row whose
interval is wider than that is marked "wide": more rounds are needed to say more.

What must be alike for the figures to be comparable:
- voltest submits all free requests in one system call and takes what has completed. fio's default
  is a call for each request; --iodepth_batch_* makes it do the same.
- voltest's latency runs from before the submission to the completion. That is fio's lat, not its
  clat, which starts after the submitting call has returned (and so leaves out all the work where a
  request completes inside that call, as in tmpfs).
- voltest's buffers are in large pages. glibc's tunable gives them to fio: without it a block of
  1 MiB is up to 256 pieces of memory, and a disk that takes 254 gets two requests.
- fio would write into each 512 bytes of a block before it writes it (scramble_buffers); voltest
  writes into each 4096.
- voltest's clock runs on to the end of fdatasync, fio's stops before its end_fsync: what the flush
  took is taken off voltest's here.
- A virtual disk may have credit for bursts: both programs get the same pause before each run.
"""
import argparse
import json
import math
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time

TESTS = [("seq", "1M", 8), ("seq", "1M", 1), ("rand", "4K", 32), ("rand", "4K", 1)]
METRICS = ["mb_per_s", "iops", "p50", "p99"]
LIMIT = 0.05
LARGE_PAGE = 2 << 20


def run(command, **variables):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          env={**os.environ, **variables}).stdout


def voltest(path, order, block, depth, op, arguments, seed):
    out = run([arguments.voltest, order, path, "--destructive", "--block-size", block, "--depth",
               str(depth), "--threads", "1", "--rw", op, "--loops", "1", "--runtime",
               f"{arguments.runtime}ms", "--size", str(arguments.size), "--engine", "io_uring",
               "--seed", str(seed), "--prepared", "--json", "-"])
    row = json.loads(out)["results"][0]["runs"][0]
    seconds = (row["elapsed_ns"] - row["flush_ns"]) / 1e9
    return {"mb_per_s": row["bytes"] / 1e6 / seconds, "iops": row["requests"] / seconds,
            "p50": row["latency_ns"]["p50"], "p99": row["latency_ns"]["p99"]}


def fio(path, order, block, depth, op, arguments, seed):
    name = {"seq": "", "rand": "rand"}[order] + op
    out = run(["fio", "--name=x", "--output-format=json", "--ioengine=io_uring", "--fixedbufs=1",
               "--registerfiles=1", "--direct=1", f"--filename={path}", f"--size={arguments.size}",
               f"--bs={block}", f"--iodepth={depth}", f"--iodepth_batch_submit={depth}",
               "--iodepth_batch_complete_min=1", f"--iodepth_batch_complete_max={depth}",
               f"--rw={name}", "--time_based=1", f"--runtime={arguments.runtime}ms",
               "--end_fsync=1" if op == "write" else "--end_fsync=0", "--refill_buffers=0", "--scramble_buffers=0",
               "--randrepeat=1", f"--randseed={seed}", "--thread=1", "--clat_percentiles=0",
               "--lat_percentiles=1", "--percentile_list=50:99",
               f"--iomem_align={LARGE_PAGE}"], GLIBC_TUNABLES="glibc.malloc.hugetlb=1")
    row = json.loads(out)["jobs"][0][op]
    latency = row["lat_ns"]["percentile"]
    return {"mb_per_s": row["bw_bytes"] / 1e6, "iops": row["iops"],
            "p50": latency["50.000000"], "p99": latency["99.000000"]}


def median_interval(values):
    """The narrowest pair of order statistics that holds the median in 95 % of samples."""
    ordered, count = sorted(values), len(values)
    outside, rank = 0.0, 0
    while rank < count // 2:
        outside += 2 * math.comb(count, rank) / 2 ** count
        if outside > 0.05:
            break
        rank += 1
    rank = max(rank - 1, 0)
    return ordered[rank], ordered[count - 1 - rank]


def paired(ours, theirs):
    ratios = [a / b for a, b in zip(ours, theirs)]
    low, high = median_interval(ratios)
    return {"voltest": statistics.median(ours), "fio": statistics.median(theirs),
            "ratio": statistics.median(ratios), "interval": [low, high]}


def compare_row(arguments, path, order, block, depth, op):
    figures = {voltest: [], fio: []}
    for number in range(arguments.rounds):
        for call in [voltest, fio] if number % 2 == 0 else [fio, voltest]:
            time.sleep(arguments.pause)
            figures[call].append(call(path, order, block, depth, op, arguments, number + 1))
    row = {"test": f"{order}{block.lower()}-q{depth}t1", "op": op}
    for metric in METRICS:
        row[metric] = paired([f[metric] for f in figures[voltest]],
                             [f[metric] for f in figures[fio]])
    print("%-13s %-5s " % (row["test"], op) + "  ".join(
        "%s %.4g / %.4g = %.3f (%.3f .. %.3f)" %
        (m, row[m]["voltest"], row[m]["fio"], row[m]["ratio"], *row[m]["interval"])
        for m in METRICS), flush=True)
    return row


def judge(rows):
    """Prints what is outside or wide; returns whether any ratio lies outside."""
    outside = False
    for row in rows:
        for metric in METRICS:
            low, high = row[metric]["interval"]
            name = "%s %s %s" % (row["test"], row["op"], metric)
            if abs(row[metric]["ratio"] - 1) > LIMIT:
                outside = True
                print("outside 5 %%: %s %.3f" % (name, row[metric]["ratio"]))
            elif low < 1 - LIMIT or high > 1 + LIMIT:
                print("wide: %s %.3f .. %.3f" % (name, low, high))
    return outside


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("voltest")
    parser.add_argument("folder")
    parser.add_argument("--size", type=int, default=256 << 20)
    parser.add_argument("--runtime", type=int, default=1000, help="of one run, in milliseconds")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--pause", type=float, default=0, help="seconds before each run")
    parser.add_argument("--only", default="", help="of rows like 'rand4k-q32 read'")
    parser.add_argument("--json")
    arguments = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
        path = os.path.join(folder, "file")
        with open(path, "wb") as file:
            for _ in range(arguments.size >> 20):
                file.write(os.urandom(1 << 20))
            file.flush()
            os.fsync(file.fileno())
        for order, block, depth in TESTS:
            for op in ("read", "write"):
                if re.search(arguments.only, f"{order}{block.lower()}-q{depth} {op}"):
                    rows.append(compare_row(arguments, path, order, block, depth, op))
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=2)
    return 1 if judge(rows) else 0


if __name__ == "__main__":
    sys.exit(main())
