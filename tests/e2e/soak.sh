#!/bin/bash
# A long life in minutes: mixed requests from several processes through the mount, each checked
# against a model, and no growth of voltd's memory, threads or descriptors.
# VOLT_SOAK_REQUESTS: how many in memory; a tenth of it on a disk. By hand: 1000000.
. "$(dirname "$0")/lib.sh"

[ "$(id -u)" = 0 ] || skip "only root can look into voltd"
requests=${VOLT_SOAK_REQUESTS:-20000}
printf 'correct horse' >password
with=(--prf sha512 --format truecrypt --password-file password)
mkdir m

# soak.py REQUESTS SEED: four processes; regions meet inside data units. 512 bytes to 1 MiB, small
# ones oftener, half of them unaligned; reads are compared with what was written.
cat >soak.py <<'PY'
import os, random, sys
processes, region = 4, 6 * 1048576 + 77
noise = memoryview(os.urandom(2 * 1048576))
def play(process, requests, seed):
    choose = random.Random(seed * processes + process)
    volume, start = os.open("m/volume", os.O_RDWR), process * region
    model = bytearray(os.pread(volume, region, start))
    while len(model) < region: model += os.pread(volume, region - len(model), start + len(model))
    for request in range(requests):
        kind = choose.random()
        length = int(512 * 2 ** (11 * choose.random() ** 2))
        offset = choose.randrange(region - length)
        if choose.random() < 0.5:
            offset = (start + offset) // 512 * 512 - start + (512 if offset < 512 else 0)
            length = min(length // 512 * 512, region - offset)
        if kind < 0.48:
            got = os.pread(volume, length, start + offset)
            assert got == model[offset:offset + length], ("read", seed, process, request, offset)
        elif kind < 0.96:
            begin = choose.randrange(len(noise) - length)
            data = noise[begin:begin + length]
            put = os.pwrite(volume, data, start + offset)
            assert put == length, ("write", seed, process, request, put)
            model[offset:offset + length] = data
        elif kind < 0.985:
            os.fsync(volume)
        elif kind < 0.995:
            with open("m/status.json", "rb") as status: assert len(status.read()) > 100
        else:
            os.close(volume)
            volume = os.open("m/volume", os.O_RDWR)
requests, seed = int(sys.argv[1]) // processes, int(sys.argv[2])
children = []
for process in range(processes):
    child = os.fork()
    if child == 0:
        play(process, requests, seed)
        os._exit(0)
    children.append(child)
sys.exit(any([os.waitpid(child, 0)[1] for child in children]))
PY

# Of voltd: resident KiB, locked KiB, threads, descriptors. The kernel lends io_uring threads of its
# own, which come and go.
measure() {
  awk '{field[$1] = $2} END {printf "%d %d ", field["VmRSS:"], field["VmLck:"]}' "/proc/$1/status"
  echo "$(cat "/proc/$1/task/"*/comm | grep -c -v '^iou-') $(ls "/proc/$1/fd" | wc -l)"
}

soak() {
  local image=$1 count=$2 seed=$((RANDOM + 1)) pid before after
  expect 0 "" "$VOLT" create "$image" --size 32M "${with[@]}" --quick
  expect 0 "" "$VOLT" open "$image" m "${with[@]}"
  pid=$(daemon_of m)
  python3 soak.py 4000 "$seed" || fail "seed $seed"
  before=$(measure "$pid")
  python3 soak.py "$count" $((seed + 1)) || fail "seed $((seed + 1))"
  after=$(measure "$pid")
  echo "$image: $count requests; resident, locked KiB, threads, descriptors: $before; then $after"
  [ "${before#* }" = "${after#* }" ] || fail "locked memory, threads or descriptors change"
  [ $((${after%% *} - ${before%% *})) -lt 1024 ] || fail "memory grows"
  python3 - "$count" <<'PY' || fail "status.json"
import json, sys
io = json.load(open("m/status.json"))["io"]
assert all(io[kind]["errors"] == 0 for kind in io), io
assert io["read"]["requests"] + io["write"]["requests"] >= int(sys.argv[1]) * 0.9, io
PY
  expect 0 "" "$VOLT" close m
  eventually gone "$pid"
}

soak image $((requests / 10))
in_memory=$(mktemp -d -p /dev/shm volt-e2e.XXXXXX 2>/dev/null) || skip "no /dev/shm (the rest has passed)"
elsewhere=$in_memory
ln -s "$in_memory" memory
soak memory/image "$requests"
