#!/bin/bash
# The container fails below: a full disk, a cut-off or deleted file. The caller gets the right error,
# it is counted, and nothing else is harmed.
. "$(dirname "$0")/lib.sh"

status_field() { python3 -c 'import json,sys; d=json.load(open(sys.argv[1]))
for k in sys.argv[2:]: d=d[k]
print(d)' m/status.json "$@"; }

mkdir m
random_file image 4194304
expect 0 "" "$VOLT" open --plain image m
truncate -s 1M image
expect 1 "nput/output error" dd if=m/volume of=/dev/null bs=65536 skip=32 count=1 status=none
[ "$(status_field io read errors)" -ge 1 ] || fail "not counted"
[ "$(status_field last_error)" != None ] || fail "no last error"
dd if=m/volume of=/dev/null bs=65536 count=1 status=none || fail "the rest cannot be read"
expect 0 "" "$VOLT" close m

random_file image 1048576
cp image model
expect 0 "" "$VOLT" open --plain image m
rm image
cmp model m/volume || fail "a deleted container is still open"
expect 4 "was deleted" "$VOLT" close m
expect 0 "was deleted" "$VOLT" close --save-as image m
cmp model image || fail "what was saved differs"

# Memory and descriptors stay what they are.
random_file image 1048576
expect 0 "" "$VOLT" open --plain image m
pid=$(daemon_of m)
rounds() {
  dd if=m/volume of=/dev/null bs=512 status=none && dd if=model of=m/volume bs=512 conv=notrunc \
    status=none && cat m/status.json >/dev/null && ls -l m >/dev/null
}
measure() { echo "$(ls "/proc/$pid/fd" | wc -l) $(awk '/VmRSS/{print $2}' "/proc/$pid/status")"; }
rounds && rounds || fail "rounds"
read -r files_before kib_before <<<"$(measure)"
for _ in 1 2 3 4 5 6; do rounds || fail "rounds"; done
read -r files_after kib_after <<<"$(measure)"
[ "$files_before" = "$files_after" ] || fail "descriptors: $files_before, then $files_after"
[ $((kib_after - kib_before)) -lt 1024 ] || fail "memory: $kib_before KiB, then $kib_after KiB"
expect 0 "" "$VOLT" close m

[ "$(id -u)" = 0 ] || skip "a full disk needs root (the rest has passed)"
mkdir small && mount -t tmpfs -o size=2M tmpfs small || skip "no tmpfs (the rest has passed)"
truncate -s 8M small/image
expect 0 "" "$VOLT" open --plain small/image m
dd if=/dev/zero of=m/volume bs=64K count=8 conv=notrunc status=none || fail "write"
expect 1 "No space left" dd if=/dev/zero of=m/volume bs=1M conv=notrunc status=none
cmp -n 524288 m/volume /dev/zero || fail "what fits is harmed"
[ "$(status_field io write errors)" -ge 1 ] || fail "not counted"
expect 0 "" "$VOLT" close m
umount small
