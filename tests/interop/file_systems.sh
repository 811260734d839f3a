#!/bin/bash
# What the tools of the file systems themselves say of volumes that Volt makes: mtools on FAT, e2fsck
# and debugfs on ext4, outer and hidden.
. "$(dirname "$0")/lib.sh"
PATH=$PATH:/sbin:/usr/sbin
tc=(--format truecrypt --prf sha512 --cipher aes)
printf 'outer one' >outer
printf 'hidden one' >hidden
head -c 700000 /dev/urandom >file
ran=

if command -v mcopy >/dev/null && command -v mkfs.fat >/dev/null; then
  ran="$ran mtools"
  check "$VOLT" create fat.tc --size 8M "${tc[@]}" --password-file outer --fs fat
  check "$VOLT" dump fat.tc fat.img "${tc[@]}" --password-file outer
  check mcopy -i fat.img file ::/file
  check "$VOLT" load fat.tc fat.img --yes "${tc[@]}" --password-file outer
  # The hidden volume goes behind what FAT uses, and the file stays whole.
  check "$VOLT" create fat.tc --hidden --hidden-size 6M "${tc[@]}" --password-file outer \
    --hidden-prf sha512 --hidden-password-file hidden
  head -c 6291456 /dev/urandom >inside
  check "$VOLT" load fat.tc inside --yes "${tc[@]}" --password-file hidden --hidden
  rm -f fat.img
  check "$VOLT" dump fat.tc fat.img "${tc[@]}" --password-file outer
  check mcopy -n -i fat.img ::/file back
  cmp file back || fail "the hidden volume has damaged the outer one's file"
  "$VOLT" dump fat.tc "${tc[@]}" --password-file hidden --hidden | cmp - inside ||
    fail "the hidden volume's contents"
fi

if command -v e2fsck >/dev/null && command -v mkfs.ext4 >/dev/null; then
  ran="$ran e2fsck"
  check "$VOLT" create ext.tc --size 40M "${tc[@]}" --password-file outer --fs ext4
  check "$VOLT" dump ext.tc ext.img "${tc[@]}" --password-file outer
  check e2fsck -f -n ext.img
  check debugfs -w -R 'write file file' ext.img
  check "$VOLT" load ext.tc ext.img --yes "${tc[@]}" --password-file outer
  check "$VOLT" passwd ext.tc "${tc[@]}" --password-file outer --new-password-file hidden
  check "$VOLT" expand ext.tc --size 50M "${tc[@]}" --password-file hidden
  rm -f ext.img
  check "$VOLT" dump ext.tc ext.img "${tc[@]}" --password-file hidden
  check e2fsck -f -n ext.img
  check debugfs -R 'dump file back-again' ext.img
  cmp file back-again || fail "the file has changed with the volume's size"
  check resize2fs ext.img
  check e2fsck -f -n ext.img
fi
[ -n "$ran" ] || skip "neither mtools nor e2fsprogs is installed"
echo "agree:$ran"
