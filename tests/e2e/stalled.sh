#!/bin/bash
# A container that no longer answers: nothing hangs for ever. The container lies on another volume
# whose daemon is stopped.
. "$(dirname "$0")/lib.sh"

random_file image 4194304
mkdir below above
expect 0 "" "$VOLT" open --plain image below
expect 0 "" "$VOLT" open --plain below/volume above
lower=$(daemon_of below)
upper=$(daemon_of above)
started="$lower $upper"
dd if=/dev/zero of=above/volume bs=4096 count=1 conv=notrunc status=none || fail "write"
kill -STOP "$lower"
expect 4 "does not answer" "$VOLT" close --timeout 1 above
not_mounted "$work/above" || fail "still mounted"
kill -CONT "$lower"
eventually gone "$upper"
expect 0 "" "$VOLT" close below
