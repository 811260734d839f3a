# Shared by the end-to-end tests: sourced, never run. VOLTD and VOLT name the programs.
# Each test works in a folder of its own and leaves nothing behind, also when it fails.
set -u

: "${VOLTD:?path of voltd}" "${VOLT:?path of volt}"
export VOLT_VOLTD="$VOLTD"
skip() {
  echo "skipped: $*"
  exit 77
}

work=$(mktemp -d "${TMPDIR:-/tmp}/volt-e2e.XXXXXX") || exit 1
chmod 755 "$work"
cd "$work" || exit 1

# Unmounts whatever is below the folder, the newest first; ends only daemons that served there. A test
# that has to keep something elsewhere names that folder in `elsewhere`.
elsewhere=
cleanup() {
  local status=$?
  trap - EXIT
  cd /
  local mounted
  for mounted in $(grep -F " $work/" /proc/self/mountinfo | awk '{print $5}' | tac); do
    umount -l "$mounted" 2>/dev/null || fusermount3 -u -z "$mounted" 2>/dev/null
  done
  local loop
  for loop in $(losetup -n -O NAME,BACK-FILE 2>/dev/null | grep -F "$work/" | awk '{print $1}') \
    $("$VOLT" list 2>/dev/null | grep -F "$work/" | grep -o '/dev/loop[0-9]*'); do
    losetup -d "$loop" 2>/dev/null
  done
  [ -z "${started:-}" ] || kill -9 $started 2>/dev/null
  rm -rf "$work" ${elsewhere:+"$elsewhere"}
  exit "$status"
}
trap cleanup EXIT
trap 'exit 1' INT TERM

fail() {
  echo "FAILED (line ${BASH_LINENO[-2]} of ${0##*/}): $*" >&2
  [ ! -s "$work/err" ] || sed 's/^/  stderr: /' "$work/err" >&2
  exit 1
}

# expect STATUS WORDS COMMAND...: runs the command with no terminal to ask on; checks the exit
# status, that standard error has at most one line, and that the line holds the words. What is said of
# the tests' passwords and key files, which are taken all the same, does not count.
expect() {
  local wanted=$1 words=$2
  shift 2
  setsid -w timeout 60 "$@" >"$work/out" 2>"$work/err" </dev/null
  local got=$?
  [ "$got" = "$wanted" ] || fail "exit status $got, not $wanted: $*"
  local passing='^[a-z]*: hint: \|permissions let others read\|cannot be typed at a prompt\|the header that was replaced'
  [ "$(grep -v -c "$passing" "$work/err")" -le 1 ] || fail "more than one line: $*"
  [ -z "$words" ] || grep -q -e "$words" "$work/err" || fail "no '$words' in the message: $*"
  ! grep -q -i -e 'secret-word' "$work/err" || fail "a password in the message: $*"
}

# What JSON files promise: names and types of fields, and sums that must agree.
contract() {
  python3 "$VOLT_SOURCE_ROOT/tests/e2e/contract.py" "$@" 2>"$work/err" || fail "contract: $*"
}

# Whether that kind of file system can be made and mounted here.
has_file_system() {
  command -v "mkfs.$1" >/dev/null || return 1
  grep -q -w "$1" /proc/filesystems || modprobe -q "$1" 2>/dev/null
}

# The process serving a mount point, as it tells itself.
daemon_of() { sed -n 's/.*"pid": \([0-9]*\),/\1/p' "$1/status.json"; }

# Waits up to a minute for a condition.
eventually() {
  local end=$((SECONDS + 60))
  until "$@" >/dev/null 2>&1; do
    [ $SECONDS -lt $end ] || fail "did not come true: $*"
    sleep 0.02
  done
}
gone() { ! kill -0 "$1" 2>/dev/null || grep -q '^State:.Z' "/proc/$1/status"; }
not_mounted() { ! grep -q -F " $1 " /proc/self/mountinfo; }

random_file() { head -c "$2" /dev/urandom >"$1"; }

[ -c /dev/fuse ] && [ -r /dev/fuse ] && [ -w /dev/fuse ] || skip "/dev/fuse cannot be used here"
[ "$(id -u)" = 0 ] || command -v fusermount3 >/dev/null || skip "fusermount3 is not installed"
mkdir probe && : >probe.img && truncate -s 4096 probe.img
"$VOLTD" --plain probe.img probe 2>err || skip "mounting does not work here: $(cat err)"
"$VOLT" close probe || fail "cannot close"
rm -rf probe probe.img err
