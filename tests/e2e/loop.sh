#!/bin/bash
# A file system on a loop device on the volume.
. "$(dirname "$0")/lib.sh"

[ "$(id -u)" = 0 ] && [ -c /dev/loop-control ] || skip "loop devices need root"
command -v losetup >/dev/null || skip "losetup is not installed"
losetup -f >/dev/null 2>&1 || skip "no loop device is free"
mkdir m mnt
truncate -s 400M image
round() {
  local kind=$1
  has_file_system "$kind" || return 0
  expect 0 "" "$VOLT" open --plain --loop image m
  local loop
  loop=$(cat out)
  [ -b "$loop" ] || fail "no loop device: '$loop'"
  [ "$(blockdev --getsize64 "$loop")" = "$(stat -c %s m/volume)" ] || fail "wrong size"
  wipefs -q -a "$loop"
  "mkfs.$kind" -q "$loop" >/dev/null || fail "mkfs.$kind"
  mount "$loop" mnt || fail "mount $kind"
  cp -r "$(dirname "$VOLT")/../../tests" mnt/copy 2>/dev/null || cp -r /etc/ssl mnt/copy
  sync -f mnt
  expect 5 "is in use: mounted on $work/mnt" "$VOLT" close m
  umount mnt || fail "umount $kind"
  expect 0 "" "$VOLT" close m
  ! losetup -n -O BACK-FILE | grep -q -F "$work/" || fail "a loop device is left"
  expect 0 "" "$VOLT" open --plain --loop --read-only image m
  loop=$(cat out)
  [ "$(blockdev --getro "$loop")" = 1 ] || fail "not read-only"
  [ "$kind" != ext4 ] || e2fsck -f -n "$loop" >/dev/null 2>&1 || fail "e2fsck"
  expect 0 "" "$VOLT" close m
  echo "$kind: good"
}
for kind in ext4 xfs btrfs; do round $kind; done

# TRIM reaches the container; zeroing stays zeroing.
printf 'correct horse' >password
expect 0 "" "$VOLT" create secret --size 64M --quick --prf sha512 --password-file password
random_file noise 33554432
discards=yes
if ! "$VOLT" open --loop --discard secret m --prf sha512 --password-file password >out 2>err; then
  grep -q "TRIM" err || fail "open --loop --discard"
  not_mounted "$work/m" || fail "stays open without its loop device"
  echo "left out: $(cat err)"
  discards=
fi
if [ -n "$discards" ]; then
loop=$(cat out)
dd if=noise of="$loop" bs=1M oflag=direct status=none || fail "write"
full=$(stat -c %b secret)
blkdiscard -o 0 -l 16777216 "$loop" || fail "blkdiscard"
[ $((full - $(stat -c %b secret))) -ge 30000 ] || fail "TRIM does not reach the container"
blkdiscard -z -o 16777216 -l 16777216 "$loop" || fail "zeroing"
cmp -n 16777216 -i 16777216:0 "$loop" /dev/zero || fail "zeroed range is not zero"
expect 0 "" "$VOLT" close m
fi

# fstrim and mount -o discard on it: without --discard nothing happens, quietly.
trim_round() {
  local before after
  expect 0 "" "$VOLT" open --loop "$@" secret m --prf sha512 --password-file password
  loop=$(cat out)
  wipefs -q -a "$loop" && mkfs.ext4 -q -E nodiscard "$loop" && mount -o discard "$loop" mnt || fail "ext4"
  cp noise mnt/kept.16M && truncate -s 16M mnt/kept.16M && cp noise mnt/gone && sync -f mnt
  before=$(stat -c %b secret)
  rm mnt/gone && sync -f mnt
  fstrim mnt 2>err
  trimmed=$?
  after=$(stat -c %b secret)
  freed=$((before - after))
  cmp -n 16777216 noise mnt/kept.16M || fail "fstrim harms what is kept"
  grep -A3 '"discard": {' m/status.json | grep -q '"errors": 0' || fail "refused TRIM counts as an error"
  umount mnt || fail "umount"
  e2fsck -f -n "$loop" >/dev/null 2>&1 || fail "e2fsck"
  expect 0 "" "$VOLT" close m
}
if has_file_system ext4 && command -v fstrim >/dev/null; then
  trim_round
  [ $trimmed != 0 ] || fail "fstrim says that it trims without --discard"
  [ $freed -lt 1000 ] || fail "the container shrinks without --discard: by $freed blocks"
  if [ -n "$discards" ]; then
    trim_round --discard
    [ $trimmed = 0 ] || fail "fstrim with --discard"
    [ $freed -ge 60000 ] || fail "fstrim frees $freed blocks"
  fi
fi

# Sectors of 4096 bytes: as the header says, on a device that has them without being asked.
expect 0 "" "$VOLT" create large --size 20M --quick --sector-size 4096 --prf sha512 --password-file password
expect 0 "" "$VOLT" open --loop large m --prf sha512 --password-file password
loop=$(cat out)
[ "$(blockdev --getss "$loop")" = 4096 ] || fail "sectors of $(blockdev --getss "$loop") bytes"
dd if=noise of="$loop" bs=512 count=1 oflag=direct status=none 2>/dev/null && fail "takes smaller sectors"
dd if=noise of="$loop" bs=4096 count=512 oflag=direct status=none || fail "write"
cmp -n 2097152 noise m/volume || fail "what was written differs"
if has_file_system ext4; then
  mkfs.ext4 -q -F "$loop" && mount "$loop" mnt && head -c 4M noise >mnt/file && umount mnt || fail "ext4"
  e2fsck -f -n "$loop" >/dev/null 2>&1 || fail "e2fsck"
