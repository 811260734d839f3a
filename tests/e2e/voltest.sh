#!/bin/bash
# voltest on real mounts: figures, refusals, faults of the target, interruption. Nothing here
# depends on how fast the machine is.
. "$(dirname "$0")/lib.sh"
: "${VOLTEST:?path of voltest}"
quick="--runtime 50ms --loops 2 --size 8M"

# check FILE EXPRESSION: a Python expression over the JSON document d.
check() {
  python3 -c '
import json, sys
d = json.load(open(sys.argv[1]))
assert eval(sys.argv[2]), sys.argv[2]
' "$1" "$2" 2>"$work/err" || fail "$2"
}
# What was made in a folder must be gone.
empty() { [ -z "$(ls -A "$1")" ] || fail "left behind: $(ls -A "$1")"; }

mkdir folder m
random_file image 9437184
expect 0 "" "$VOLT" open --plain image m
cp image before

# A mount of voltd: reads only, unless told otherwise.
expect 0 "" "$VOLTEST" seq m $quick --json seq.json
check seq.json 'd["schema"] == "voltest/1" and d["target"]["kind"] == "voltd"'
check seq.json '[r["op"] for r in d["results"]] == ["read", "read"]'
check seq.json '{r["test"] for r in d["results"]} == {"seq1m-q8t1", "seq1m-q1t1"}'
check seq.json 'len(d["left_out"]) == 2 and all("--destructive" in r["why"] for r in d["left_out"])'
check seq.json 'all(r["daemon_cpu_ns"] > 0 for r in d["results"])'
contract seq.json m/status.json
grep -q 'left out: needs --destructive' out || fail "does not say what was left out"
"$VOLT" close m && cmp image before || fail "a read test changed the volume"
expect 0 "" "$VOLT" open --plain image m
expect 0 "" "$VOLTEST" rand m $quick --destructive --json rand.json
check rand.json 'len(d["results"]) == 4 and d["left_out"] == []'
check rand.json 'all(len(r["runs"]) == 2 and r["bytes"] > 0 for r in d["results"])'
contract rand.json

# A folder: a file of its own, gone afterwards; a file of that name is left alone.
expect 0 "" "$VOLTEST" seq folder $quick --json folder.json --csv folder.csv --markdown folder.md
check folder.json 'len(d["results"]) == 4 and d["target"]["writable"]'
[ "$(wc -l <folder.csv)" = 5 ] || fail "CSV has not one line a row"
grep -q '| seq1m-q8t1 | read |' folder.md || fail "no Markdown table"
contract folder.json
grep -q 'test data made beforehand at .* MB/s' out || fail "the generator's rate is not told"
empty folder
expect 1 "read-only" "$VOLTEST" seq folder $quick --read-only
# Where the result cannot be written is found out before the measurement; what is there stays.
expect 4 "absent/x.json: opening it for the result" "$VOLTEST" seq folder --json absent/x.json
expect 1 "only one of" "$VOLTEST" seq folder --json - --csv -
expect 1 "less than the 1 MiB" "$VOLTEST" seq folder --size 1K
expect 0 "" "$VOLTEST" rand image $quick --read-only
for engine in io_uring threads; do
  expect 0 "" "$VOLTEST" rand folder $quick --engine $engine --profile mixed --json engine.json
  check engine.json "d['settings']['engine'] == '$engine' and d['results'][0]['op'] == 'mixed'"
done
grep -q 'fallback engine' out || fail "the fallback does not say that it is one"
# Several threads, each with its slice: through a cache each byte is read once, so that the total is
# known whatever their number.
head -c 8M image >small-image
for threads in 1 2 4 16; do
  expect 0 "" "$VOLTEST" rand small-image --buffered --read-only --size 8M --runtime 60 --loops 2 \
    --threads $threads --depth 2 --json t.json
  check t.json "[r['bytes'] for r in d['results'][0]['runs']] == [8 << 20] * 2"
  check t.json "all(r['requests'] == 2048 for r in d['results'][0]['runs'])"
done
contract t.json engine.json
check t.json 'd["target"]["direct_state"] == "not asked for" and not d["target"]["direct"]'
grep -q 'O_DIRECT is not in use.*fit into memory.*a cache may still answer' out ||
  fail "a small file without O_DIRECT is not told"
ln -s folder link
expect 0 "" "$VOLTEST" seq link $quick

# Refusals.
expect 4 "No such file" "$VOLTEST" seq absent
mkfifo fifo
expect 4 "neither a folder" "$VOLTEST" seq fifo
expect 1 "not a size" "$VOLTEST" seq folder --size much
expect 1 "" "$VOLTEST" seq
expect 1 "" "$VOLTEST" nonsense
truncate -s 64M sparse
expect 0 "" "$VOLTEST" rand sparse $quick
grep -q 'sparse file' out || fail "a sparse file is not told"

