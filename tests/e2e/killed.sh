#!/bin/bash
# kill -9 during a load of writes and fsyncs from several threads, again and again, on a disk and in
# memory: every byte that fsync acknowledged is there when the volume is opened again.
# VOLT_KILL_ROUNDS: how often at each place.
. "$(dirname "$0")/lib.sh"

printf 'correct horse' >password
with=(--prf sha512 --format truecrypt --password-file password)
rounds=${VOLT_KILL_ROUNDS:-4}
mkdir m

# Records lie side by side at odd offsets, so that threads meet in data units; thread T owns every
# fourth. A record is told only after its fsync: (thread, number), 16 bytes.
cat >records.py <<'PY'
import os, struct
threads, slots, length, told = 4, 24, 5003, struct.Struct("<QQ")
def place(thread, number): return (number % slots * threads + thread) * length
def content(thread, number): return (told.pack(thread, number) * (length // 16 + 1))[:length]
def acknowledged():
    last = [0] * threads
    text = open("told", "rb").read()
    for thread, number in told.iter_unpack(text[:len(text) // 16 * 16]):
        last[thread] = max(last[thread], number)
    return last
PY
cat >load.py <<'PY'
import os, sys, threading
from records import *
volume = os.open("m/volume", os.O_RDWR)
def play(thread, number):
    try:
        while True:
            number += 1
            data = content(thread, number)
            if os.pwrite(volume, data, place(thread, number)) != len(data): return
            os.fsync(volume)
            os.write(1, told.pack(thread, number))
    except OSError as error:
        print(error, file=sys.stderr)  # shown where it comes before the kill
before = acknowledged()
running = [threading.Thread(target=play, args=(t, before[t])) for t in range(threads)]
for thread in running: thread.start()
PY
# The one record that was being written over when the daemon died is the oldest of its thread.
cat >check.py <<'PY'
import os
from records import *
volume = os.open("m/volume", os.O_RDONLY)
last = acknowledged()
for thread in range(threads):
    for number in range(max(1, last[thread] - slots + 2), last[thread] + 1):
        data = os.pread(volume, length, place(thread, number))
        assert data == content(thread, number), (thread, number, last, data[:16])
print(sum(last))
PY

acknowledged_since() { [ "$(stat -c %s told)" -gt "$1" ]; }
play() {
  local image=$1 round load before=0 count
  expect 0 "" "$VOLT" create "$image" --size 1M "${with[@]}" --quick
  : >told
  for round in $(seq "$rounds"); do
    expect 0 "" "$VOLT" open "$image" m "${with[@]}"
    python3 load.py >>told 2>err &
    load=$!
    eventually acknowledged_since "$before"
    sleep "0.$((RANDOM % 25 + 10))"
    kill -9 "$(daemon_of m)"
    wait $load || fail "the load"
    before=$(stat -c %s told)
    expect 0 "had died" "$VOLT" open "$image" m "${with[@]}"
    count=$(python3 check.py) || fail "$image, round $round"
    expect 0 "" "$VOLT" close m
  done
  echo "$image: $rounds rounds, $count acknowledged writes, all there"
}
play image
# The check itself must be able to fail.
expect 0 "" "$VOLT" open image m "${with[@]}"
dd if=/dev/urandom of=m/volume bs=5003 count=8 seek=48 conv=notrunc status=none
! python3 check.py >/dev/null 2>&1 || fail "changed bytes go unseen"
expect 0 "" "$VOLT" close m

in_memory=$(mktemp -d -p /dev/shm volt-e2e.XXXXXX 2>/dev/null) || skip "no /dev/shm (the rest has passed)"
ln -s "$in_memory" memory
elsewhere=$in_memory
play memory/image
