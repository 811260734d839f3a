#!/bin/bash
# Passwords, PIMs and key files at their limits: each opens what it made, or is refused by name, and
# nothing else opens it.
. "$(dirname "$0")/lib.sh"

tc=(--format truecrypt --prf sha512 --cipher aes)
vc=(--format veracrypt --prf sha512 --cipher aes --pim 1)
# repeated TEXT COUNT
repeated() { printf "%.0s$1" $(seq "$2"); }

# made WORD OPTIONS...: makes and opens again; the password stands in ./password.
made() {
  rm -f v
  expect 0 '' "$VOLT" create v --size 300K --quick --password-file password "$@"
  expect 0 '' "$VOLT" info v --password-file password "$@"
}
refused() {
  local why=$1
  shift
  rm -f v
  expect 1 "$why" "$VOLT" create v --size 300K --quick --password-file password "$@"
  [ ! -e v ] || fail "made after all"
  expect 1 "$why" "$VOLT" info any --password-file password "$@"
}
printf any >password
expect 0 '' "$VOLT" create any --size 300K --quick --password-file password "${tc[@]}"

# Lengths in bytes: 64 for TrueCrypt, 128 for VeraCrypt, whatever the characters and the locale.
for locale in C C.UTF-8; do
  export LC_ALL=$locale
  for text in "x 64" "é 32" "€ 21"; do
    repeated $text >password
    made "${tc[@]}"
  done
  for text in "x 65" "é 33" "€ 22"; do
    repeated $text >password
    refused '64 bytes' "${tc[@]}"
    made "${vc[@]}"
  done
  for text in "x 128" "é 64" "€ 42"; do
    repeated $text >password
    made "${vc[@]}"
  done
  for text in "x 129" "é 65" "€ 43"; do
    repeated $text >password
    refused '128 bytes' "${vc[@]}"
  done
done
unset LC_ALL
# Never cut: the last byte counts.
repeated x 128 >password
made "${vc[@]}"
(repeated x 127; printf y) >password
expect 2 'wrong password' "$VOLT" info v --password-file password "${vc[@]}"

# One newline at the end is dropped, of either kind; another one, and bytes of any value, count.
# (Not so zeros at the very end: HMAC fills short keys with them.)
printf 'pass word' >password
made "${tc[@]}"
for ending in '\n' '\r\n'; do
  printf "pass word$ending" >password
  expect 0 '' "$VOLT" info v --password-file password "${tc[@]}"
done
for other in 'pass word\n\n' 'pass word ' 'pass word\r' ' pass word' 'pass word\0x' 'pass' 'Pass word'; do
  printf "$other" >password
  expect 2 'wrong password' "$VOLT" info v --password-file password "${tc[@]}"
  made "${tc[@]}"
  printf 'pass word' >password
  expect 2 'wrong password' "$VOLT" info v --password-file password "${tc[@]}"
  made "${tc[@]}"
done
printf 'a\0b' >password
made "${tc[@]}"
for other in 'a\0c' 'a' 'a\0' 'ab'; do
  printf "$other" >password
  expect 2 'wrong password' "$VOLT" info v --password-file password "${tc[@]}"
done
cat >password <<'TEXT'
"quoted" 'twice' `back` $HOME \n ! %s ; & | * ~ #
TEXT
made "${tc[@]}"
for channel in "--password-command=cat password" "--password-file=-"; do
  "$VOLT" info v "$channel" "${tc[@]}" <password >out 2>err || fail "$channel"
done
"$VOLT" info v --password-fd 7 "${tc[@]}" 7< <(head -c -1 password) >out 2>err || fail "--password-fd"
: >password
expect 2 'it is empty' "$VOLT" info v --password-file password "${tc[@]}"
printf '\n' >password
expect 2 'it is empty' "$VOLT" info v --password-file password "${tc[@]}"

# PIM: 0 is the default, the largest is 2147468; TrueCrypt has none.
printf 'pass word' >password
made --format veracrypt --prf sha512 --cipher aes --pim 0
expect 0 '' "$VOLT" info v --password-file password --prf sha512 --cipher aes
refused 'pim' --pim 2147469
refused 'pim' --pim -1
refused 'pim' --pim 1x
refused 'PIM' "${tc[@]}" --pim 1
# It takes hours, which a signal ends at once; nothing is left.
for command in "info any" "create w --size 300K --quick" "passwd any --new-pim 5"; do
  "$VOLT" $command --password-file password --format veracrypt --prf sha512 --pim 2147468 \
    --cipher aes >out 2>err </dev/null &
  started=$!
  sleep 0.5
  kill -0 $started 2>/dev/null || fail "PIM 2147468 is not taken: $command"
  kill -TERM $started
  eventually gone $started
  wait $started
  got=$?
  [ $got = 130 ] || fail "exit status $got of an interrupted derivation: $command"
  grep -q interrupted err || fail "no 'interrupted': $command"
  started=
done
[ ! -e w ] || fail "an interrupted creation left its file"

# Key files: 1 byte, the first MiB and no more, folders, ten thousand; none that is empty.
printf x >one
random_file mib 1048576
(cat mib; printf x) >mib-and-one
(head -c 1048575 mib; printf '\0') >mib-other
: >empty
mkdir none folder
touch folder/.hidden
made "${tc[@]}" --keyfile one
expect 2 'wrong password' "$VOLT" info v --password-file password "${tc[@]}"
expect 2 'wrong password' "$VOLT" info v --password-file password "${tc[@]}" --keyfile mib
made "${tc[@]}" --keyfile mib
expect 0 '' "$VOLT" info v --password-file password "${tc[@]}" --keyfile mib-and-one
expect 2 'wrong password' "$VOLT" info v --password-file password "${tc[@]}" --keyfile mib-other
made "${tc[@]}" --keyfile mib --keyfile one
expect 0 '' "$VOLT" info v --password-file password "${tc[@]}" --keyfile one --keyfile mib-and-one
for wrong in empty none folder; do refused "key file $wrong" "${tc[@]}" --keyfile $wrong; done
expect 4 'key file nothing' "$VOLT" info any --password-file password "${tc[@]}" --keyfile nothing
cp one folder/one
cp mib folder/two
made "${tc[@]}" --keyfile one --keyfile mib
expect 0 'folder/.hidden: hidden file, not used' "$VOLT" info v --password-file password "${tc[@]}" \
  --keyfile folder
: >password
expect 0 'not used' "$VOLT" create w --size 300K --quick --password-file password "${tc[@]}" \
  --keyfile folder
expect 0 '' "$VOLT" info w --password-file password "${tc[@]}" --keyfile one --keyfile mib
mkdir many
(cd many && seq 10000 | split -l 1 -a 4)
made "${tc[@]}" --keyfile many
printf '10001\n' >many/more
expect 2 'wrong password' "$VOLT" info v --password-file password "${tc[@]}" --keyfile many
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
  chmod 0 one
  chmod 644 any password
  expect 2 'key file one: .*Permission denied' setpriv --reuid 65534 --regid 65534 --clear-groups \
    "$VOLT" info any --password-file password "${tc[@]}" --keyfile one
fi
