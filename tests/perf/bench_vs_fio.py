#!/usr/bin/env python3
"""Pairs voltest with fio: the same engine, block size, depth, file and direct flag, interleaved.

usage: bench_vs_fio.py VOLTEST FOLDER [--size BYTES] [--runtime MS] [--rounds N] [--only REGEX]
                       [--log FILE] [--control]

Each round runs every test once with each program, in alternating order, on the same existing file.
Prints the medians and the median of the rounds' own ratios with its 95 % interval (order
statistics: no distribution is assumed). Many short rounds say more than a few long ones: what
disturbs lasts for seconds. Exit status 1 where a ratio lies outside 5 %; a row whose interval is
wider than that is marked "wide": more rounds are needed to say more. With --log the runs are kept
in a file (JSON lines) and those that it holds already count as well, so that the rounds can be run
a few at a time. --control puts fio beside itself: what this machine lets the method see.

What must be alike for the figures to be comparable:
- voltest submits the free requests eight in a system call and takes what has completed. fio's
  default is a call for each request; --iodepth_batch_* makes it submit all that are free.
- voltest's latency runs from before the submission to the completion. That is fio's lat, not its
  clat, which starts after the submitting call has returned (and so leaves out all the work where a
  request completes inside that call, as in tmpfs).
- voltest's buffers are in large pages. glibc's tunable gives them to fio, where an aligned one lies
  wholly in what it allocates, which the great alignment sees to: without it a block of 1 MiB is up
  to 256 pieces of memory, and a disk that takes 254 gets two requests.
- fio would write into each 512 bytes of a block before it writes it (scramble_buffers); voltest
  writes into each 4096.
- voltest's clock runs on to the end of fdatasync, which its flush_ns tells: it is taken off here.
  fio's end_fsync is in its runtime at depth 1, but with batches it is mostly left out, without a
  word: it is not used. The script flushes the file after each run, so that each begins alike.
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
ALIGNMENT = 64 << 20


def run(command, **variables):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          env={**os.environ, **variables}).stdout


def flush(path):
    descriptor = os.open(path, os.O_RDONLY)
    os.fsync(descriptor)
    os.close(descriptor)


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
               "--end_fsync=0", "--refill_buffers=0", "--scramble_buffers=0",
               "--randrepeat=1", f"--randseed={seed}", "--thread=1", "--clat_percentiles=0",
               "--lat_percentiles=1", "--percentile_list=50:99",
               f"--iomem_align={ALIGNMENT}"], GLIBC_TUNABLES="glibc.malloc.hugetlb=1")
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


def rows_of(only):
    """The tests chosen, as (name, order, block, depth, op)."""
    for order, block, depth in TESTS:
        for op in ("read", "write"):
            name = f"{order}{block.lower()}-q{depth} {op}"
            if re.search(only, name):
                yield name, order, block, depth, op


def run_pair(arguments, path, test, number):
    """Figures of voltest and of fio; of fio twice in a control."""
    _, order, block, depth, op = test
    calls = [fio if arguments.control else voltest, fio]
    figures = [None, None]
    for which in (0, 1) if number % 2 == 0 else (1, 0):
        time.sleep(arguments.pause)
        figures[which] = calls[which](path, order, block, depth, op, arguments, number + 1)
        flush(path)
    return figures


def load(log):
    """Pairs of figures by the test's name."""
    pairs = {}
    if log and os.path.exists(log):
        with open(log, encoding="utf-8") as file:
            for line in file:
                entry = json.loads(line)
                pairs.setdefault(entry["test"], []).append(entry["pair"])
    return pairs


def run_rounds(arguments, path, pairs):
    for _ in range(arguments.rounds):
        for test in rows_of(arguments.only):
            known = pairs.setdefault(test[0], [])
            pair = run_pair(arguments, path, test, len(known))
            known.append(pair)
            if arguments.log:
                with open(arguments.log, "a", encoding="utf-8") as file:
                    file.write(json.dumps({"test": test[0], "pair": pair}) + "\n")


def summarise(pairs):
    rows = []
    for name, *_ in rows_of(""):
        if name not in pairs:
            continue
        row = {"test": name, "rounds": len(pairs[name])}
        for metric in METRICS:
            row[metric] = paired([ours[metric] for ours, _ in pairs[name]],
                                 [theirs[metric] for _, theirs in pairs[name]])
        rows.append(row)
        print("%-18s %3d  " % (name, row["rounds"]) + "  ".join(
            "%s %.4g / %.4g = %.3f (%.2f .. %.2f)" %
            (m, row[m]["voltest"], row[m]["fio"], row[m]["ratio"], *row[m]["interval"])
            for m in METRICS))
    return rows


def judge(rows):
    """Prints what is outside or wide; returns whether any ratio lies outside."""
    outside = False
    for row in rows:
        for metric in METRICS:
            low, high = row[metric]["interval"]
            name = "%s %s" % (row["test"], metric)
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
    parser.add_argument("--runtime", type=int, default=400, help="of one run, in milliseconds")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--pause", type=float, default=0.5, help="seconds before each run")
    parser.add_argument("--only", default="", help="of rows like 'rand4k-q32 read'")
    parser.add_argument("--log")
    parser.add_argument("--control", action="store_true", help="fio beside itself")
    arguments = parser.parse_args()
    pairs = load(arguments.log)
    with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
        path = os.path.join(folder, "file")
        with open(path, "wb") as file:
            for _ in range(arguments.size >> 20):
                file.write(os.urandom(1 << 20))
            file.flush()
            os.fsync(file.fileno())
        run_rounds(arguments, path, pairs)
    return 1 if judge(summarise(pairs)) else 0


if __name__ == "__main__":
    sys.exit(main())
