#!/bin/bash
# Every way to end: close, signals, unmount from outside, kill -9; and what is in use.
. "$(dirname "$0")/lib.sh"

random_file image 4194304
mkdir m

# Whoever runs the tests may ignore some of them (nohup, a shell in the background), and what is ignored
# on purpose stays ignored.
for signal in TERM INT HUP; do
  expect 0 "" env --default-signal=$signal "$VOLT" open --plain image m
  pid=$(daemon_of m)
  dd if=/dev/zero of=m/volume bs=4096 count=1 conv=notrunc status=none || fail "write"
  kill -$signal "$pid"
  eventually gone "$pid"
  not_mounted "$work/m" || fail "still mounted after SIG$signal"
done

expect 0 "" env --ignore-signal=HUP "$VOLT" open --plain image m
pid=$(daemon_of m)
kill -HUP "$pid"
cmp image m/volume || fail "an ignored SIGHUP ends it"
expect 0 "" "$VOLT" close m
gone "$pid" || fail "still there after close"

# With a file open: ends all the same.
expect 0 "" "$VOLT" open --plain image m
pid=$(daemon_of m)
exec 5<m/volume
kill -TERM "$pid"
eventually gone "$pid"
exec 5<&-

# In the foreground.
"$VOLTD" --plain --foreground image m 2>foreground &
child=$!
eventually grep -q ready foreground
kill -TERM $child
wait $child || fail "exit status $? after SIGTERM"
grep -q closed foreground || fail "does not say that it has closed"

# Unmounted by someone else.
expect 0 "" "$VOLT" open --plain image m
pid=$(daemon_of m)
umount m 2>/dev/null || fusermount3 -u m || fail "unmount"
eventually gone "$pid"

# The same under load, so that every thread is in the middle of something or sleeps beside others.
for engine in threads io_uring; do
  for round in 1 2 3 4 5; do
    if ! "$VOLT" open --plain --io $engine --threads 32 image m 2>err; then
      grep -q io_uring err || fail "open with $engine"
      break
    fi
    pid=$(daemon_of m)
    readers=
    for reader in 1 2 3 4 5 6; do
      while dd if=m/volume of=/dev/null bs=4096 iflag=direct status=none 2>/dev/null; do :; done &
      readers="$readers $!"
    done
    sleep 0.2
    umount -l m 2>/dev/null || fusermount3 -u -z m || fail "unmount under load"
    wait $readers
    eventually gone "$pid"
  done
done

# kill -9: what was fsynced is there, the dead mount is cleaned by the next open, or by close.
expect 0 "" "$VOLT" open --plain image m
random_file piece 65536
dd if=piece of=m/volume bs=65536 seek=2 conv=notrunc,fsync status=none || fail "write"
pid=$(daemon_of m)
kill -9 "$pid"
eventually gone "$pid"
expect 0 "" "$VOLT" list
grep -q dead out || fail "list does not show the dead mount"
expect 0 "had died" "$VOLT" open --plain image m
cmp -n 65536 -i 131072:0 m/volume piece || fail "fsynced data is lost"
kill -9 "$(daemon_of m)"
expect 0 "had died" "$VOLT" close m
not_mounted "$work/m" || fail "close left the dead mount"

# In use.
expect 0 "" "$VOLT" open --plain image m
mkdir n
expect 5 "m: a volume is already open there" "$VOLT" open --plain image m
expect 5 "image: " "$VOLT" open --plain image n
expect 5 "image: " "$VOLT" open --plain --read-only image n
sleep 60 <m/volume &
holder=$!
expect 5 "in use by sleep ($holder)" "$VOLT" close m
kill $holder
wait $holder 2>/dev/null
expect 0 "" "$VOLT" list --json
python3 -c 'import json,sys; v=json.load(open("out")); assert v["schema"]=="volt-list/1"; \
assert any(x["mount_point"]==sys.argv[1] for x in v["volumes"])' "$work/m" || fail "list --json"
expect 0 "" "$VOLT" close m
expect 4 "no volume is open there" "$VOLT" close m
# Two readers share.
expect 0 "" "$VOLT" open --plain --read-only image m
expect 0 "" "$VOLT" open --plain --read-only image n
expect 0 "" "$VOLT" close m
expect 0 "" "$VOLT" close n

# Names that need care.
mkdir 'a b,c\d'
cp image 'im age,x\y'
expect 0 "" "$VOLT" open --plain 'im age,x\y' 'a b,c\d'
cmp image 'a b,c\d/volume' || fail "odd names"
expect 0 "" "$VOLT" close 'a b,c\d'
mkdir target && ln -s target link
expect 0 "" "$VOLT" open --plain image link
expect 0 "" "$VOLT" close link/

# --all: one that is in use keeps none of the others. In a mount namespace that shows only our own.
[ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null || skip "close --all needs a mount namespace (the rest has passed)"
cat >all.sh <<'SH'
. ./functions
for mounted in $(awk '/ fuse.volt / {print $5}' /proc/self/mountinfo); do
  umount -l "$(printf '%b' "$mounted")"
done
mount -t tmpfs none /sys/block || exit 77  # nor others' loop devices
mkdir x y z
pids=
for name in x y z; do
  cp image image.$name
  expect 0 "" "$VOLT" open --plain image.$name $name
  pids="$pids $(daemon_of $name)"
done
sleep 60 <y/volume &
holder=$!
expect 5 "y: in use by sleep ($holder)" "$VOLT" close --all
[ "$(awk '/ fuse.volt / {print $5}' /proc/self/mountinfo)" = "$work/y" ] || fail "others stay open"
kill $holder
wait $holder 2>/dev/null
expect 0 "" "$VOLT" close --all
expect 0 "" "$VOLT" close --all
for pid in $pids; do eventually gone "$pid"; done
# One that cannot be flushed stays, unless forced; the exit status is that of the first that failed.
expect 0 "" "$VOLT" open --plain image.x x
if [ -x "${VOLT_FAULTY:-}" ]; then
  mkdir low
  "$VOLT_FAULTY" image.y low || fail "faulty_folder"
  expect 0 "" "$VOLT" open --plain low/container y
  dd if=/dev/zero of=y/volume bs=4096 count=1 conv=notrunc status=none || fail "write"
  : >image.y.fail-flush
  expect 4 "y: what was written did not reach" "$VOLT" close --all
  [ "$(awk '/ fuse.volt / {print $5}' /proc/self/mountinfo)" = "$work/y" ] || fail "x stays open"
  expect 4 "y: what was written did not reach" "$VOLT" close --all --force
  expect 0 "" "$VOLT" list
  [ ! -s out ] || fail "--force does not close: $(cat out)"
fi
SH
declare -f expect fail eventually gone daemon_of >functions
declare -p work VOLT >>functions
unshare -m bash all.sh || [ $? = 77 ] || fail "close --all"
