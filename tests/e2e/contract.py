#!/usr/bin/env python3
"""Whether JSON results keep to their contract: names and types of fields, and sums that must agree.

usage: contract.py FILE...

The kind of each file is told by its "schema". A type is one of int, num, str, bool; a list of one
type; an object of fields; or a tuple of alternatives, None among them for null. Fields that are not
named here are allowed, save where they would be read as something else.
"""
import json
import sys

INT, NUM, STR, BOOL = "int", "num", "str", "bool"
LATENCY = {"p50": INT, "p90": INT, "p99": INT, "p999": INT, "p9999": INT, "max": INT}
HOST = {"time": STR, "voltest_version": STR, "cpu": STR, "cpu_features": STR, "cores": INT,
        "virtual_machine": BOOL, "kernel": STR, "governor": STR, "memory_bytes": INT}
STORAGE = {"file_system": STR, "mount_point": STR, "mount_options": STR, "device": STR,
           "device_model": STR, "rotational": (BOOL, None)}
TARGET = {"path": STR, "kind": STR, "io_path": STR, "size_bytes": INT, "range_offset": INT,
          "range_bytes": INT, "direct": BOOL, "direct_state": STR, "writable": BOOL,
          "storage": STORAGE, "notes": [STR]}
VOLTD_TARGET = {"cipher": (STR, None), "kernel": (STR, None), "plain": BOOL, "container": STR,
                "container_direct": BOOL, "backing": STORAGE}
RUN = {"bytes": INT, "elapsed_ns": INT, "mb_per_s": NUM, "iops": NUM, "requests": INT,
       "read_bytes": INT, "flush_ns": INT, "latency_ns": LATENCY, "cpu_ns": INT,
       "daemon_cpu_ns": INT}
RESULT = {"test": STR, "op": STR, "target": STR, "target_index": INT, "block_bytes": INT,
          "depth": INT, "threads": INT, "bytes": INT, "requests": INT, "elapsed_ns": INT,
          "mb_per_s": NUM, "iops": NUM, "latency_ns": LATENCY, "cpu_ns": INT,
          "daemon_cpu_ns": INT,
          "spread_mb_per_s": {"median": NUM, "min": NUM, "max": NUM, "mad": NUM}, "runs": [RUN]}
SETTINGS = {"size_bytes": INT, "runtime_ns": INT, "loops": INT, "seed": INT, "engine": STR,
            "direct_asked": BOOL, "destructive": BOOL, "read_only": BOOL, "latency_error": NUM}
COMPARISON = {"test": STR, "op": STR, "baseline": STR, "target": STR, "target_index": INT,
              "rounds": INT, "baseline_mb_per_s": NUM, "target_mb_per_s": NUM,
              "ratio": (NUM, None), "interval_95": ([NUM], None), "difference": BOOL,
              "verdict": STR, "cause": (STR, None)}
IO = {"requests": INT, "bytes": INT, "errors": INT,
      "latency_ns": {"p50": INT, "p90": INT, "p99": INT, "p999": INT, "max": INT}}
STATUS = {"schema": STR, "version": STR, "pid": INT, "container": STR, "mount_point": STR,
          "format": STR, "cipher": (STR, None), "kernel": (STR, None), "mode": (STR, None),
          "prf": (STR, None), "pim": INT, "hidden": BOOL, "plain": BOOL, "size_bytes": INT,
          "data_offset_bytes": INT, "sector_bytes": INT, "read_only": BOOL, "direct_io": BOOL,
          "threads": INT, "uptime_ns": INT, "cpu_ns": INT,
          "io": {"read": IO, "write": IO, "flush": IO, "discard": IO},
          "last_error": (STR, {}, None)}
SCHEMAS = {
    "voltest/1": {"command": STR, "interrupted": BOOL,
                  "host": {**HOST, "generator_mb_per_s": NUM, "memory_copy_mb_per_s": NUM},
                  "target": TARGET, "settings": SETTINGS, "results": [RESULT],
                  "left_out": [{"test": STR, "op": STR, "target": STR, "why": STR}],
                  "notes": [STR]},
    "voltest-cpu/1": {"interrupted": BOOL, "host": HOST, "results": [{
        "cipher": STR, "kernel": STR, "threads": INT, "buffer_bytes": INT,
        "encrypt_mb_per_s": NUM, "decrypt_mb_per_s": NUM, "mean_mb_per_s": NUM,
        "selected": BOOL, "hardware_aes": BOOL, "data_unit_bytes": INT}]},
    "voltest-kdf/1": {"interrupted": BOOL, "host": HOST, "results": [{
        "format": STR, "prf": STR, "pim": INT, "work": STR, "derive_ns": INT,
        "wrong_password_ns": INT}]},
    "voltest-verify/1": {"host": HOST, "target": TARGET, "run": STR, "seed": INT, "threads": INT,
                         "block_bytes": INT, "blocks": INT, "written_blocks": INT,
                         "checked_blocks": INT, "good_blocks": INT,
                         "found": {"stale": INT, "lost": INT, "misplaced": INT, "torn": INT,
                                   "corrupt": INT},
                         "interrupted": BOOL, "error": (STR, None),
                         "issues": [{"block": INT, "state": STR, "right_on_second_read": BOOL,
                                     "flushed": BOOL, "text": STR}]},
    "volt-info/1": {"file": STR, "container_bytes": INT, "format": STR, "cipher": STR,
                    "mode": STR, "prf": STR, "pim": INT, "iterations": INT, "kernel": STR,
                    "hidden": BOOL, "header_place": STR, "size_bytes": INT,
                    "data_offset_bytes": INT, "first_unit": INT, "sector_bytes": INT,
                    "header": {"version": INT, "flags": INT, "volume_bytes": INT}},
    "volt-list/1": {"volumes": [{"mount_point": STR, "container": STR, "state": STR,
                                 "loop_devices": [STR], "status": (STATUS, None)}]},
    "voltd/1": STATUS,
}


