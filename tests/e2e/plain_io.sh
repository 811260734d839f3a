#!/bin/bash
# What goes in comes out: whole, unaligned, across the end; sizes, attributes, fsync.
. "$(dirname "$0")/lib.sh"

size=$((8 * 1048576 + 512))
mkdir m
# Both ways of serving: a thread a request, and many requests a thread.
for engine in threads io_uring; do
random_file image $size
cp image model
if ! "$VOLT" open --plain --io $engine image m 2>err; then
  [ $engine = io_uring ] && grep -q io_uring err || fail "does not open with $engine"
  echo "no io_uring here: not tested"
  continue
fi
grep -q "\"io_engine\": \"$engine\"" m/status.json || fail "status.json does not tell $engine"
[ "$(stat -c %s m/volume)" = $size ] || fail "wrong size"
[ "$(stat -c %a m/volume)" = 600 ] || fail "wrong mode"
[ "$(ls m)" = "$(printf 'status.json\nvolume')" ] || fail "wrong listing: $(ls m)"
cmp image m/volume || fail "reads differ"

python3 - m/volume model $size <<'PY' || fail "unaligned I/O"
import os, random, sys
path, model_path, size = sys.argv[1], sys.argv[2], int(sys.argv[3])
seed = int.from_bytes(os.urandom(4), "big")
generator = random.Random(seed)
print("seed", seed)
volume = os.open(path, os.O_RDWR)
model = bytearray(open(model_path, "rb").read())
for step in range(600):
    offset = generator.randrange(size)
    length = generator.choice([1, 17, 511, 512, 513, 4095, 4096, 4097, 70000, 1048576, 1500000])
    if generator.random() < 0.5:
        length = min(length, size - offset)
        data = generator.randbytes(length)
        done = 0
        while done < length:
            done += os.pwrite(volume, data[done:], offset + done)
        model[offset:offset + length] = data
    else:
        got = b""
        while len(got) < length:
            more = os.pread(volume, length - len(got), offset + len(got))
            if not more:
                break
            got += more
        assert got == bytes(model[offset:offset + length]), (step, offset, length)
# The end, as a block device's: short there, nothing behind it, no room behind it.
assert os.pread(volume, 4096, size - 100) == bytes(model[-100:])
assert os.pread(volume, 4096, size) == b""
assert os.pread(volume, 4096, size + 4096) == b""
assert os.pwrite(volume, b"x" * 200, size - 100) == 100
model[-100:] = b"x" * 100
for offset in (size, size + 1048576):
    try:
        os.pwrite(volume, b"x", offset)
        raise AssertionError("wrote past the end")
    except OSError as error:
        assert error.errno == 28, error
os.fsync(volume)
os.fdatasync(volume)
# The size is fixed.
os.ftruncate(volume, size)
for wrong, wanted in ((size - 1, 1), (0, 1), (size + 1, 27)):
    try:
        os.ftruncate(volume, wrong)
        raise AssertionError("changed the size")
    except OSError as error:
        assert error.errno == wanted, (wrong, error)
os.close(volume)
os.close(os.open(path, os.O_WRONLY | os.O_TRUNC))
assert os.stat(path).st_size == size
assert os.lseek(os.open(path, os.O_RDONLY), 5, os.SEEK_DATA) == 5
for name in ("new", "volume/x"):
    try:
        os.open(os.path.join(os.path.dirname(path), name), os.O_CREAT | os.O_WRONLY)
        raise AssertionError("made a file")
    except OSError:
        pass
open(model_path, "wb").write(model)
PY

python3 -m json.tool m/status.json >/dev/null || fail "status.json is not JSON"
grep -q '"schema": "voltd/1"' m/status.json || fail "status.json has no schema"
grep -q '"plain": true' m/status.json || fail "status.json does not tell that it is plain"
expect 1 "" fallocate -p -o 0 -l 4096 m/volume
pid=$(daemon_of m)
expect 0 "" "$VOLT" close m
gone "$pid" || fail "close returned before the daemon had ended"
cmp image model || fail "what was written is not in the container"
done

# Read-only, by option and by permission of the medium.
expect 0 "" "$VOLT" open --plain --read-only image m
[ "$(stat -c %a m/volume)" = 400 ] || fail "wrong mode of a read-only volume"
expect 1 "ead-only" dd if=/dev/zero of=m/volume count=1 conv=notrunc status=none
cmp image m/volume || fail "read-only reads differ"
expect 0 "" "$VOLT" close m

# Through the kernel's page cache.
expect 0 "" "$VOLT" open --plain --cache image m
cmp image m/volume || fail "cached reads differ"
random_file piece 100000
dd if=piece of=m/volume bs=100000 seek=3 conv=notrunc,fsync status=none || fail "cached write"
expect 0 "" "$VOLT" close m
cmp piece <(tail -c +300001 image | head -c 100000) || fail "cached write is not there"
