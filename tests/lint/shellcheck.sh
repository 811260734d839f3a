#!/usr/bin/env bash
# Whether shellcheck finds nothing in any shell script of the tree (.shellcheckrc says what is left out).
# usage: shellcheck.sh SOURCE_ROOT
set -uo pipefail
cd "$1" || exit 1
command -v shellcheck >/dev/null || { echo "skipped: shellcheck is not installed"; exit 77; }
mapfile -t files < <(git -c safe.directory="$PWD" ls-files -co --exclude-standard -z |
  xargs -0 awk 'FNR == 1 && /^#!.*(bash|\/sh)/ { print FILENAME } { nextfile }' 2>/dev/null)
[ ${#files[@]} -gt 3 ] || { echo "skipped: not a git checkout"; exit 77; }
shellcheck -S warning -f gcc "${files[@]}"
