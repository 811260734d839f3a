#!/usr/bin/env bash
# The kernel tests on processors that this machine is not: under qemu's user-mode emulation with
# older models, and here with features masked. For each, the rows that must have run are named; the
# rows that need more must have been skipped.
#
# usage: qemu_cpu.sh KERNEL_MATRIX_TEST NAME     NAME: a row of `processors` below, or "masked"
# Exits 77 without qemu-x86_64.
set -euo pipefail

test_program=$1
name=$2

# name: rows that run | rows that must not
declare -A processors=(
  [Conroe]='aes_portable aes128_portable serpent_sse2 twofish_ssse3 kuznyechik_portable camellia_portable|aes_aesni serpent_avx2 twofish_avx2'
  [Nehalem]='aes_portable serpent_sse2 twofish_ssse3 kuznyechik_portable camellia_portable|aes_aesni serpent_avx2 twofish_avx2'
  [Westmere]='aes_aesni aes128_aesni aes128_aesni_4096 aes_portable serpent_sse2 twofish_ssse3|aes_vaes serpent_avx2 twofish_avx2'
  [Haswell]='aes_aesni aes_portable serpent_avx2 twofish_avx2 kuznyechik_avx2|aes_vaes aes_vaes512'
  [masked]='aes_portable aes128_portable_4096 serpent_sse2|aes_aesni aes_vaes aes_vaes512 serpent_avx2 twofish_avx2'
)
[ -n "${processors[$name]:-}" ] || { echo "qemu_cpu: unknown processor: $name" >&2; exit 1; }
IFS='|' read -r must must_not <<<"${processors[$name]}"

if [ "$name" = masked ]; then
  run=(env VOLT_NO_HW_AES=1 "VOLT_CPU_MASK=avx,avx2,avx512f")
else
  if ! command -v qemu-x86_64 >/dev/null; then
    echo "qemu_cpu: no qemu-x86_64 (package qemu-user)"
    exit 77
  fi
  run=(qemu-x86_64 -cpu "$name")
fi

# Emulation is slow: published vectors and the comparison over lengths and unit numbers, with the
# choice of rows.
filter='*Vectors*:*AgreesWithOthers*:KernelTable.*'
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! "${run[@]}" "$test_program" --gtest_filter="$filter" --gtest_color=no >"$log" 2>&1; then
  grep -vE '\[ *(RUN|OK|SKIPPED) *\]|Skipped|lacks' "$log" | tail -40
  echo "qemu_cpu: the kernel tests failed on $name" >&2
  exit 1
fi

failed=0
for row in $must; do
  grep -qE "\[ +OK \] .*AgreesWithOthers.*/$row " "$log" ||
    { echo "qemu_cpu: $row did not run on $name" >&2; failed=1; }
done
for row in $must_not; do
  ! grep -qE "\[ +OK \] .*AgreesWithOthers.*/$row " "$log" ||
    { echo "qemu_cpu: $row ran on $name, which cannot have it" >&2; failed=1; }
done
grep -E '\[  PASSED|tests ran' "$log"
exit $failed
