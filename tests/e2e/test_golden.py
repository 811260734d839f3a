"""Containers that released versions made, opened by this one. They need neither a mount nor root."""
import csv
import hashlib
import tarfile

import pytest

from support import programs

GOLDEN = programs.SOURCE_ROOT / "tests/golden"


def rows():
    for table in sorted(GOLDEN.glob("*.tsv")):
        with table.open(newline="", encoding="utf-8") as lines:
            for row in csv.DictReader(lines, delimiter="\t"):
                hidden = "-hidden" if "--hidden" in row["opened_with"].split() else ""
                name = f"{table.stem}-{row['file'].removesuffix('.hc')}{hidden}"
                yield pytest.param(table.with_suffix("").name, row, id=name)


def prf_option(made_with):
    """The PRF alone, so that opening tries one derivation; cipher and format are found out."""
    words = made_with.split()
    return words[words.index("--prf"):][:2]


@pytest.mark.parametrize("version, row", rows())
def test_a_container_of_an_earlier_release_opens(work, version, row):
    with tarfile.open(GOLDEN / f"{version}.tar.xz") as archive:
        for name in {row["file"], "keyfile"}:
            (work / name).write_bytes(archive.extractfile(name).read())
    (work / "password").write_text(row["password"], encoding="utf-8")
    pim = ["--pim", row["pim"]] if row["pim"] else []
    programs.volt("dump", row["file"], "plain", "--password-file", "password", *pim,
                  *prf_option(row["made_with"]), *row["opened_with"].split())
    head = (work / "plain").read_bytes()[:8192]
    assert hashlib.sha256(head).hexdigest() == row["sha256_of_8192"]


def test_there_are_golden_containers():
    assert len(list(rows())) >= 20
