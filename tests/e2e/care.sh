# volt create (outer, hidden), info, passwd, header, expand, dump, load: round trips without a mount
# where none is needed.
. "$(dirname "$0")/lib.sh"

printf 'outer secret-word' >outer
printf 'hidden secret-word' >hidden
printf 'new secret-word' >new
field() { sed -n "s/^ *\"$1\": \"\{0,1\}\([^\",]*\)\"\{0,1\},\{0,1\}$/\1/p" | head -1; }

# Creation: full and sparse, every label, both formats.
expect 0 '' "$VOLT" create full.hc --size 3M --pim 1 --password-file outer
[ "$(stat -c %s full.hc)" = 3145728 ] || fail "size of full.hc"
[ "$(stat -c %a full.hc)" = 600 ] || fail "mode of full.hc"
expect 0 '' "$VOLT" create sparse.hc --size 1G --quick --pim 1 --password-file outer
[ "$(stat -c %b sparse.hc)" -lt 4096 ] || fail "sparse.hc is not sparse"
expect 0 '' "$VOLT" create tc.tc --size 1M --format truecrypt --cipher serpent-twofish-aes \
  --prf whirlpool --password-file outer
"$VOLT" info tc.tc --password-file outer --json >facts || fail "info of tc.tc"
[ "$(field cipher <facts)" = serpent-twofish-aes ] || fail "cipher: $(cat facts)"
[ "$(field format <facts)" = truecrypt ] || fail "format: $(cat facts)"
[ "$(field prf <facts)" = whirlpool ] || fail "prf: $(cat facts)"
expect 0 'rounded down' "$VOLT" create odd.hc --size 1048577 --pim 1 --password-file outer
[ "$(stat -c %s odd.hc)" = 1048576 ] || fail "size of odd.hc"

expect 0 '' "$VOLT" create plain.hc --size 1M --quick --password-file outer

# Bad input to create.
expect 4 'exists already' "$VOLT" create full.hc --size 3M --pim 1 --password-file outer
expect 1 'too small' "$VOLT" create no.hc --size 1K --password-file outer
expect 1 'size' "$VOLT" create no.hc --size 12Q --password-file outer
expect 1 'size is needed' "$VOLT" create no.hc --password-file outer
expect 4 'no space' "$VOLT" create no.hc --size 9000T --password-file outer
expect 1 'cipher' "$VOLT" create no.hc --size 1M --cipher rot13 --password-file outer
expect 1 'prf' "$VOLT" create no.hc --size 1M --prf md5 --password-file outer
expect 1 'pim' "$VOLT" create no.hc --size 1M --pim 2147469 --password-file outer
expect 4 '' "$VOLT" create missing/no.hc --size 1M --password-file outer
[ ! -e no.hc ] || fail "a refused creation left a file"
head -c 129 /dev/zero | tr '\0' x >long
expect 1 '' "$VOLT" create no.hc --size 1M --password-file long
head -c 65 long >tc-long
expect 1 '' "$VOLT" create no.hc --size 1M --format truecrypt --password-file tc-long

# Interrupted creation leaves nothing, whatever ends it.
for signal in INT TERM HUP KILL; do
  env --default-signal "$VOLT" create cut.hc --size 2G --pim 1 --password-file outer >out 2>err &
  started=$!
  sleep 0.3
  kill -$signal $started
  wait $started 2>/dev/null && fail "a creation ended by SIG$signal ended as done"
  started=
  [ ! -e cut.hc ] || fail "a creation ended by SIG$signal left its file"
done

# Outer and hidden volume at once, and a hidden one inside an existing container.
expect 0 '' "$VOLT" create both.hc --size 4M --pim 1 --password-file outer --hidden-size 1M \
  --hidden-pim 1 --hidden-password-file hidden --hidden-cipher serpent
"$VOLT" info both.hc --hidden --pim 1 --password-file hidden --json >facts || fail "info of hidden"
[ "$(field size_bytes <facts)" = 1048576 ] || fail "hidden size: $(cat facts)"
[ "$(field hidden <facts)" = true ] || fail "hidden: $(cat facts)"
expect 0 '' "$VOLT" info both.hc --pim 1 --password-file outer
if command -v mkfs.fat >/dev/null || [ -x /sbin/mkfs.fat ]; then
  truncate -s $((4194304 - 262144)) fat
  PATH=$PATH:/sbin:/usr/sbin mkfs.fat fat >/dev/null
  expect 0 '' "$VOLT" create late.hc --size 4M --pim 1 --password-file outer
  expect 0 '' "$VOLT" load late.hc fat --yes --pim 1 --password-file outer
  expect 4 'leaves' "$VOLT" create late.hc --hidden --hidden-size 4M --pim 1 --password-file outer \
    --hidden-pim 1 --hidden-password-file hidden
  expect 0 '' "$VOLT" create late.hc --hidden --hidden-size 2M --pim 1 --password-file outer \
    --hidden-pim 1 --hidden-password-file hidden
  expect 0 '' "$VOLT" info late.hc --hidden --pim 1 --password-file hidden
