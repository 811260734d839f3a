#!/bin/bash
# Sparse containers of 3 TiB and 20 TiB: what is written at 4 GiB, 2 TiB and the end reads back, and
# lies in the container where it belongs; the same in a hidden volume.
. "$(dirname "$0")/lib.sh"

printf 'outer secret-word' >outer
printf 'hidden secret-word' >hidden
tc=(--format truecrypt --prf sha512)
random_file piece 1048576
mkdir m

# ext4 ends at 16 TiB, so a file system in memory is tried first: its files may be larger.
place=
for folder in /dev/shm "$work"; do
  [ -d "$folder" ] && [ -w "$folder" ] || continue
  place=$(mktemp -d "$folder/volt-huge.XXXXXX") || continue
  truncate -s 20T "$place/probe" 2>/dev/null && break
  rm -rf "$place"
  place=
done
[ -n "$place" ] || skip "no file system here holds files of 20 TiB"
rm -f "$place/probe"
elsewhere=$place

# at OFFSET COMMAND: one MiB of the open volume at a byte offset.
write_at() {
  dd if=piece of=m/volume bs=1M seek="$1" oflag=seek_bytes conv=notrunc,fsync status=none ||
    fail "write at $1"
}
same_at() {
  dd if=m/volume bs=1M count=1 skip="$1" iflag=skip_bytes status=none | cmp - piece ||
    fail "at $1 other data is read"
}
# The container's bytes from OFFSET on: a MiB that is all there and not what was written.
lies_at() {
  python3 - "$image" "$1" piece <<'PY' || fail "nothing of $image lies at $1"
import os, sys
fd = os.open(sys.argv[1], os.O_RDONLY)
offset = int(sys.argv[2])
plain = open(sys.argv[3], "rb").read()
assert os.lseek(fd, offset, os.SEEK_DATA) == offset, "a hole"
stored = os.pread(fd, len(plain), offset)
assert len(stored) == len(plain) and stored != plain
assert all(any(stored[i:i + 512]) for i in range(0, len(stored), 512)), "zeros"
PY
}
# No data anywhere but in the given MiBs and the headers (with what a page rounds up).
lies_nowhere_else() {
  python3 - "$image" "$@" <<'PY' || fail "data where none was written"
import os, sys
fd = os.open(sys.argv[1], os.O_RDONLY)
size = os.fstat(fd).st_size
allowed = [(0, 131072), (size - 131072, size)]
allowed += [(int(o), int(o) + 1048576) for o in sys.argv[2:]]
at = 0
while at < size:
    try:
        begin = os.lseek(fd, at, os.SEEK_DATA)
    except OSError:
        break
    end = os.lseek(fd, begin, os.SEEK_HOLE)
    page = begin
    while page < end:
        assert any(a - 4096 < page < b for a, b in allowed), page
        page += 4096
    at = end
PY
}

GiB=$((1 << 30))
for size in 3 20; do
  bytes=$((size << 40))
  image=$place/image
  rm -f "$image"
  expect 0 'sparse container larger' "$VOLT" create "$image" --size ${size}T --quick "${tc[@]}" \
    --password-file outer --hidden-size $((size - 1))T --hidden-prf sha512 \
    --hidden-password-file hidden --hidden-cipher aes
  [ "$(stat -c %s "$image")" = $bytes ] || fail "size of the container"

  expect 0 '' "$VOLT" open "$image" m "${tc[@]}" --password-file outer
  last=$((bytes - 262144 - 1048576))
  [ "$(stat -c %s m/volume)" = $((last + 1048576)) ] || fail "size of the volume"
  # 2 TiB lies in the hidden volume of the smaller container; it comes into being afterwards.
  places="$((4 * GiB - 4096)) $((2048 * GiB - 512)) $last"
  for at in $places; do write_at "$at"; done
  expect 0 '' "$VOLT" close m
  expect 0 '' "$VOLT" open --read-only "$image" m "${tc[@]}" --password-file outer
  for at in $places; do same_at "$at"; done
  expect 0 '' "$VOLT" close m
  for at in $places; do lies_at $((131072 + at)); done
  # shellcheck disable=SC2046  # several numbers
  lies_nowhere_else $(for at in $places; do echo $((131072 + at)); done)

  # The hidden volume ends where the outer one does.
  begin=$((bytes - 131072 - ((size - 1) << 40)))
  "$VOLT" info "$image" --hidden --json "${tc[@]}" --password-file hidden >facts || fail "info"
  grep -q "\"data_offset_bytes\": $begin," facts || fail "hidden volume at: $(cat facts)"
  expect 0 '' "$VOLT" open "$image" m --hidden "${tc[@]}" --password-file hidden
  [ "$(stat -c %s m/volume)" = $(((size - 1) << 40)) ] || fail "size of the hidden volume"
  places="$((4 * GiB + 8192)) $((2048 * GiB - 1048576)) $((((size - 1) << 40) - 1048576))"
  for at in $places; do write_at "$at"; done
  expect 0 '' "$VOLT" close m
  expect 0 '' "$VOLT" open --read-only "$image" m --hidden "${tc[@]}" --password-file hidden
  for at in $places; do same_at "$at"; done
  expect 0 '' "$VOLT" close m
  for at in $places; do lies_at $((begin + at)); done

  # Protected, the outer volume takes writes up to the hidden one's first byte and none behind it.
  expect 0 '' "$VOLT" open "$image" m "${tc[@]}" --password-file outer --protect-hidden \
    --hidden-password-file hidden
  write_at $((begin - 131072 - 1048576))
  expect 1 'not permitted' dd if=piece of=m/volume bs=1M seek=$((begin - 131072)) \
    oflag=seek_bytes,direct conv=notrunc status=none
  expect 0 '' "$VOLT" close m
done

# Growing one moves the backup headers.
expect 0 'grown' "$VOLT" expand "$image" --size 21T --quick "${tc[@]}" --password-file outer
expect 0 '' "$VOLT" info "$image" "${tc[@]}" --password-file outer --places
grep -q 'places: *primary good, backup good' out || fail "after growing: $(cat out)"
expect 0 '' "$VOLT" info "$image" "${tc[@]}" --password-file hidden --hidden --backup-header
