#!/bin/bash
# Encrypted volumes: what is written is read back after closing, other programs' containers show
# their file systems, a hidden volume is protected, a full disk and kill -9 lose nothing.
. "$(dirname "$0")/lib.sh"

printf 'correct horse\n' >password
printf 'wrong horse\n' >wrong
with=(--password-file password --prf sha512)

# Its own containers.
for cipher in aes aes-twofish-serpent; do
  expect 0 "" "$VOLT" create image.$cipher --size 4M --cipher $cipher --quick "${with[@]}"
  mkdir -p m
  expect 0 "" "$VOLT" open image.$cipher m "${with[@]}"
  size=$(stat -c %s m/volume)
  [ "$size" = $((4194304 - 262144)) ] || fail "size $size"
  random_file plain.$cipher "$size"
  dd if=plain.$cipher of=m/volume bs=70001 conv=notrunc,fsync status=none || fail "write"
  python3 - m/status.json $cipher <<'PY' || fail "status.json"
import json, sys
status = json.load(open(sys.argv[1]))
assert status["cipher"] == sys.argv[2] and status["format"] == "veracrypt", status
assert status["kernel"] and status["prf"] == "sha512" and status["mode"] == "xts", status
assert status["io"]["write"]["bytes"] == status["size_bytes"], status
assert status["io"]["write"]["errors"] == 0 and status["io"]["flush"]["requests"] > 0, status
PY
  expect 0 "" "$VOLT" close m
  ! grep -q -F -f <(head -c 64 plain.$cipher | xxd -p | head -1) <(xxd -p image.$cipher) ||
    fail "plaintext in the container"
  expect 0 "" "$VOLT" open --read-only --no-hw-aes image.$cipher m "${with[@]}"
  cmp plain.$cipher m/volume || fail "reads back differently"
  expect 0 "" "$VOLT" close m
  expect 2 "image.$cipher: wrong password, PIM or key file, or not a container$" \
    "$VOLT" open image.$cipher m --password-file wrong --prf sha512 --format veracrypt
done

# Every channel of a password.
for channel in "--password-file -" "--password-command cat\ password" "--password-fd 7"; do
  eval "channel=($channel)"
  timeout 60 "$VOLT" open image.aes m --prf sha512 "${channel[@]}" <password 7< <(printf %s \
    'correct horse') 2>err || fail "${channel[*]}"
  expect 0 "" "$VOLT" close m
done
# With a terminal: asks there, without echo.
if command -v script >/dev/null; then
  (sleep 0.7; cat password; sleep 0.5) |
    script -q -e -c "'$VOLT' open --prf sha512 image.aes m" typed >/dev/null || fail "prompt"
  ! grep -q horse typed || fail "the password was echoed"
  expect 0 "" "$VOLT" close m
fi

# kill -9: what fsync acknowledged is there.
expect 0 "" "$VOLT" open image.aes m "${with[@]}"
dd if=/dev/zero of=m/volume bs=1M count=1 seek=1 conv=notrunc,fsync status=none || fail "write"
kill -9 "$(daemon_of m)"
expect 0 "had died" "$VOLT" open image.aes m "${with[@]}"
cmp -n 1048576 -i 1048576:0 m/volume /dev/zero || fail "fsynced data is lost"
expect 0 "" "$VOLT" close m

data=${VOLT_TEST_DATA:-$VOLT_SOURCE_ROOT/../shared}
[ -f "$data/images/tcrypt.tar.xz" ] || skip "no images by other programs (the rest has passed)"
tar -xf "$data/images/tcrypt.tar.xz"
field() { grep -P "^$1\t" "$data/images/tcrypt.tsv" | cut -f "$2"; }
opens() {
  local name=$1 password=$2 uuid=$3
  shift 3
  printf %s "$password" >image-password
  expect 0 "" "$VOLT" open --read-only "tcrypt/$name" m --password-file image-password "$@"
  local got
  got=$(blkid -p -o value -s UUID m/volume)
  [ "$got" = "$uuid" ] || fail "$name: UUID '$got', not '$uuid'"
  expect 0 "" "$VOLT" close m
}
command -v blkid >/dev/null || skip "blkid is not installed (the rest has passed)"
for name in tc_4-ripemd160-xts-aes tc_2-ripemd160-cbc-aes; do
  opens "$name" "$(field "$name" 2)" "$(field "$name" 5)" --format truecrypt
done

# The hidden volume in an outer one, and its protection.
name=tc_5-sha512-xts-serpent-twofish-aes-hidden
hint=(--format truecrypt --prf sha512)
opens $name "$(field $name 2)" "$(field $name 5)" "${hint[@]}"
opens $name "$(field $name 6)" "$(field $name 7)" "${hint[@]}" --hidden
printf %s "$(field $name 2)" >outer
printf %s "$(field $name 6)" >hidden
chmod u+w tcrypt/$name
for mode in refuse read-only; do
  expect 0 "" "$VOLT" open tcrypt/$name m --password-file outer "${hint[@]}" --protect-hidden \
    --hidden-password-file hidden --hidden-prf sha512 --on-violation $mode
  size=$(stat -c %s m/volume)
  cp m/volume before
  dd if=before of=m/volume bs=512 count=1 conv=notrunc status=none || fail "write outside"
  expect 1 "not permitted" dd if=/dev/zero of=m/volume bs=1M conv=notrunc oflag=direct status=none
  grep -q '"refused_writes": [1-9]' m/status.json || fail "not counted"
  if [ $mode = refuse ]; then
    dd if=before of=m/volume bs=512 count=1 conv=notrunc status=none || fail "write outside"
  else
    expect 1 "ead-only" dd if=before of=m/volume bs=512 count=1 conv=notrunc status=none
  fi
  expect 0 "" "$VOLT" close m
done
opens $name "$(field $name 6)" "$(field $name 7)" "${hint[@]}" --hidden
