#!/usr/bin/env bash
# Whether every C++ file is laid out as .clang-format says. Names the files that are not.
# usage: clang_format.sh SOURCE_ROOT
set -uo pipefail
cd "$1" || exit 1
command -v clang-format >/dev/null || { echo "skipped: clang-format is not installed"; exit 77; }
# Versions differ in details; the project's is Debian 12's.
case "$(clang-format --version)" in
  *"version 14."*) ;;
  *) echo "skipped: not clang-format 14 but $(clang-format --version)"; exit 77 ;;
esac
mapfile -t files < <(git -c safe.directory="$PWD" ls-files -co --exclude-standard '*.cc' '*.h')
[ ${#files[@]} -gt 100 ] || { echo "skipped: not a git checkout"; exit 77; }
clang-format --dry-run -Werror "${files[@]}" 2>&1 | sed -n 's/: error: code should be clang-formatted.*/: run clang-format -i on it/p' |
  sort -u -t: -k1,1 | tee /dev/stderr | grep -q . && exit 1
exit 0
