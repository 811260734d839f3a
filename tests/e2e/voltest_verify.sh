#!/bin/bash
# voltest verify on real mounts: a good target, each fault below voltd, kills, and another target.
. "$(dirname "$0")/lib.sh"
: "${VOLTEST:?path of voltest}"

# found FILE STATE COUNT: what a result counts.
found() {
  python3 -c '
import json, sys
found = json.load(open(sys.argv[1]))["found"]
assert found.pop(sys.argv[2]) == int(sys.argv[3]) and not any(found.values()), found
' "$@" 2>"$work/err" || fail "found $*"
}

mkdir m other
random_file image 9437184
expect 0 "" "$VOLT" open --plain image m
expect 1 "destructive" "$VOLTEST" verify m --size 4M
expect 0 "" "$VOLTEST" verify m --size 4M --destructive --json good.json
grep -q 'everything came back' out || fail "verify does not say so"
contract good.json

# Killed half-way, and the check killed as well: what was acknowledged is there each time.
# Whether a journal knows of a write: its counters begin after five words and the target's name.
acknowledged() { [ -s "$1" ] && [ "$(od -An -v -t u8 -j 4136 -N 8 "$1" | tr -d ' ')" != 0 ]; }
kill_when() {  # JOURNAL COMMAND...
  local journal=$1
  shift
  "$@" >out 2>err &
  started=$!
  eventually acknowledged "$journal"
  sleep 0.1
  kill -9 $started
  wait $started 2>/dev/null
  started=
}
kill_when journal "$VOLTEST" verify m --size 8M --destructive --journal journal --seed 5
kill_when journal "$VOLTEST" verify m --resume journal
for _ in 1 2; do expect 0 "" "$VOLTEST" verify m --resume journal --json resumed.json; done
contract resumed.json
python3 -c 'import json; d = json.load(open("resumed.json")); assert d["checked_blocks"] > 0' ||
  fail "a check that checked nothing"
expect 0 "" "$VOLTEST" verify m --resume journal --seed 5
expect 1 "not the earlier run's, which was 5" "$VOLTEST" verify m --resume journal --seed 6
expect 1 "only reads" "$VOLTEST" verify m --resume journal --destructive
cp image copy
expect 1 "wrote to another target: container $work/image, this is $work/copy" \
  "$VOLTEST" verify copy --resume journal
expect 0 "" "$VOLT" close m
expect 0 "" "$VOLT" open --plain image other
expect 0 "" "$VOLTEST" verify other --resume journal
expect 0 "" "$VOLT" close other
head -c 100 journal >short
expect 1 "not a journal" "$VOLTEST" verify copy --resume short

# Damage between the run and its check.
expect 0 "" "$VOLT" open --plain image m
rm -f journal
expect 0 "" "$VOLTEST" verify m --size 8M --destructive --journal journal --seed 6
expect 4 "journal: making the journal: File exists" "$VOLTEST" verify m --destructive --journal journal
dd if=/dev/zero of=m/volume bs=4096 seek=100 count=3 conv=notrunc,fsync status=none
expect 4 "" "$VOLTEST" verify m --resume journal --json verify.json
found verify.json lost 3
contract verify.json
expect 0 "" "$VOLT" close m

# Each fault of the fault device, below voltd and its container. Of 1024 blocks the first 1024 writes
# are generation 1, and what is written from then on is not covered by another write.
elsewhere=$(mktemp -d /dev/shm/volt-e2e.XXXXXX) || elsewhere=$(mktemp -d)
cp image "$elsewhere/image"
fault() {  # FAULT STATE
  expect 0 "" "$VOLT" open --testing --plain "fault:$1:$elsewhere/image" m
  expect 4 "" "$VOLTEST" verify m --size 4M --threads 1 --destructive --json fault.json
  found fault.json "$2" 1
  cp out told
  expect 0 "" "$VOLT" close m
}
for seed in 1 2; do
  fault lost-write@1100,$seed stale
  fault torn-write@1101,$seed torn
  fault bit-flip-write@1103,$seed corrupt
  fault bit-flip-read@77,$seed corrupt
done
grep -q 'right when read again' told || fail "a bad read is not told from a bad block"
# These two may show in more than one way: where the write went to, and what stood there before.
for kind in misdirected-write@1102 stale-read@77; do
  expect 0 "" "$VOLT" open --testing --plain "fault:$kind:$elsewhere/image" m
  expect 4 "" "$VOLTEST" verify m --size 4M --threads 1 --destructive --json fault.json
  contract fault.json
  cp out told
  expect 0 "" "$VOLT" close m
done
grep -q 'stale read\|right when read again' told || fail "a stale read is not told from a lost write"
for kind in failed-write@500 failed-read@50 failed-flush@2; do
  expect 0 "" "$VOLT" open --testing --plain "fault:$kind:$elsewhere/image" m
  expect 4 "" "$VOLTEST" verify m --size 4M --threads 1 --destructive
  grep -q 'stopped at block .*: Input/output error' out || fail "$kind is not told"
  "$VOLT" close m >/dev/null 2>&1 || "$VOLT" close --force m || fail "cannot close after $kind"
done
