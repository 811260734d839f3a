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

unshare -Urm true 2>/dev/null || skip "user name spaces are not to be had (the rest has passed)"
"${as_user[@]}" unshare -Urm bash -c "'$VOLT' open --plain image m && cmp image m/volume &&
  '$VOLT' close m" || fail "in a user name space"
