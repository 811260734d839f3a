"""A password that opens nothing: what is said, and what is named that is no container at all."""
import gzip
import os
import struct
import subprocess
import uuid
import zlib

import pytest

from support import programs

FIRST = "wrong password, PIM or key file, or not a container"
SECRET = ("--prf", "sha512", "--pim", "1", "--format", "veracrypt")
MIB = 1 << 20


def mbr(path, size=16 * MIB):
    """A disk with a primary partition, and a logical one in an extended one."""
    def entry(kind, start, sectors):
        return struct.pack("<B3sB3sII", 0, b"", kind, b"", start, sectors)

    def table(*entries):
        return b"".join(entries).ljust(64, b"\0") + b"\x55\xaa"

    with open(path, "wb") as disk:
        disk.truncate(size)
        disk.seek(446)
        disk.write(table(entry(7, 2048, 4096), entry(5, 8192, 16384)))
        disk.seek(8192 * 512 + 446)
        disk.write(table(entry(0x83, 2048, 2048)))
    return path


def gpt(path, size=16 * MIB):
    """A disk with a GPT, a copy of it at the end, and one partition with a name."""
    last = size // 512 - 1
    entry = struct.pack("<16s16sQQQ72s", uuid.UUID("0fc63daf-8483-4772-8e79-3d69d8477de4").bytes_le,
                        uuid.uuid4().bytes_le, 2048, 6143, 0, "my secret data".encode("utf-16-le"))
    entries = entry.ljust(128 * 128, b"\0")
    disk_id = uuid.uuid4().bytes_le

    def header(own, other, table):
        def packed(crc):
            return struct.pack("<8sIIIIQQQQ16sQIII", b"EFI PART", 0x10000, 92, crc, 0, own, other, 34,
                               last - 33, disk_id, table, 128, 128, zlib.crc32(entries))
        return packed(zlib.crc32(packed(0)))

    with open(path, "wb") as disk:
        disk.truncate(size)
        disk.seek(446)
        disk.write(struct.pack("<B3sB3sII", 0, b"", 0xEE, b"", 1, last).ljust(64, b"\0") + b"\x55\xaa")
        disk.write(header(1, last, 2))
        disk.seek(1024)
        disk.write(entries)
        disk.seek((last - 32) * 512)
        disk.write(entries + header(last, 1, last - 32))
    return path


@pytest.fixture
def fails(work, password_file):
    """fails(file, status, *words): every way of opening it says these words."""
    def check(file, status, *words, options=SECRET):
        (work / "m").mkdir(exist_ok=True)
        given = (*options, "--password-file", password_file)
        for command in (("open", file, work / "m"), ("info", file),
                        ("passwd", file, "--new-password-file", password_file),
                        ("header", "backup", file, work / "saved"),
                        ("header", "restore", file, "--yes"), ("dump", file, work / "out")):
            result = programs.volt(*command, *given, status=status, words=[FIRST, *words])
            first = result.err.splitlines()[0]
            assert first.startswith(f"volt: {file}: {FIRST}") and all(w in first for w in words)
        programs.voltd(file, work / "m", *given, status=status, words=[FIRST, *words])
        assert not (work / "saved").exists() and not (work / "out").exists()

    return check


def test_noise_gives_two_hints_and_no_list(image, work, password_file, fails):
    fails(image, 2)
    result = programs.volt("info", image, "--password-file", password_file, "--prf", "sha512",
                           status=2, words=["--pim", "--keyfile", "--prf"])
    assert len(result.err.splitlines()) == 3 and "tried veracrypt" not in result.err
    result = programs.volt("info", image, "--password-file", password_file, "--prf", "sha512",
                           "--verbose", status=2, words=["tried: truecrypt sha512, ", "veracrypt sha512"])
    result = programs.volt("info", image, "--password-file", password_file, *SECRET, "--keyfile",
                           password_file, status=2)
    assert "--pim" not in result.err and "--keyfile" not in result.err


def test_partitions_of_an_mbr(work, fails):
    fails(mbr(work / "disk"), 4, "partition table (MBR)", "1 (2097152 bytes at 1048576)",
          "5 (1048576 bytes at 5242880)")


def test_partitions_of_a_gpt(work, fails):
    fails(gpt(work / "disk"), 4, "partition table (GPT)",
          '1 "my secret data" (2097152 bytes at 1048576)')


