#!/bin/bash
# The same container, the same folder, or a dead mount, opened by several at once.
. "$(dirname "$0")/lib.sh"

# Of several who open one container, or on one folder, at the same time exactly one does.
mkdir a b c d
random_file plain 1048576
for round in 1 2 3 4 5; do
  runs=
  for folder in a b c d; do
    "$VOLT" open --plain plain $folder 2>err.$folder &
    runs="$runs $!"
  done
  good=0
  for run in $runs; do
    wait "$run"
    case $? in 0) good=$((good + 1)) ;; 5) ;; *) fail "same container: exit status" ;; esac
  done
  [ $good = 1 ] || fail "$good opened the same container: $(cat err.?)"
  for folder in a b c d; do [ ! -e $folder/volume ] || expect 0 "" "$VOLT" close $folder; done

  runs=
  for name in 1 2 3 4; do
    [ -e plain.$name ] || cp plain plain.$name
    "$VOLT" open --plain plain.$name a 2>err.$name &
    runs="$runs $!"
  done
  good=0
  for run in $runs; do
    wait "$run"
    case $? in 0) good=$((good + 1)) ;; 4 | 5) ;; *) fail "same folder: exit status" ;; esac
  done
  [ $good -ge 1 ] || fail "none opened on the same folder: $(cat err.?)"
  [ $good = 1 ] || fail "$good opened on the same folder"
  expect 0 "" "$VOLT" close a
  not_mounted "$work/a" || fail "something is mounted below"
done

# Over a dead mount all want to clean up: none takes away what another has just mounted.
for round in 1 2 3; do
  expect 0 "" "$VOLT" open --plain plain a
  pid=$(daemon_of a)
  kill -9 "$pid"
  eventually gone "$pid"
  runs=
  for name in 1 2 3; do
    "$VOLT" open --plain plain.$name a 2>err.$name &
    runs="$runs $!"
  done
  good=0
  for run in $runs; do wait "$run" && good=$((good + 1)); done
  [ $good = 1 ] || fail "$good opened over the dead mount: $(cat err.?)"
  [ "$(stat -c %s a/volume)" = 1048576 ] || fail "what was opened is not there"
  expect 0 "" "$VOLT" close a
done
