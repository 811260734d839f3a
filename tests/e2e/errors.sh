#!/bin/bash
# The storage below gives errors, under both ways of serving: the writer gets EIO or ENOSPC, a failed
# flush is told to every open file and never forgotten, close keeps the volume open unless forced.
. "$(dirname "$0")/lib.sh"

[ -x "${VOLT_FAULTY:-}" ] || skip "no faulty_folder"
printf 'correct horse' >password
with=(--prf sha512 --format truecrypt --password-file password)
mkdir low m

# Each line of the plan: a step and what it must give.
cat >steps.py <<'PY'
import errno, json, os, sys
def outcome(call, *arguments):
    try:
        call(*arguments)
        return "done"
    except OSError as error:
        return errno.errorcode[error.errno]
def check(what, got, wanted):
    assert got == wanted, (sys.argv[1], what, got, wanted)
def fault(kind, on):
    path = "image." + kind
    open(path, "w").close() if on else os.unlink(path)
def counted(kind): return json.load(open("m/status.json"))["io"][kind]["errors"]

volume, second = os.open("m/volume", os.O_RDWR), os.open("m/volume", os.O_RDWR)
aligned, odd, large = b"a" * 4096, b"b" * 777, b"c" * 1048576
os.pwrite(volume, large, 0)
check("flush", outcome(os.fsync, volume), "done")

fault("fail-write", True)
for data, offset in (aligned, 8192), (odd, 5001), (large, 0), (large, 1):
    check("write", outcome(os.pwrite, volume, data, offset), "EIO")
assert counted("write") >= 4
fault("fail-write", False)
# The writer knows what is missing, so nothing is hidden by a good flush.
check("write again", outcome(os.pwrite, volume, large, 0), "done")
check("flush after it", outcome(os.fsync, volume), "done")
check("what was written", os.pread(volume, 1048576, 0) == large, True)

fault("full", True)
for data, offset in (aligned, 8192), (odd, 5001), (large, 0):
    check("write on a full disk", outcome(os.pwrite, volume, data, offset), "ENOSPC")
fault("full", False)
check("write with room again", outcome(os.pwrite, volume, large, 0), "done")

fault("fail-read", True)
for length, offset in (4096, 8192), (777, 5001), (1048576, 0):
    check("read", outcome(os.pread, volume, length, offset), "EIO")
# Part of a data unit: the rest cannot be read, so it cannot be written either.
check("write of a part", outcome(os.pwrite, volume, odd, 5001), "EIO")
check("write of whole units", outcome(os.pwrite, volume, aligned, 8192), "done")
fault("fail-read", False)
assert counted("read") >= 3
check("read again", os.pread(volume, 4096, 8192) == aligned, True)
check("what could not be written", os.pread(volume, 777, 5001) == large[:777], True)

if sys.argv[2] == "flush":
    fault("fail-flush", True)
    os.pwrite(volume, aligned, 0)
    check("flush", outcome(os.fsync, volume), "EIO")
    check("flush, other file", outcome(os.fdatasync, second), "EIO")
    fault("fail-flush", False)
    # What the disk dropped is not there because the disk answers again.
    third = os.open("m/volume", os.O_RDWR)
    for file in volume, second, third:
        check("flush later", outcome(os.fsync, file), "EIO")
    assert json.load(open("m/status.json"))["last_error"], "no last error"
    check("close", outcome(os.close, third), "EIO")
PY

mapfile -t kinds < <(printf '%s\n' "threads --plain" "io_uring --plain" "threads" "io_uring")
for kind in "${kinds[@]}"; do
  read -r engine plain <<<"$kind"
  rm -f image
  expect 0 "" "$VOLT" create image --size 4M "${with[@]}" --quick
  how=("${with[@]}")
  [ -z "$plain" ] || how=(--plain)
  "$VOLT_FAULTY" image low || fail "faulty_folder"
  if ! "$VOLT" open --io "$engine" --direct on low/container m "${how[@]}" 2>err; then
    grep -q -e io_uring -e O_DIRECT err || fail "does not open with $engine"
    echo "$kind: not possible here"
    umount low
    continue
  fi
  python3 steps.py "$kind" none || fail "$kind"
  expect 0 "" "$VOLT" close m
  expect 0 "" "$VOLT" open --io "$engine" --direct on low/container m "${how[@]}"
  pid=$(daemon_of m)
  python3 steps.py "$kind" flush || fail "$kind"
  expect 4 "did not reach the container.*still open" "$VOLT" close m
  expect 4 "did not reach the container.*still open" "$VOLT" close m
  cmp -n 4096 m/volume <(head -c 4096 /dev/zero | tr '\0' a) || fail "closed all the same"
  expect 4 "did not reach the container" "$VOLT" close --force m
  not_mounted "$work/m" || fail "--force does not close"
  eventually gone "$pid"
  # A container that is opened anew begins anew.
  expect 0 "" "$VOLT" open --io "$engine" --direct on low/container m "${how[@]}"
  dd if=/dev/zero of=m/volume bs=4096 count=1 conv=notrunc,fsync status=none || fail "opened again"
  expect 0 "" "$VOLT" close m
  umount low 2>/dev/null || fusermount3 -u low || fail "umount"
  echo "$kind: good"
done

# Through a loop device and its cache: close tells what could not be written back, and --force drops it.
[ "$(id -u)" = 0 ] && [ -c /dev/loop-control ] && losetup -f >/dev/null 2>&1 ||
  skip "loop devices need root (the rest has passed)"
cat >hold.py <<'PY'
import os, sys, time
device = os.open(sys.argv[1], os.O_RDWR)
os.pwrite(device, b"d" * 65536, 0)
open("written", "w").close()
time.sleep(60)
PY
for engine in threads io_uring; do
  "$VOLT_FAULTY" image low || fail "faulty_folder"
  if ! "$VOLT" open --loop --io $engine low/container m "${with[@]}" >out 2>err; then
    grep -q io_uring err || fail "does not open with $engine"
    continue
  fi
  loop=$(cat out)
  rm -f written
  python3 hold.py "$loop" &
  started=$!
  eventually test -e written
  : >image.fail-write
  expect 4 "$loop: writing back what it holds.*--force closes it all the same" "$VOLT" close m
  [ -e m/volume ] || fail "closed all the same"
  kill $started
  wait $started 2>/dev/null
  expect 0 "" "$VOLT" close --force m
  not_mounted "$work/m" || fail "--force does not close"
  rm image.fail-write
  umount low || fail "umount"
  if has_file_system ext4; then
    "$VOLT_FAULTY" image low || fail "faulty_folder"
    expect 0 "" "$VOLT" open --loop --io $engine low/container m "${with[@]}"
    loop=$(cat out)
    mkdir -p mnt
    mkfs.ext4 -q -F "$loop" && mount "$loop" mnt || fail "ext4"
    head -c 65536 /dev/urandom >mnt/kept && sync -f mnt
    : >image.fail-write
    expect 1 "nput/output error" dd if=/dev/zero of=mnt/file bs=65536 count=1 conv=fsync status=none
    rm image.fail-write
    umount mnt || fail "umount"
    "$VOLT" close m 2>err || "$VOLT" close --force m 2>err || fail "close"
    expect 0 "" "$VOLT" open --loop --io $engine low/container m "${with[@]}"
    mount "$(cat out)" mnt && [ "$(stat -c %s mnt/kept)" = 65536 ] || fail "what was synced is lost"
    umount mnt || fail "umount"
    expect 0 "" "$VOLT" close m
    umount low || fail "umount"
  fi
  echo "$engine with a loop device: good"
done
