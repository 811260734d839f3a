#!/bin/bash
# cryptsetup, which has its own reader of these headers, accepts what Volt makes and changes.
. "$(dirname "$0")/lib.sh"
need cryptsetup

printf 'pass word' >password
printf 'another one' >other
printf 'hidden one' >hidden
head -c 3000 /dev/urandom >keyfile

# dump PASSWORD OPTIONS... FILE
dump() {
  local password=$1
  shift
  check_with "$password" cryptsetup tcryptDump --batch-mode "$@"
}
# The master key as cryptsetup sees it.
master_key() {
  local password=$1
  shift
  cryptsetup tcryptDump --batch-mode --dump-master-key --veracrypt --veracrypt-pim 1 --cipher aes \
    --hash sha512 "$@" <"$password" 2>&1 |
    sed -n '/MK dump/,$p'
}

# VeraCrypt with the default iterations, which are those of PIM 485. (Without a PIM cryptsetup tries
# TrueCrypt's rows too and gives up where the kernel has no Twofish.)
check "$VOLT" create --size 1M --quick --cipher aes --prf sha512 --password-file password v.hc
dump password --veracrypt --veracrypt-pim 485 --cipher aes --hash sha512 v.hc
printed 'VERACRYPT header'
printed 'MK offset:.*131072'
printed 'PBKDF2 hash:.*sha512'
printed 'Cipher chain:.*aes'

# PIM, key file, hash, hidden, backups.
for hash in sha512 sha256 whirlpool ripemd160; do
  rm -f v.hc
  check "$VOLT" create --size 1M --quick --cipher aes --prf "$hash" --pim 1 \
    --password-file password --keyfile keyfile v.hc
  for place in "" --tcrypt-backup; do
    dump password --veracrypt --veracrypt-pim 1 --key-file keyfile --cipher aes --hash "$hash" \
      $place v.hc
    printed 'Cipher mode:.*xts'
  done
done

rm -f v.hc
check "$VOLT" create --size 1M --quick --cipher aes --prf sha512 --pim 1 --password-file password \
  v.hc
key=$(master_key password v.hc)
[ -n "$key" ] || fail "cryptsetup shows no master key"
[ "$key" = "$(master_key password --tcrypt-backup v.hc)" ] ||
  fail "primary and backup header hold different keys"

# A changed password: the old one is refused, the new one gives the same key in both places.
check "$VOLT" passwd v.hc --password-file password --pim 1 --prf sha512 --new-password-file other \
  --new-pim 1
for place in "" --tcrypt-backup; do
  [ "$key" = "$(master_key other $place v.hc)" ] ||
    fail "the key has changed with the password $place"
  cryptsetup tcryptDump --batch-mode --veracrypt --veracrypt-pim 1 --cipher aes --hash sha512 \
    $place v.hc <password >out 2>&1 && fail "the old password still opens $place"
done

# A header backup is a header to cryptsetup too; restored, it opens again.
check "$VOLT" header backup v.hc saved --password-file other --pim 1 --prf sha512
[ "$(stat -c %s saved)" = 131072 ] || fail "a header backup of $(stat -c %s saved) bytes"
[ "$key" = "$(master_key other saved)" ] ||
  fail "the backup file holds another key"
dd if=/dev/urandom of=v.hc bs=65536 count=1 conv=notrunc status=none
cryptsetup tcryptDump --batch-mode --veracrypt --veracrypt-pim 1 --cipher aes --hash sha512 \
  v.hc <other >out 2>&1 &&
  fail "a destroyed header opens"
check "$VOLT" header restore v.hc saved --password-file other --pim 1 --prf sha512 --yes
[ "$key" = "$(master_key other v.hc)" ] || fail "not restored"

# Grown: backups at the new end.
check "$VOLT" expand v.hc --size 2M --password-file other --pim 1 --prf sha512
for place in "" --tcrypt-backup; do
  [ "$key" = "$(master_key other $place v.hc)" ] ||
    fail "lost while growing $place"
done
echo "cryptsetup agrees"