fi
expect 0 "" "$VOLT" close m
rm large && truncate -s 20M large
large=$(losetup -f --show -b 4096 large) || fail "losetup"
expect 0 "" "$VOLT" create "$large" --yes --quick --prf sha512 --password-file password
expect 1 "sectors of 4096" "$VOLT" create "$large" --yes --quick --sector-size 512 --password-file password
expect 0 "" "$VOLT" info "$large" --prf sha512 --password-file password --json
grep -q '"sector_bytes": 4096' out || fail "info: $(cat out)"
expect 0 "" "$VOLT" open --loop "$large" m --prf sha512 --password-file password
[ "$(blockdev --getss "$(cat out)")" = 4096 ] || fail "sectors on a device"
dd if=noise of=m/volume bs=777 count=99 conv=notrunc status=none || fail "unaligned write"
cmp -n 76923 noise m/volume || fail "unaligned write differs"
expect 0 "" "$VOLT" close m
losetup -d "$large"

# A dead daemon's loop device is taken away with it; a daemon that does not answer keeps nobody.
expect 0 "" "$VOLT" open --loop --plain image m
kill -9 "$(daemon_of m)"
expect 0 "had died" "$VOLT" close m
! losetup -n -O BACK-FILE | grep -q -F "$work/" || fail "a loop device is left"
expect 0 "" "$VOLT" open --loop --plain image m
loop=$(cat out)
started=$(daemon_of m)
kill -STOP "$started"
timeout 20 dd if=/dev/zero of="$loop" bs=4096 count=1 status=none &
sleep 0.2
expect 4 "not answer" timeout 30 "$VOLT" close --timeout 1 m
kill -CONT "$started"
wait
expect 0 "" "$VOLT" close m

# Mounted in another mount namespace, or held open: close waits a while, then names who holds it.
in_namespace_of_its_own() { [ "$(readlink "/proc/$1/ns/mnt")" != "$(readlink /proc/self/ns/mnt)" ]; }
# In a chroot whose root is no mount there is no other namespace to be had.
if unshare -m true 2>/dev/null; then
  expect 0 "" "$VOLT" open --loop --plain image m
  loop=$(cat out)
  mkfs.ext4 -q -F "$loop" 2>/dev/null && mount "$loop" mnt || fail "mount"
  unshare -m sleep 60 &
  holder=$!
  eventually in_namespace_of_its_own $holder
  umount mnt || fail "umount"
  expect 5 "is in use: held by the mount namespace of sleep ($holder)" "$VOLT" close --timeout 1 m
  (sleep 0.5; kill $holder) &
  expect 0 "" "$VOLT" close m
  wait
else
  echo "left out: a mount in another mount namespace"
fi
expect 0 "" "$VOLT" open --loop --plain image m
loop=$(cat out)
sleep 60 <"$loop" &
holder=$!
expect 5 "is in use: held by sleep ($holder)" "$VOLT" close --timeout 1 m
kill $holder
expect 0 "" "$VOLT" close m
wait

# Left behind by a volume that has ended: found by the name it was given.
left_behind() {
  expect 0 "" "$VOLT" open --loop --plain image m
  loop=$(cat out)
  [ $# = 0 ] || dd if=noise of="$loop" bs=4096 count=16 status=none || fail "write"
  local pid
  pid=$(daemon_of m)
  kill -TERM "$pid"
  eventually gone "$pid"
  not_mounted "$work/m" || fail "still mounted"
  sleep 1.1
}
left_behind
expect 0 "" "$VOLT" list
grep -q "$work/m.*left behind.*$loop" out || fail "list does not show it"
expect 0 "" "$VOLT" list --json
python3 - "$work/m" "$loop" <<'PY' || fail "list --json"
import json, sys
assert {"mount_point": sys.argv[1], "device": sys.argv[2]} in json.load(open("out"))["left_loop_devices"]
PY
expect 0 "$loop of an earlier volume there is still attached" "$VOLT" open --plain image m
expect 0 "detached $loop, left behind" "$VOLT" close m
[ ! -e "/sys/block/${loop#/dev/}/loop" ] || fail "a loop device is left"
left_behind dirty
expect 0 "detached $loop.*is lost" "$VOLT" close m
[ ! -e "/sys/block/${loop#/dev/}/loop" ] || fail "a loop device is left"
expect 4 "no volume is open there" "$VOLT" close m

# The mount taken away under the loop device: its daemon lives, and what is written arrives.
expect 0 "" "$VOLT" open --loop --plain image m
loop=$(cat out)
pid=$(daemon_of m)
umount -l m
dd if=noise of="$loop" bs=4096 count=16 seek=3 status=none || fail "write"
expect 0 "detached $loop" "$VOLT" close m
! grep -q "is lost" err || fail "nothing was lost"
eventually gone "$pid"
cmp -n 65536 -i 0:12288 noise image || fail "what was written did not arrive"
