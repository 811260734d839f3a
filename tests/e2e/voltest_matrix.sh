#!/bin/bash
# voltest matrix: makes containers, measures them beside plain ones, and leaves nothing.
. "$(dirname "$0")/lib.sh"
: "${VOLTEST:?path of voltest}"
mkdir a b

expect 0 "" "$VOLTEST" matrix --dir a --ciphers aes --fill 0,54 --size 8M --runtime 30ms --loops 2 \
  --json matrix.json --markdown matrix.md --csv matrix.csv
contract matrix.json
[ "$(wc -l <matrix.csv)" = 25 ] && grep -q '^54,aes,seq1m-q8t1,write,' matrix.csv || fail "matrix.csv"
grep -q 'published: BitLocker' out || fail "no published rows"
grep -q 'aes runs at .* in memory on all cores' out || fail "the cipher alone is not told"
python3 - <<'PY' || fail "matrix.json"
import json
d = json.load(open("matrix.json"))
rows = {(r["system"], r["fill_percent"], r["test"], r["op"]) for r in d["results"]}
assert len(rows) == 2 * 2 * 3 * 2, len(rows)
assert {r["system"] for r in d["comparisons"]} == {"aes"}
assert d["cipher_speeds"][0]["cipher"] == "aes"
PY
grep -q '| aes |' matrix.md || fail "no Markdown table"
[ -z "$(ls -A a)" ] || fail "left behind: $(ls -A a)"
not_mounted "$work/a" || fail "still mounted"

expect 0 "" "$VOLTEST" matrix --stripe a,b --ciphers aes --size 8M --runtime 30ms --loops 2
[ -z "$(find a b -mindepth 1)" ] || fail "left behind: $(ls -A a b)"
expect 0 "" "$VOLTEST" matrix --dir a --disk-model hdd-5400-raid0 --one-by-one --size 8M --runtime 30ms \
  --loops 2 --json model.json
python3 - <<'PY' || fail "model.json"
import json
d = json.load(open("model.json"))
assert {r["system"] for r in d["results"]} == {"plain", "aes", "aes-one-by-one"}
assert any("a model of a disk" in n for n in d["target"]["notes"])
PY
[ -z "$(ls -A a)" ] || fail "left behind: $(ls -A a)"
expect 1 "either --dir" "$VOLTEST" matrix
expect 1 "no such cipher: 'rot13'; there are aes, " "$VOLTEST" matrix --dir a --ciphers rot13
expect 1 "no such disk: floppy; there are hdd-5400-raid0" "$VOLTEST" matrix --dir a --disk-model floppy
expect 4 "are needed for all containers, .* are free" "$VOLTEST" matrix --dir a --size 900T
expect 4 "No such file" "$VOLTEST" matrix --dir absent
: >a/mine
expect 0 "" "$VOLTEST" matrix --published
grep -q '369' out || fail "the published table is not printed"

# Interrupted: closed and removed as well.
"$VOLTEST" matrix --dir a --ciphers aes --size 8M --runtime 30 >out 2>err &
tester=$!
started=$tester
eventually grep -q -F "$work/a/" /proc/self/mountinfo
sleep 1
kill -INT $tester
wait $tester
[ $? = 130 ] || fail "exit status of an interrupted run"
started=
[ "$(ls -A a)" = mine ] || fail "left behind: $(ls -A a)"
# While containers are still being made: nothing to tell, and nothing left either.
"$VOLTEST" matrix --dir a --size 256M --runtime 30 >out 2>err &
tester=$!
started=$tester
eventually sh -c "ls -d '$work'/a/voltest-matrix-*"
kill -TERM $tester
wait $tester
[ $? = 130 ] || fail "exit status where it was interrupted at once"
started=
grep -q 'interrupted' out err || fail "does not say that it was interrupted"
[ "$(ls -A a)" = mine ] || fail "left behind: $(ls -A a)"
