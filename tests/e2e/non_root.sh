#!/bin/bash
# Without root: through fusermount3, in a user name space, and what only the owner may do.
. "$(dirname "$0")/lib.sh"

random_file image 4194304
mkdir m
if [ "$(id -u)" = 0 ]; then
  command -v setpriv >/dev/null || skip "setpriv is not installed"
  [ -e /etc/mtab ] || skip "fusermount3 needs /etc/mtab"
  command -v fusermount3 >/dev/null || skip "fusermount3 is not installed"
  # A test may not change the machine's /dev/fuse: one of our own is opened by whoever needs it.
  [ "$(stat -c %a /dev/fuse)" = 666 ] || skip "/dev/fuse is not open to users"
  as_user=(setpriv --reuid=65534 --regid=65534 --clear-groups --)
  cp "$VOLT" "$VOLTD" .
  VOLT=$work/volt
  export VOLT_VOLTD=$work/voltd
  chown 65534:65534 . image m
else
  as_user=()
fi
"${as_user[@]}" test -x "$VOLT" || skip "another user cannot reach the programs"

expect 0 "" "${as_user[@]}" "$VOLT" open --plain image m
"${as_user[@]}" cmp image m/volume || fail "reads differ"
[ "$("${as_user[@]}" stat -c %u m/volume)" = "$("${as_user[@]}" id -u)" ] || fail "wrong owner"
if [ "$(id -u)" = 0 ]; then
  ! cat m/status.json 2>/dev/null || fail "another user, even root, reaches it without --allow-other"
fi
expect 2 "loop" "${as_user[@]}" "$VOLT" open --loop --plain image m
expect 0 "" "${as_user[@]}" "$VOLT" list
expect 0 "" "${as_user[@]}" "$VOLT" close m
not_mounted "$work/m" || fail "still mounted"

chmod 000 image
expect 2 "ermission denied" "${as_user[@]}" "$VOLT" open --plain image m
chmod 400 image
expect 0 "" "${as_user[@]}" "$VOLT" open --plain image m
grep -q "read-only" err || fail "does not say that it opens read-only"
expect 0 "" "${as_user[@]}" "$VOLT" close m
chmod 600 image

# Another user reaches it with --allow-other, as far as the umask says, where fuse.conf allows that.
# The machine's fuse.conf is not touched: one of our own lies over it in a mount namespace.
if [ "$(id -u)" = 0 ]; then
  reader=(setpriv --reuid=65533 --regid=65533 --clear-groups --)
  (
    umask 022
    expect 0 "" "$VOLT" open --plain --allow-other image m
    "${reader[@]}" cmp image m/volume 2>/dev/null && fail "the container itself can be read"
    "${reader[@]}" cat m/volume | cmp - image || fail "--allow-other by root: another user cannot read"
    "${reader[@]}" dd if=/dev/zero of=m/volume count=1 conv=notrunc 2>/dev/null && fail "umask 022: can write"
    expect 0 "" "$VOLT" close m
    umask 077
    expect 0 "" "$VOLT" open --plain --allow-other image m
    "${reader[@]}" cat m/volume >/dev/null 2>&1 && fail "umask 077: another user can read"
    expect 0 "" "$VOLT" close m
  ) || exit 1
  cat >others.sh <<'SH'
. "$1/functions"
mount --bind "$work/fuse.conf" /etc/fuse.conf || exit 77
: >"$work/fuse.conf"
expect 2 "user_allow_other" "${as_user[@]}" "$VOLT" open --plain --allow-other image m
echo user_allow_other >"$work/fuse.conf"
umask 022
expect 0 "" "${as_user[@]}" "$VOLT" open --plain --allow-other image m
cmp image m/volume || fail "root cannot read"
"${reader[@]}" cat m/volume | cmp - image || fail "another user cannot read"
expect 2 "opened by another user (65534)" "${reader[@]}" "$VOLT" close m
expect 0 "" "${as_user[@]}" "$VOLT" close m
SH
  : >fuse.conf
  chmod 644 fuse.conf
  declare -f expect fail >functions
  declare -p work VOLT as_user reader >>functions
  if [ -f /etc/fuse.conf ] && unshare -m true 2>/dev/null; then
    unshare -m bash others.sh "$work" || [ $? = 77 ] || fail "--allow-other by a user"
  fi
fi

unshare -Urm true 2>/dev/null || skip "user name spaces are not to be had (the rest has passed)"
"${as_user[@]}" unshare -Urm bash -c "'$VOLT' open --plain image m && cmp image m/volume &&
  '$VOLT' close m" || fail "in a user name space"
