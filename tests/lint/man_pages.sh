#!/usr/bin/env bash
# Whether mandoc finds nothing wrong in any manual page.
# usage: man_pages.sh SOURCE_ROOT
set -uo pipefail
cd "$1" || exit 1
command -v mandoc >/dev/null || { echo "skipped: mandoc is not installed"; exit 77; }
mandoc -Tlint -Wwarning docs/man/*.[0-9]