fi
expect 4 'cannot be told.*add --yes' "$VOLT" create both.hc --hidden --hidden-size 1M --pim 1 \
  --password-file outer --hidden-pim 1 --hidden-password-file hidden

# dump and load are inverse, whole and through pipes.
random_file data $((3145728 - 262144))
expect 0 '' "$VOLT" load full.hc data --yes --pim 1 --password-file outer
expect 0 '' "$VOLT" dump full.hc dumped --pim 1 --password-file outer
cmp data dumped || fail "dump differs from what was loaded"
"$VOLT" dump full.hc --pim 1 --password-file outer | cmp - data || fail "dump through a pipe"
expect 4 '' "$VOLT" dump full.hc dumped --pim 1 --password-file outer
expect 1 'yes' "$VOLT" load full.hc data --pim 1 --password-file outer
random_file more 3145728
expect 4 'larger' "$VOLT" load full.hc more --yes --pim 1 --password-file outer
expect 0 '' "$VOLT" load full.hc data --yes --pim 1 --password-file outer

# info: every header field, and the places: asked for where a derivation takes its time.
expect 0 '' "$VOLT" info plain.hc --password-file outer --prf sha512
grep -q '^places: *not checked (--places' out || fail "places unasked: $(cat out)"
expect 0 '' "$VOLT" info plain.hc --password-file outer --prf sha512 --places --json
python3 - out <<'PY' || fail "info --json: $(cat out)"
import json, sys
info = json.load(open(sys.argv[1]))
assert info["container_bytes"] == 1048576 and info["iterations"] == 500000, info
assert info["places"] == [
    {"place": "primary", "offset_bytes": 0, "opens": True, "same_volume": True},
    {"place": "backup", "offset_bytes": 917504, "opens": True, "same_volume": True}], info
assert info["header"] == {
    "version": 5, "minimum_program_version": 0x10B, "volume_creation_time": None,
    "header_creation_time": None, "hidden_volume_bytes": 0, "volume_bytes": 786432,
    "data_offset_bytes": 131072, "data_bytes": 786432, "flags": 0, "system": False,
    "in_place": False, "sector_bytes": 512, "key_area_crc": "good", "header_crc": "good"}, info
PY
expect 0 '' "$VOLT" info both.hc --hidden --pim 1 --password-file hidden
grep -q '^places: *hidden good, backup hidden good$' out || fail "hidden places: $(cat out)"
grep -q '^hidden size: *1048576$' out || fail "hidden size: $(cat out)"

# passwd: password, then PIM, PRF and key files; the data stays.
expect 0 '' "$VOLT" passwd full.hc --json --pim 1 --password-file outer --new-password-file new
grep -q '"schema": "volt-info/1"' out || fail "passwd --json: $(cat out)"
expect 2 '' "$VOLT" info full.hc --pim 1 --prf sha512 --password-file outer
expect 0 '' "$VOLT" passwd full.hc --pim 1 --password-file new --keep-password --new-pim 2 \
  --new-prf sha256 --new-keyfile data
expect 0 '' "$VOLT" info full.hc --pim 2 --password-file new --keyfile data
expect 2 '' "$VOLT" info full.hc --pim 2 --prf sha256 --password-file new
expect 1 '' "$VOLT" passwd full.hc --pim 2 --password-file new --keyfile data --keep-password
"$VOLT" dump full.hc --pim 2 --password-file new --keyfile data | cmp - data || fail "data changed"

