#!/bin/bash
# kill -9 during a load of writes and fsyncs, again and again: every byte that fsync acknowledged is
# there when the volume is opened again.
. "$(dirname "$0")/lib.sh"

printf 'correct horse' >password
with=(--prf sha512 --format veracrypt --password-file password)
rounds=${VOLT_KILL_ROUNDS:-6}
expect 0 "" "$VOLT" create image --size 4M --quick --prf sha512 --password-file password
mkdir m

cat >load.py <<'PY'
# Writes numbered blocks, fsyncs, and only then tells their number, until it is cut off.
import os, struct, sys
volume = os.open("m/volume", os.O_RDWR)
blocks = os.fstat(volume).st_size // 4096
number = int(sys.argv[1])
try:
    while True:
        number += 1
        os.pwrite(volume, struct.pack("<Q", number) * 512, (number % blocks) * 4096)
        os.fsync(volume)
        os.write(1, struct.pack("<Q", number))
except OSError:
    pass
PY
cat >check.py <<'PY'
import os, struct, sys
acknowledged = open("told", "rb").read()
last = struct.unpack("<Q", acknowledged[len(acknowledged) // 8 * 8 - 8:][:8])[0]
volume = os.open("m/volume", os.O_RDONLY)
blocks = os.fstat(volume).st_size // 4096
for number in range(max(1, last - blocks + 2), last + 1):
    data = os.pread(volume, 4096, (number % blocks) * 4096)
    assert data == struct.pack("<Q", number) * 512, (number, last, data[:8])
print(last)
PY

next=0
for round in $(seq "$rounds"); do
  expect 0 "" "$VOLT" open image m "${with[@]}"
  rm -f told
  python3 load.py "$next" >told 2>/dev/null &
  load=$!
  eventually test -s told
  sleep "0.$((RANDOM % 3 + 1))"
  kill -9 "$(daemon_of m)"
  wait $load
  expect 0 "had died" "$VOLT" open image m "${with[@]}"
  next=$(python3 check.py) || fail "round $round"
  expect 0 "" "$VOLT" close m
done
echo "$rounds rounds, $next acknowledged writes"
