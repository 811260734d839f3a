#!/bin/bash
# voltest matrix: makes containers, measures them beside plain ones, and leaves nothing.
. "$(dirname "$0")/lib.sh"
: "${VOLTEST:?path of voltest}"
mkdir a b

expect 0 "" "$VOLTEST" matrix --dir a --ciphers aes --fill 0,54 --size 8M --runtime 30ms --loops 2 \
  --json matrix.json --markdown matrix.md
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
[ -z "$(ls -A a b | grep -v :)" ] || fail "left behind: $(ls -A a b)"
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
expect 1 "no such cipher" "$VOLTEST" matrix --dir a --ciphers rot13
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
[ $? = 1 ] || fail "exit status of an interrupted run"
started=
[ -z "$(ls -A a)" ] || fail "left behind: $(ls -A a)"