def test_system_encryption_is_a_hint(work, password_file):
    disk = mbr(work / "disk")
    programs.volt("info", disk, "--password-file", password_file, *SECRET, status=4, words="--system")
    result = programs.volt("info", disk, "--password-file", password_file, "--system", "--prf",
                           "sha256", status=2)
    assert "partition table" not in result.err


def test_partitions_of_a_block_device_by_their_nodes(work, root, password_file):
    disk = mbr(work / "disk")
    made = subprocess.run(["losetup", "-f", "-P", "-r", "--show", disk], capture_output=True, text=True,
                          check=False)
    if made.returncode:
        pytest.skip("no loop devices here")
    device = made.stdout.strip()
    name = os.path.basename(device)
    try:
        if not os.path.exists(f"/sys/block/{name}/{name}p1"):
            pytest.skip("the kernel does not show partitions of loop devices here")
        programs.volt("info", device, "--password-file", password_file, *SECRET, status=4,
                      words=[f"{device}p1 (2097152", f"{device}p5 (1048576"])
    finally:
        subprocess.run(["losetup", "-d", device], check=False)


@pytest.mark.parametrize("kind, word", [("ext4", "ext4"), ("vfat", "a FAT file system"), ("ntfs", "NTFS"),
                                        ("exfat", "exFAT"), ("xfs", "xfs"), ("btrfs", "btrfs")])
def test_file_systems(work, fails, kind, word):
    if not programs.has(f"mkfs.{kind}"):
        pytest.skip(f"mkfs.{kind} is not installed")
    with open(work / "image", "wb") as file:
        file.truncate((320 if kind == "xfs" else 128) * MIB)
    force = {"ntfs": ["-F", "-Q"], "ext4": ["-F"], "xfs": ["-f"], "btrfs": ["-f"]}.get(kind, [])
    subprocess.run([f"mkfs.{kind}", *force, work / "image"], check=True, capture_output=True,
                   env={**os.environ, "PATH": os.environ["PATH"] + ":/usr/sbin:/sbin"})
    fails(work / "image", 4, f"it looks like {word}" if kind == "vfat" else word, "not encrypted")


def test_luks(work, fails):
    if not programs.has("cryptsetup"):
        pytest.skip("cryptsetup is not installed")
    with open(work / "image", "wb") as file:
        file.truncate(32 * MIB)
    subprocess.run(["/usr/sbin/cryptsetup", "luksFormat", "-q", "--type", "luks1", "--pbkdf-force-iterations",
                    "1000", work / "image", "-"], input=b"x", check=True, capture_output=True)
    fails(work / "image", 4, "LUKS")


OTHER_FILES = {
    "bitlocker": (lambda: b"\xebX\x90-FVE-FS-" + bytes(MIB), 4, "BitLocker"),
    "compressed": (lambda: gzip.compress(os.urandom(MIB)), 2, "gzip"),
    "archive": (lambda: b"PK\x03\x04" + os.urandom(MIB), 2, "ZIP"),
    "qcow2": (lambda: b"QFI\xfb\0\0\0\3" + os.urandom(MIB), 2, "qcow2"),
    "text": (lambda: b"Dear diary,\n" * 50000, 4, "text"),
    "zeros": (lambda: bytes(MIB), 2, "zeros"),
}


@pytest.mark.parametrize("name", OTHER_FILES)
def test_other_files(work, fails, name):
    make, status, word = OTHER_FILES[name]
    (work / name).write_bytes(make())
    fails(work / name, status, word)


def test_a_header_backup_given_as_container(work, password_file):
    (work / "saved").write_bytes(os.urandom(131072))
    programs.volt("info", work / "saved", "--password-file", password_file, *SECRET, status=2,
                  words=[FIRST, "header backup", "--header"])


def test_what_is_too_short_is_named_too(work, password_file):
    (work / "note").write_text("Dear diary,\n")
    programs.volt("info", work / "note", "--password-file", password_file, *SECRET, status=4,
                  words=["too short to be a volume", "text"])


def test_a_container_is_never_taken_for_something_else(container, work, password_file):
    (work / "wrong").write_text("another")
    result = programs.volt("info", container, "--password-file", work / "wrong", *SECRET, status=2)
    assert "looks like" not in result.err and "disk" not in result.err
    programs.volt("info", container, "--password-file", password_file, *SECRET)
