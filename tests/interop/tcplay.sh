#!/bin/bash
# tcplay reads TrueCrypt-format containers that Volt makes, and Volt reads tcplay's.
. "$(dirname "$0")/lib.sh"
need tcplay
[ "$(id -u)" = 0 ] || skip "loop devices need root"

printf 'pass word\n' >password
printf 'another one\n' >other
head -c 70 /dev/urandom >keyfile
truncate -s 1M probe
probe=$(losetup -f --show probe 2>out) || skip "no loop devices: $(cat out)"
losetup -d "$probe"

attach() { device=$(losetup -f --show "$1") || fail "losetup"; }
detach() { losetup -d "$device" || fail "losetup -d"; }

# name of the cascade, tcplay's chain (in order of encryption), PRF, tcplay's PRF
rows='
aes                 AES-256-XTS                                  sha512    SHA512
serpent             SERPENT-256-XTS                              ripemd160 RIPEMD160
twofish             TWOFISH-256-XTS                              whirlpool whirlpool
aes-twofish         TWOFISH-256-XTS,AES-256-XTS                  sha512    SHA512
serpent-aes         AES-256-XTS,SERPENT-256-XTS                  sha512    SHA512
twofish-serpent     SERPENT-256-XTS,TWOFISH-256-XTS              sha512    SHA512
aes-twofish-serpent SERPENT-256-XTS,TWOFISH-256-XTS,AES-256-XTS  whirlpool whirlpool
serpent-twofish-aes AES-256-XTS,TWOFISH-256-XTS,SERPENT-256-XTS  ripemd160 RIPEMD160
'
while read -r cipher chain prf tcplay_prf; do
  [ -n "$cipher" ] || continue
  rm -f made.tc theirs.tc
  check "$VOLT" create --size 1M --quick --format truecrypt --cipher "$cipher" --prf "$prf" \
    --password-file password --keyfile keyfile made.tc
  attach made.tc
  check_with password tcplay -i -d "$device" -k keyfile
  printed "Cipher:.*$chain"
  printed "PBKDF2 PRF:.*$tcplay_prf"
  printed 'Volume size:.*1536 sectors'
  printed 'Block offset:.*256 sectors'
  check_with password tcplay -i -d "$device" -k keyfile --use-backup
  printed "Cipher:.*$chain"
  detach

  # Creating is slow; half of them do.
  case "$cipher" in serpent-aes | twofish-serpent | twofish | aes-twofish) continue ;; esac
  truncate -s 1M theirs.tc
  attach theirs.tc
  printf 'pass word\npass word\ny\n' >answers
  check python3 "$here/answer.py" answers tcplay -c -z -w -d "$device" -a "$tcplay_prf" -b "$chain"
  detach
  for place in "" --backup-header; do
    "$VOLT" info --json --password-file password --format truecrypt $place theirs.tc \
      >info.json 2>out || fail "$cipher of tcplay does not open $place"
    [ "$(field cipher <info.json)" = "$cipher" ] || fail "$(field cipher <info.json), not $cipher"
    [ "$(field prf <info.json)" = "$prf" ] || fail "$(field prf <info.json), not $prf"
  done
done <<<"$rows"

# The hidden volume, and a password that tcplay changed.
rm -f theirs.tc
truncate -s 2M theirs.tc
attach theirs.tc
printf 'pass word\npass word\nhidden one\nhidden one\n512K\ny\n' >answers
check python3 "$here/answer.py" answers tcplay -c -z -w -g -d "$device" -a SHA512 -b AES-256-XTS
detach
printf 'hidden one' >hidden
check "$VOLT" info --password-file hidden --format truecrypt --hidden theirs.tc
check "$VOLT" info --password-file password --format truecrypt theirs.tc
"$VOLT" info --password-file password --format truecrypt --hidden theirs.tc >out 2>&1 &&
  fail "the outer password opens the hidden volume"
attach theirs.tc
printf 'pass word\nanother one\nanother one\n' >answers
check python3 "$here/answer.py" answers tcplay --modify -w -d "$device"
detach
check "$VOLT" info --password-file other --format truecrypt theirs.tc
check "$VOLT" info --password-file other --format truecrypt --backup-header theirs.tc
echo "tcplay agrees"