def is_int(value):
    return isinstance(value, int) and not isinstance(value, bool)


def matches(value, kind):
    try:
        check(value, kind, "")
    except AssertionError:
        return False
    return True


def check(value, kind, place):
    """Asserts that a value has a type; `place` is where it stands."""
    if kind is None:
        assert value is None, f"{place}: not null"
    elif isinstance(kind, tuple):
        assert any(matches(value, one) for one in kind), f"{place}: {value!r} is none of {kind}"
    elif isinstance(kind, list):
        assert isinstance(value, list), f"{place}: no list"
        for index, item in enumerate(value):
            check(item, kind[0], f"{place}[{index}]")
    elif isinstance(kind, dict):
        assert isinstance(value, dict), f"{place}: no object"
        for name, inner in kind.items():
            assert name in value, f"{place}.{name} is missing"
            check(value[name], inner, f"{place}.{name}")
    else:
        good = {INT: is_int(value) and value >= 0,
                NUM: (is_int(value) or isinstance(value, float)) and value >= 0,
                STR: isinstance(value, str), BOOL: isinstance(value, bool)}[kind]
        assert good, f"{place}: {value!r} is no {kind}"


def agree(one, other, place):
    assert abs(one - other) <= 1e-3 + 1e-5 * abs(other), f"{place}: {one} beside {other}"


def check_rates(row, place):
    """Rates are bytes and requests over time, and latencies are in order."""
    agree(row["mb_per_s"], row["bytes"] * 1e3 / row["elapsed_ns"], f"{place}.mb_per_s")
    agree(row["iops"], row["requests"] * 1e9 / row["elapsed_ns"], f"{place}.iops")
    latency = [row["latency_ns"][name] for name in LATENCY]
    assert latency == sorted(latency), f"{place}.latency_ns: {latency}"


def check_result(row, place):
    for index, run in enumerate(row["runs"]):
        check_rates(run, f"{place}.runs[{index}]")
        assert run["bytes"] == run["requests"] * row["block_bytes"], f"{place}.runs[{index}].bytes"
        expected = {"read": run["bytes"], "write": 0}.get(row["op"], run["read_bytes"])
        assert run["read_bytes"] == expected, f"{place}.runs[{index}].read_bytes"
        assert run["flush_ns"] <= run["elapsed_ns"], f"{place}.runs[{index}].flush_ns"
    check_rates(row, place)
    # The row is the median run, or the two middle ones together.
    order = sorted(row["runs"], key=lambda run: run["mb_per_s"])
    middle = order[(len(order) - 1) // 2:len(order) // 2 + 1]
    for name in ("bytes", "requests", "elapsed_ns", "cpu_ns", "daemon_cpu_ns"):
        total = sum(run[name] for run in middle)
        assert row[name] == total, f"{place}.{name}: {row[name]}, the middle runs have {total}"
    spread = row["spread_mb_per_s"]
    agree(spread["min"], order[0]["mb_per_s"], f"{place}.spread.min")
    agree(spread["max"], order[-1]["mb_per_s"], f"{place}.spread.max")


def check_document(document):
    schema = document["schema"]
    assert schema in SCHEMAS, f"unknown schema {schema}"
    check(document, SCHEMAS[schema], "")
    if schema == "voltest/1":
        for target in document.get("targets", [document["target"]]):
            check(target, TARGET, "targets")
            if target["kind"] == "voltd":
                check(target, VOLTD_TARGET, "targets")
        for index, row in enumerate(document["results"]):
            check_result(row, f"results[{index}]")
        check(document.get("comparisons", []), [COMPARISON], "comparisons")
    elif schema == "voltest-cpu/1":
        for row in document["results"]:
            mean = (row["encrypt_mb_per_s"] + row["decrypt_mb_per_s"]) / 2
            assert abs(row["mean_mb_per_s"] - mean) < 0.02, f"mean of {row}"
    elif schema == "voltest-verify/1":
        bad = document["checked_blocks"] - document["good_blocks"]
        assert sum(document["found"].values()) == bad, f"{document['found']} beside {bad}"


def main():
    for path in sys.argv[1:]:
        with open(path, encoding="utf-8") as file:
            document = json.load(file)
        try:
            check_document(document)
        except (AssertionError, KeyError) as error:
            sys.exit(f"{path}: {error}")


main()
