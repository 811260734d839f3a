# Unlocking as a user sees it: progress, Ctrl-C, memory.
. "$(dirname "$0")/lib.sh"

random_file noise 1048576
printf secret-word >pw

# Interrupted while deriving what would take hours.
for prf in sha512 argon2id; do
  setsid -w timeout --foreground 60 "$VOLT" info noise --password-file pw --prf $prf --pim 2000000 2>err &
  command="$VOLT info noise --password-file pw --prf $prf --pim 2000000"
  eventually pgrep -f -x "$command"
  sleep 1  # so that it derives when the signal comes
  child=$(pgrep -f -x "$command") || fail "$prf: ended at once"
  kill -INT "$child"
  eventually gone "$child"
  wait $!
  grep -q interrupted err || fail "$prf: no word of the interruption"
done

# On a terminal it says what it tries.
if command -v script >/dev/null; then
  script -q -e -c "'$VOLT' info noise --password-file pw --pim 500 --prf whirlpool" typed >/dev/null
  grep -q 'veracrypt whirlpool: [0-9]* %' typed || fail "no progress on a terminal"
fi

# peak LIMIT_KIB COMMAND...: its exit status; fails where it took more memory than that.
peak() {
  python3 - "$@" <<'PY' || fail "too much memory, or another exit status"
import resource, subprocess, sys
status = subprocess.run(sys.argv[2:], stderr=open("err", "w")).returncode
kib = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
assert kib < int(sys.argv[1]), f"{kib} KiB"
assert status == 2, f"exit status {status}"
PY
}
if command -v python3 >/dev/null; then
  for prf in sha512 streebog; do
    peak 32768 "$VOLT" info noise --password-file pw --pim 20 --prf $prf
  done
  # All of PBKDF2, and no room for Argon2id: that is said, and the memory is not taken.
  (ulimit -v 420000 && peak 32768 "$VOLT" info noise --password-file pw --pim 12 --verbose) || exit 1
  grep -q 'not tried: .*argon2id' err || fail "silent about Argon2id"
  # Room for one at a time: both headers are tried.
  (ulimit -v 800000 && peak 600000 "$VOLT" info noise --password-file pw --pim 12 --verbose) || exit 1
  ! grep -q 'memory for Argon2id' err || fail "gave up where waiting was enough"
fi