# --read-only never opens for writing: neither the file nor anything else.
"$VOLTEST" rand small-image --read-only --runtime 60 --loops 1 --size 8M >out 2>err &
tester=$!
started=$tester
# The flags of each descriptor of that file, in voltest and its children.
flags_of_opened() {
  local pid fd
  for pid in $tester $(cat /proc/$tester/task/*/children 2>/dev/null); do
    for fd in /proc/$pid/fd/*; do
      [ "$(readlink "$fd")" != "$work/small-image" ] || sed -n 's/^flags:\s*//p' "/proc/$pid/fdinfo/${fd##*/}"
    done
  done
}
opened() { flags_of_opened | grep -q .; }
eventually opened
flags_seen=$(flags_of_opened)
[ -n "$flags_seen" ] || fail "the run ended before its descriptors were looked at"
for flags in $flags_seen; do
  [ $((flags & 3)) = 0 ] || fail "opened for writing with --read-only"
done
kill -INT $tester
wait $tester
started=

# A disk slower than 1 MB/s: a modelled one, read at random one by one.
mkdir slow
truncate -s 8G slow.img
expect 0 "" "$VOLT" open --testing --plain model:hdd-5400:slow.img slow
expect 0 "" "$VOLTEST" rand slow --read-only --depth 1 --runtime 300ms --loops 2 --size 8G --json s.json
check s.json 'all(0 < r["mb_per_s"] < 1 and r["bytes"] >= 4096 for r in d["results"][0]["runs"])'
grep -q 'a model of a disk' out || fail "a modelled disk is not told"
expect 0 "" "$VOLT" close slow

# Comparing with itself; verdicts are there, whatever they are.
expect 0 "" "$VOLTEST" compare --baseline m m folder $quick --destructive --json compare.json
check compare.json 'len(d["comparisons"]) == 16 and len(d["targets"]) == 3'
contract compare.json
check compare.json 'all(c["interval_95"][0] <= c["ratio"] <= c["interval_95"][1] for c in d["comparisons"])'

# A page of all that.
expect 0 "" "$VOLTEST" report seq.json compare.json -o page.html
grep -q 'id="data"' page.html || fail "no page"
head -c 1000 seq.json >cut-off.json
expect 1 "not JSON, or cut off" "$VOLTEST" report cut-off.json -o page.html
expect 1 "a folder" "$VOLTEST" report folder -o page.html
expect 1 "one of the results" "$VOLTEST" report seq.json compare.json -o ./seq.json
contract seq.json

# The other kinds of result.
expect 0 "" "$VOLTEST" cpu --cipher aes --loops 1 --buffer 64K --no-hw --json cpu.json --csv cpu.csv --markdown cpu.md
grep -q '^aes,.*,65536,' cpu.csv && grep -q '^| aes |' cpu.md || fail "CSV and Markdown of cpu"
expect 0 "" "$VOLTEST" kdf --prf sha512 --loops 1 --json kdf.json --csv kdf.csv --markdown kdf.md
grep -q '^veracrypt,sha512,default,' kdf.csv && grep -q '^| veracrypt |' kdf.md || fail "CSV of kdf"
echo secret >password
expect 0 "" "$VOLT" create made.hc --size 1M --quick --pim 1 --password-file password --json
cp out create.json
expect 0 "" "$VOLT" info made.hc --pim 1 --password-file password --json
cp out info.json
expect 0 "" "$VOLT" list --json
cp out list.json
contract cpu.json kdf.json create.json info.json list.json

# A file system that loses an open file when its name goes: the name goes at the end instead.
if command -v gocryptfs >/dev/null; then
  mkdir sealed clear
  gocryptfs -q -init -extpass "echo x" sealed >err 2>&1 && gocryptfs -q -extpass "echo x" sealed clear >err 2>&1
  if ! not_mounted "$work/clear"; then
    expect 0 "" "$VOLTEST" seq clear $quick --json sealed.json
    contract sealed.json
    grep -q 'fuse.gocryptfs: O_DIRECT ends at its daemon' out || fail "no word on the cache below"
    empty clear
    fusermount3 -u clear
  fi
fi

# On a terminal: bars, nothing wider than it, no colours; elsewhere neither bars nor progress.
on_terminal() { LC_ALL=C.UTF-8 python3 "$VOLT_SOURCE_ROOT/tests/e2e/on_terminal.py" "$@" >terminal 2>err; }
for columns in 40 80 200; do
  on_terminal $columns "$VOLTEST" seq folder $quick || fail "on a terminal of $columns columns"
  tr -d '\r' <terminal | sed 's/.*\x1b\[K//' >lines
  [ "$(LC_ALL=C.UTF-8 wc -L <lines)" -le $columns ] || fail "wider than $columns"
  ! grep -q $'\x1b\[[0-9;]*m' terminal || fail "colours"
  [ $columns = 40 ] || grep -q '█' lines || fail "no bars at $columns columns"
done
expect 0 "" "$VOLTEST" seq folder $quick
! grep -q $'█\|\x1b' out || fail "bars or progress where there is no terminal"
on_terminal 80:1 "$VOLTEST" seq folder --runtime 30 --size 8M
[ $? = 130 ] && grep -q 'interrupted' terminal && grep -q ' left  seq1m' terminal || fail "Ctrl-C typed"
empty folder

# Ctrl-C: the results so far, marked, without the rest of the run, and nothing left.
"$VOLTEST" rand folder --runtime 30 --size 8M --json cut.json >out 2>err &
tester=$!
started=$tester
eventually grep -q . "/proc/$tester/stat"
sleep 1
kill -INT $tester
wait $tester
[ $? = 130 ] || fail "exit status of an interrupted run"
started=
# The run that was under way was not waited for: it is told, and is shorter than it was to be.
check cut.json 'd["interrupted"] and len(d["results"]) >= 1'
check cut.json 'sum(run["elapsed_ns"] for r in d["results"] for run in r["runs"]) < 30 * 10**9'
grep -q 'interrupted' out || fail "does not say that it was interrupted"
empty folder

# The target stalls, and disappears.
pid=$(daemon_of m)
started=$pid
("$VOLTEST" rand m --runtime 20 --loops 1 --size 8M --stall 1 --json stall.json >stall.out 2>&1; echo $? >status) &
sleep 1
kill -STOP "$pid"
eventually test -s status
kill -CONT "$pid"
[ "$(cat status)" = 4 ] || fail "exit status of a stalled run: $(cat status)"
grep -q 'stalled: nothing completed for 1 s' stall.out || fail "the stall is not told"
rm -f status
("$VOLTEST" rand m --runtime 20 --loops 1 --size 8M --json gone.json >gone.out 2>&1; echo $? >status) &
sleep 1
kill -9 "$pid"
started=
eventually test -s status
[ "$(cat status)" = 4 ] || fail "exit status where the mount went away: $(cat status)"
grep -q 'the mount or device has gone' gone.out || fail "the loss is not told"
umount -l m 2>/dev/null || fusermount3 -u -z m

# Root only: file systems of our own.
if [ "$(id -u)" = 0 ] && mkdir small && mount -t tmpfs -o size=12M none small 2>/dev/null; then
  expect 0 "" "$VOLTEST" seq small --runtime 50ms --loops 2 --size 1G --json small.json
  grep -q 'only .* are free' out || fail "does not say that the file is smaller"
  grep -q 'in memory' out || fail "does not say that it is memory"
  check small.json 'd["target"]["range_bytes"] == 10 << 20'
  empty small
  head -c 11M /dev/zero >small/full
  expect 4 "free" "$VOLTEST" seq small $quick
  rm small/full
  # Full below the volume: a container with holes and no room to fill them.
  truncate -s 64M small/image
  expect 0 "" "$VOLT" open --plain small/image m
  expect 4 "is full" "$VOLTEST" seq m --destructive --size 32M --runtime 50ms
  expect 0 "" "$VOLTEST" seq m --read-only --size 2M --runtime 50ms --loops 1
  "$VOLT" close m 2>/dev/null
  eventually not_mounted "$work/m"
  mount -o remount,ro small
  expect 4 "can only be read" "$VOLTEST" seq small $quick
  expect 4 "can only be read" "$VOLTEST" seq small/image $quick --destructive
  expect 0 "" "$VOLTEST" seq small/image $quick --read-only
  umount small
  if command -v mkfs.btrfs >/dev/null; then
    truncate -s 128M btrfs.img
    mkfs.btrfs -q btrfs.img >/dev/null 2>&1
    if mount -o loop,compress=zstd btrfs.img small 2>/dev/null; then
      expect 0 "" "$VOLTEST" rand small $quick
      grep -q 'btrfs: compresses what it stores' out || fail "compression is not told"
      grep -q 'a loop device that reads its file through the page cache' out || fail "no word on loop"
      empty small
      umount small
    fi
  fi
  # Nobody in particular can do all that.
  chmod 777 folder
  expect 0 "" setpriv --reuid=65534 --regid=65534 --clear-groups "$VOLTEST" seq folder $quick
  empty folder
fi
