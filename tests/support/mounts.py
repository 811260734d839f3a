"""Volumes that tests open, and the folder with a failing file that containers may lie on."""
import json
import os
import pathlib
import subprocess
import time

from support import programs

WAIT_SECONDS = 60


def eventually(condition, what="the condition"):
    """Waits until condition() is true. A limit that only a hang reaches, never a measure of speed."""
    end = time.monotonic() + WAIT_SECONDS
    while not condition():
        assert time.monotonic() < end, f"did not come true: {what}"
        time.sleep(0.02)


def mounted_below(folder):
    """Mount points in or at a folder, the newest first."""
    found = []
    with open("/proc/self/mountinfo", encoding="utf-8", errors="surrogateescape") as table:
        for line in table:
            place = line.split()[4].encode(errors="surrogateescape").decode("unicode_escape")
            if place == str(folder) or place.startswith(f"{folder}/"):
                found.append(place)
    return found[::-1]


def is_mounted(folder):
    # Only what lies above it is resolved: to look at a mount itself would wait for its daemon.
    folder = pathlib.Path(folder).absolute()
    place = folder.parent.resolve() / folder.name
    return str(place) in mounted_below(place)


class Volume:
    """An open volume. `volume` is the decrypted file; `status` reads status.json."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.volume = self.folder / "volume"

    @property
    def status(self):
        return json.loads((self.folder / "status.json").read_text())

    @property
    def pid(self):
        return self.status["pid"]

    def read(self, offset, length):
        file = os.open(self.volume, os.O_RDONLY)
        try:
            return os.pread(file, length, offset)
        finally:
            os.close(file)

    def write(self, offset, data, sync=False):
        file = os.open(self.volume, os.O_RDWR)
        try:
            assert os.pwrite(file, data, offset) == len(data)
            if sync:
                os.fsync(file)
        finally:
            os.close(file)

    def close(self, *arguments, **options):
        return programs.volt("close", *arguments, self.folder, **options)


class FailingFolder:
    """A folder with one file, `container`, whose storage fails while a fault is set: "read", "write"
    or "flush" give EIO, "full" gives ENOSPC to writes, "short" gives half of what longer reads ask for."""

    def __init__(self, image, folder):
        self.image = pathlib.Path(image)
        self.folder = pathlib.Path(folder)
        self.container = self.folder / "container"
        subprocess.run([programs.FAULTY_FOLDER, str(image), str(folder)], check=True,
                       stdin=subprocess.DEVNULL)

    def _switch(self, fault):
        fails = fault not in ("full", "short")
        return self.image.with_name(f"{self.image.name}.{'fail-' if fails else ''}{fault}")

    def begin(self, fault):
        self._switch(fault).touch()

    def end(self, fault):
        self._switch(fault).unlink(missing_ok=True)


def loops_below(folder):
    """Loop devices over files in a folder. To be asked before the folder is unmounted, which takes the
    name away from the file."""
    listed = subprocess.run(["losetup", "-n", "-O", "NAME,BACK-FILE"], capture_output=True, text=True,
                            check=False).stdout
    pairs = [line.partition(" ")[::2] for line in listed.splitlines()]
    return [device for device, file in pairs if file.strip().startswith(f"{folder}/")]


def clean_up(folder):
    """Unmounts what is below the folder and detaches loop devices over files in it. Touches nothing
    that lies elsewhere."""
    loops = loops_below(folder)
    for place in mounted_below(folder):
        if subprocess.run(["umount", "-l", place], capture_output=True, check=False).returncode:
            subprocess.run(["fusermount3", "-u", "-z", place], capture_output=True, check=False)
    for device in loops:
        subprocess.run(["losetup", "-d", device], capture_output=True, check=False)
