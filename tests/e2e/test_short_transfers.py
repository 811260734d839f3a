"""The kernel may end a transfer before it is whole. What it left is still to be done."""
import os

import pytest


def open_on(open_volume, folder, engine, *options):
    """The folder's container, or a skip where this machine has no such engine."""
    try:
        return open_volume(folder.container, "--io", engine, "--direct", "on", *options)
    except AssertionError as error:
        if "io_uring" in str(error) or "O_DIRECT" in str(error):
            pytest.skip("this engine cannot be had here")
        raise


@pytest.mark.parametrize("engine", ["threads", "io_uring"])
def test_a_short_read_is_gone_on_with(open_volume, failing_folder, engine):
    volume = open_on(open_volume, failing_folder, engine, "--plain")
    content = failing_folder.image.read_bytes()
    failing_folder.begin("short")
    assert volume.read(131072, 65536) == content[131072:196608]
    assert volume.read(0, 131072) == content[:131072]


@pytest.mark.parametrize("engine", ["threads", "io_uring"])
def test_a_container_cut_short_gives_an_error(open_volume, failing_folder, engine):
    """The transfer ends short, and going on with it brings nothing more."""
    volume = open_on(open_volume, failing_folder, engine, "--plain")
    os.truncate(failing_folder.image, 32768)
    with pytest.raises(OSError):
        volume.read(0, 65536)
    assert len(volume.read(0, 32768)) == 32768