# header backup and restore: from a file, and from the backup inside; also read-only media.
cp full.hc ro.hc
chmod 400 ro.hc
expect 0 '' "$VOLT" header backup ro.hc saved --pim 2 --password-file new --keyfile data
[ "$(stat -c %s saved)" = 131072 ] || fail "size of the header backup"
dd if=/dev/urandom of=full.hc bs=512 count=1 conv=notrunc status=none
expect 0 'damaged' "$VOLT" info full.hc --pim 2 --prf sha256 --password-file new --keyfile data
grep -q '^places: *primary does not open, backup good$' out || fail "places: $(cat out)"
expect 1 'replaced.*add --yes' "$VOLT" header restore full.hc --pim 2 --password-file new
expect 0 'restored' "$VOLT" header restore full.hc --yes --json --pim 2 --password-file new --keyfile data
expect 0 '' "$VOLT" info full.hc --pim 2 --prf sha256 --password-file new --keyfile data
! grep -q damaged err || fail "still the backup header"
dd if=/dev/urandom of=full.hc bs=512 count=256 conv=notrunc status=none
dd if=/dev/urandom of=full.hc bs=512 seek=5888 count=256 conv=notrunc status=none
expect 2 '' "$VOLT" info full.hc --pim 2 --prf sha256 --password-file new --keyfile data
expect 0 'restored' "$VOLT" header restore full.hc saved --yes --pim 2 --password-file new \
  --keyfile data
"$VOLT" dump full.hc --pim 2 --password-file new --keyfile data | cmp - data || fail "after restore"

# Detached headers: the container's own are wiped, those in a file open it, outer and hidden.
tc=(--format truecrypt --prf sha512)
expect 0 '' "$VOLT" create far.tc --size 2M "${tc[@]}" --password-file outer --hidden-size 1M \
  --hidden-prf whirlpool --hidden-password-file hidden
expect 0 '' "$VOLT" header backup far.tc far.header --with-hidden "${tc[@]}" --password-file outer \
  --hidden-password-file hidden
head -c 500000 data >part
expect 0 '' "$VOLT" load far.tc part --yes "${tc[@]}" --password-file outer
dd if=/dev/urandom of=far.tc bs=131072 count=1 conv=notrunc status=none
dd if=/dev/urandom of=far.tc bs=131072 seek=15 count=1 conv=notrunc status=none
cp far.tc untouched
expect 2 'wrong password' "$VOLT" info far.tc "${tc[@]}" --password-file outer
far=(--header far.header --format truecrypt)
expect 0 '' "$VOLT" info far.tc "${far[@]}" --password-file outer
grep -q '^places: *primary does not open, backup does not open$' out || fail "places: $(cat out)"
expect 0 '' "$VOLT" info far.tc "${far[@]}" --password-file hidden --hidden
"$VOLT" dump far.tc "${far[@]}" --password-file outer | head -c 500000 | cmp - part ||
  fail "dump through a detached header"
mkdir there
expect 0 '' "$VOLT" open far.tc there "${far[@]}" --password-file outer
cmp -n 500000 part there/volume || fail "open with a detached header"
grep -q '"header_place": "primary (detached)"' there/status.json || fail "header_place"
expect 0 '' "$VOLT" close there
expect 0 '' "$VOLT" open far.tc there "${far[@]}" --password-file outer --protect-hidden \
  --hidden-password-file hidden
expect 1 'not permitted' dd if=/dev/zero of=there/volume bs=64K seek=16 oflag=direct conv=notrunc \
  status=none
expect 0 '' "$VOLT" close there
expect 0 '' "$VOLTD" far.tc there "${far[@]}" --password-file hidden --hidden
[ "$(stat -c %s there/volume)" = 1048576 ] || fail "hidden volume through a detached header"
expect 0 '' "$VOLT" close there
# passwd changes the file; the container stays as it is. One header of two may change.
chmod 640 far.header
expect 0 '' "$VOLT" passwd far.tc "${far[@]}" --password-file hidden --new-password-file new
[ "$(stat -c %a:%s far.header)" = 640:131072 ] || fail "far.header: $(stat -c %a:%s far.header)"
expect 2 '' "$VOLT" info far.tc "${far[@]}" --password-file hidden
expect 0 '' "$VOLT" info far.tc "${far[@]}" --password-file new --hidden
expect 0 '' "$VOLT" info far.tc "${far[@]}" --password-file outer
expect 1 'same as before' "$VOLT" passwd far.tc "${far[@]}" --password-file new --keep-password
cmp far.tc untouched || fail "a detached header's container was written to"
cat far.header far.header >large
expect 4 'larger file' "$VOLT" passwd far.tc --header large "${tc[@]}" --password-file outer \
  --new-password-file new
for file in nothing there empty; do
  [ $file != empty ] || : >empty
  expect 4 "far.tc: --header: $file" "$VOLT" info far.tc --header $file --password-file outer
  expect 4 "far.tc: --header: $file" "$VOLTD" far.tc there --header $file --password-file outer
