#!/usr/bin/env python3
"""Makes the golden containers of a release: one of each kind, for every later version to open.

usage: make_golden.py VOLT_PROGRAM VERSION      writes VERSION.tar.xz and VERSION.tsv beside this file

Run once a release, by hand, and never again for that version: what matters is that an older program
made them. Noise in unused places is replaced by zeros, so that the files stay small.
"""
import csv
import hashlib
import io
import pathlib
import subprocess
import sys
import tarfile
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
GROUP_BYTES = 131072
SIZE_BYTES = 2 * GROUP_BYTES + 36864
DATA_BYTES = 8192  # of known text at the beginning of the volume
HEADER_PLACES = (0, 65536, -GROUP_BYTES, -65536)
PASSWORD = "golden pässword"
HIDDEN_PASSWORD = "hidden golden"

# name, options of create, options of opening
KINDS = [
    ("sha512", "--prf sha512", ""),
    ("sha256-serpent", "--prf sha256 --cipher serpent", ""),
    ("blake2s-twofish", "--prf blake2s --cipher twofish", ""),
    ("whirlpool-camellia", "--prf whirlpool --cipher camellia", ""),
    ("streebog-kuznyechik", "--prf streebog --cipher kuznyechik", ""),
    ("argon2id", "--prf argon2id", ""),
    ("aes-twofish", "--prf sha512 --cipher aes-twofish", ""),
    ("aes-twofish-serpent", "--prf sha512 --cipher aes-twofish-serpent", ""),
    ("serpent-aes", "--prf sha512 --cipher serpent-aes", ""),
    ("serpent-twofish-aes", "--prf sha512 --cipher serpent-twofish-aes", ""),
    ("twofish-serpent", "--prf sha512 --cipher twofish-serpent", ""),
    ("camellia-kuznyechik", "--prf sha512 --cipher camellia-kuznyechik", ""),
    ("kuznyechik-serpent-camellia", "--prf sha512 --cipher kuznyechik-serpent-camellia", ""),
    ("sector-4096", "--prf sha512 --sector-size 4096", ""),
    ("keyfile", "--prf sha512 --keyfile keyfile", "--keyfile keyfile"),
    ("hidden", "--prf sha512 --hidden-size 8K", ""),
    ("truecrypt-sha512", "--format truecrypt --prf sha512", ""),
    ("truecrypt-whirlpool-serpent", "--format truecrypt --prf whirlpool --cipher serpent", ""),
    ("truecrypt-ripemd160-twofish", "--format truecrypt --prf ripemd160 --cipher twofish", ""),
]


def known_text(name, length=DATA_BYTES):
    return hashlib.shake_256(name.encode()).digest(length)


def without_noise(data):
    """The container with its headers and its data only."""
    kept = bytearray(len(data))
    for place in HEADER_PLACES:
        start = place % len(data)
        kept[start:start + 512] = data[start:start + 512]
    kept[GROUP_BYTES:-GROUP_BYTES] = data[GROUP_BYTES:-GROUP_BYTES]
    return bytes(kept)


def make(volt, folder, name, creating, opening):
    container = folder / f"{name}.hc"
    run = lambda *words, **more: subprocess.run([volt, *map(str, words)], check=True, cwd=folder,
                                                stdout=subprocess.DEVNULL,
                                                stderr=subprocess.DEVNULL, **more)
    pim = [] if "truecrypt" in creating else ["--pim", "1"]
    hidden = "--hidden-size" in creating
    more = ["--hidden-password-file", "hidden-password", "--hidden-pim", "2", "--hidden-prf", "sha256",
            "--yes"] if hidden else []
    run("create", container, "--size", SIZE_BYTES, "--quick", "--password-file", "password", *pim,
        *creating.split(), *more)
    run("load", container, "--yes", "--password-file", "password", *pim, *opening.split(),
        *[w for w in creating.split()[:2] if "truecrypt" not in creating], input=known_text(name))
    known = lambda text: hashlib.sha256(known_text(text)).hexdigest()
    rows = [[f"{name}.hc", PASSWORD, "".join(pim[1:]), creating, opening, known(name)]]
    if hidden:
        run("load", container, "--yes", "--hidden", "--password-file", "hidden-password", "--pim", "2",
            "--prf", "sha256", input=known_text(name + " hidden"))
        rows.append([f"{name}.hc", HIDDEN_PASSWORD, "2", "--prf sha256", "--hidden",
                     known(name + " hidden")])
    container.write_bytes(without_noise(container.read_bytes()))
    return rows


def main():
    volt, version = str(pathlib.Path(sys.argv[1]).resolve()), sys.argv[2]
    archive, table = HERE / f"{version}.tar.xz", HERE / f"{version}.tsv"
    if archive.exists():
        sys.exit(f"{archive.name} is there already: the containers of a release are made once")
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "password").write_text(PASSWORD)
        (folder / "hidden-password").write_text(HIDDEN_PASSWORD)
        (folder / "keyfile").write_bytes(known_text("key file", 1000))
        for kind in KINDS:
            rows += make(volt, folder, *kind)
        with tarfile.open(archive, "w:xz", preset=9) as out:
            for file in sorted(folder.glob("*.hc")) + [folder / "keyfile"]:
                info = tarfile.TarInfo(file.name)
                info.size, info.mode = file.stat().st_size, 0o644
                out.addfile(info, io.BytesIO(file.read_bytes()))
    with table.open("w", newline="") as out:
        writer = csv.writer(out, delimiter="\t", lineterminator="\n")
        writer.writerow(["file", "password", "pim", "made_with", "opened_with", "sha256_of_8192"])
        writer.writerows(rows)


if __name__ == "__main__":
    main()
