# Shared by the tests beside other programs: sourced, never run. VOLT names the program.
set -u

: "${VOLT:?path of volt}"
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/volt-interop.XXXXXX") || exit 1

cleanup() {
  local status=$?
  trap - EXIT
  cd /
  local loop
  for loop in $(losetup -n -O NAME,BACK-FILE 2>/dev/null | grep -F "$work/" | awk '{print $1}'); do
    losetup -d "$loop" 2>/dev/null
  done
  rm -rf "$work"
  exit "$status"
}
trap cleanup EXIT
trap 'exit 1' INT TERM
cd "$work" || exit 1

skip() {
  echo "skipped: $*"
  exit 77
}
fail() {
  echo "FAILED (${BASH_SOURCE[1]##*/}:${BASH_LINENO[0]}): $*" >&2
  [ ! -s "$work/out" ] || sed 's/^/  output: /' "$work/out" >&2
  exit 1
}
# Runs a command; its output is shown only where it fails.
check() {
  "$@" >"$work/out" 2>&1 || fail "$*"
}
# The same with its standard input from a file: check_with FILE COMMAND...
check_with() {
  local input=$1
  shift
  "$@" <"$input" >"$work/out" 2>&1 || fail "$*"
}
# The last command printed these words.
printed() {
  grep -q -E -e "$1" "$work/out" || fail "no '$1' in the output"
}
# A JSON field of `volt info`.
field() {
  python3 -c 'import json, sys; print(json.load(sys.stdin)[sys.argv[1]])' "$1"
}
need() {
  command -v "$1" >/dev/null || skip "$1 is not installed"
}
need python3