done
head -c 100 far.header >empty
expect 4 'headers is too short' "$VOLT" info far.tc --header empty --password-file outer
expect 1 'exclude' "$VOLT" info far.tc "${far[@]}" --backup-header --password-file outer
expect 1 'restore' "$VOLT" expand far.tc "${far[@]}" --size 3M --password-file outer
expect 1 'behind the container' "$VOLT" header restore far.tc "${far[@]}" --password-file outer --yes
expect 1 'do not make' "$VOLT" create no.tc --size 1M "${far[@]}" --password-file outer
# With the header of a larger container this one is short: it is told so, and never written.
expect 0 '' "$VOLT" create big.tc --size 3M --quick "${tc[@]}" --password-file outer
expect 0 '' "$VOLT" header backup big.tc big.header "${tc[@]}" --password-file outer
sizes='should have 3145728 bytes and has 2097152'
cp far.tc untouched
expect 0 "$sizes" "$VOLT" info far.tc --header big.header "${tc[@]}" --password-file outer
expect 4 "$sizes" "$VOLT" load far.tc data --yes --header big.header "${tc[@]}" --password-file outer
expect 4 "far.tc: .*$sizes" "$VOLT" header restore far.tc big.header "${tc[@]}" --password-file outer --yes
cmp far.tc untouched || fail "a header of another container was used for writing"
rm -f untouched part far.tc big.tc

# expand: larger, the old contents in front.
expect 0 'grown' "$VOLT" expand full.hc --size 5M --pim 2 --password-file new --keyfile data
[ "$(stat -c %s full.hc)" = 5242880 ] || fail "size after expand"
"$VOLT" dump full.hc --pim 2 --password-file new --keyfile data | head -c $((3145728 - 262144)) |
  cmp - data || fail "data after expand"
expect 0 '' "$VOLT" info full.hc --backup-header --pim 2 --password-file new --keyfile data
expect 1 'already' "$VOLT" expand full.hc --size 5M --pim 2 --password-file new --keyfile data

# --fs: each tool that is here makes its file system on the new volume.
for type in ext4 ext2 fat exfat ntfs; do
  PATH=$PATH:/sbin:/usr/sbin command -v "mkfs.$type" >/dev/null || continue
  expect 0 '' "$VOLT" create "$type.hc" --size 40M --quick --pim 1 --password-file outer --fs $type
  expect 0 '' "$VOLT" dump "$type.hc" "$type.img" --pim 1 --password-file outer
  shown=$(blkid -p -s TYPE -o value "$type.img")
  [ "${shown/vfat/fat}" = $type ] || fail "--fs $type gave '$shown'"
  rm -f "$type.hc" "$type.img"
done
! grep -q volt- /proc/self/mountinfo || ! grep -q ' /tmp/volt-[A-Za-z0-9]*/' /proc/self/mountinfo ||
  fail "a temporary mount is left"
expect 1 'fs' "$VOLT" create no.hc --size 1M --fs zfs --password-file outer
# File systems with tables everywhere do not leave room for a hidden volume.
expect 1 'into the hidden volume' "$VOLT" create no.hc --size 40M --fs ext4 --hidden-size 8M \
  --pim 1 --password-file outer --hidden-pim 1 --hidden-password-file hidden
[ ! -e no.hc ] || fail "a refused creation left a file"
# A missing tool is named, before anything is made.
mkdir bare
ln -s "$(command -v sh)" bare/sh
if ! PATH=/sbin:/usr/sbin command -v mkfs.exfat >/dev/null; then
  expect 1 'mkfs.exfat is not installed' env PATH=$work/bare "$VOLT" create no.hc --size 40M \
    --fs exfat --pim 1 --password-file outer
fi

# A block device is used whole, and only with --yes where nobody can be asked.
truncate -s 2M disk
if loop=$(losetup -f --show disk 2>/dev/null); then
  expect 1 'lost.*add --yes' "$VOLT" create "$loop" --pim 1 --password-file outer
  cmp -n 2097152 "$loop" /dev/zero || fail "a refused creation wrote to the device"
  expect 0 '' "$VOLT" create "$loop" --yes --json --quick --pim 1 --password-file outer
  grep -q '"container_bytes": 2097152' out || fail "create --json: $(cat out)"
  expect 0 '' "$VOLT" info "$loop" --pim 1 --password-file outer
  losetup -d "$loop"
fi
