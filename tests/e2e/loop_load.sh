#!/bin/bash
# A day's work on file systems on a loop device on an encrypted volume: fio with verification, a
# source tree that is copied and compiled, and the file system's own check after closing.
# VOLT_LOOP_MIB: what each fio job writes. VOLT_LOOP_BUILD: targets of this project that are built
# there; tests among them are run. By hand:
# VOLT_LOOP_MIB=128 VOLT_LOOP_BUILD="tests/range_lock_test tests/volume_header_test"
. "$(dirname "$0")/lib.sh"

[ "$(id -u)" = 0 ] && [ -c /dev/loop-control ] || skip "loop devices need root"
losetup -f >/dev/null 2>&1 || skip "no loop device is free"
command -v fio >/dev/null || skip "fio is not installed"
mib=${VOLT_LOOP_MIB:-6}
targets=${VOLT_LOOP_BUILD:-}
source=${VOLT_SOURCE_ROOT:?}
printf 'correct horse' >password
with=(--prf sha512 --format truecrypt --password-file password)
mkdir m mnt

fio_load() {
  local job=(--verify=crc32c --verify_fatal=1 --do_verify=1 --size="${mib}M" --directory=mnt
    --group_reporting --minimal --output=fio.log)
  fio "${job[@]}" --name=sequential --rw=write --bs=1M --numjobs=2 --end_fsync=1 \
    --name=random --rw=randwrite --bs=4k --numjobs=2 --iodepth=16 --ioengine=libaio --direct=1 \
    --name=mixed --rw=randrw --bsrange=512-64k --bs_unaligned=1 --numjobs=2 --fsync=32 >/dev/null ||
    fail "fio: $(cat fio.log)"
  rm -f mnt/sequential.* mnt/random.* mnt/mixed.*
}

# The same files compiled inside and outside give the same bytes.
small_build() {
  local folder name
  for folder in mnt/tree outside; do
    mkdir -p "$folder/objects"
    for name in crypto/base/crc32 blockdev/device/range_lock blockdev/simulate/disk_profile; do
      (cd "$folder" && c++ -std=c++20 -O1 -I. -c "$name.cc" -o "objects/${name##*/}.o") ||
        fail "compiling $name in $folder"
    done
  done
  sync -f mnt
  diff -r mnt/tree/objects outside/objects || fail "objects differ"
}

long_build() {
  local target
  (cd mnt/tree && meson setup build && ninja -C build $targets) >build.log 2>&1 ||
    fail "build: $(tail -3 build.log)"
  for target in $targets; do
    case "$target" in *_test) "mnt/tree/build/$target" >test.log 2>&1 || fail "$target" ;; esac
  done
  echo "built on it: $(grep -c '^\[' build.log) steps"
}

check() {
  case "$1" in
    ext4) e2fsck -f -n "$2" ;;
    xfs) xfs_repair -n "$2" ;;
    btrfs) btrfs check --check-data-csum "$2" ;;
  esac >check.log 2>&1 || fail "$1: $(tail -5 check.log)"
}

round() {
  local kind=$1 loop
  has_file_system "$kind" || return 0
  rm -f image
  expect 0 "" "$VOLT" create image --size "$((mib * 8 + 400))M" "${with[@]}" --quick
  expect 0 "" "$VOLT" open --loop image m "${with[@]}"
  loop=$(cat out)
  "mkfs.$kind" -q "$loop" >/dev/null || fail "mkfs.$kind"
  mount "$loop" mnt || fail "mount $kind"
  fio_load
  mkdir -p mnt/tree
  cp -r "$source"/{meson*,blockdev,crypto,daemon,docs,tests,tools,README.md} mnt/tree
  if [ "$kind" = ext4 ]; then
    small_build
    [ -z "$targets" ] || long_build
  fi
  umount mnt || fail "umount $kind"
  expect 0 "" "$VOLT" close m
  ! losetup -n -O BACK-FILE | grep -q -F "$work/" || fail "a loop device is left"
  expect 0 "" "$VOLT" open --loop --read-only image m "${with[@]}"
  loop=$(cat out)
  check "$kind" "$loop"
  mount -o ro "$loop" mnt || fail "mount $kind again"
  for part in blockdev crypto docs; do
    diff -r "$source/$part" "mnt/tree/$part" || fail "$kind: the copied tree differs"
  done
  umount mnt || fail "umount $kind again"
  expect 0 "" "$VOLT" close m
  echo "$kind: good"
}
cp -r "$source"/blockdev "$source"/crypto . && mkdir outside && mv blockdev crypto outside
for kind in ext4 xfs btrfs; do round $kind; done
