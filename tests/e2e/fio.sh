#!/bin/bash
# fio with verification on the volume itself, requests of any length at any offset, under both ways of
# serving; and a container that is cut off meanwhile.
. "$(dirname "$0")/lib.sh"

printf 'correct horse' >password
with=(--prf sha512 --format truecrypt --password-file password)
mkdir m
mib=${VOLT_VERIFY_MIB:-4}

# FUSE takes requests of any length; O_DIRECT on the volume asks for nothing.
fio_load() {
  local common=(--filename=m/volume --allow_file_create=0 --verify_fatal=1 --do_verify=1
    --size="${mib}M" --group_reporting --minimal --output=fio.log)
  fio "${common[@]}" --verify=crc32c \
    --name=unaligned --rw=randrw --bsrange=512-300k --bs_unaligned=1 --offset=0 --direct=0 --fsync=64 \
    --name=aligned --rw=randwrite --bsrange=4k-1m --blockalign=4k --offset="${mib}M" --direct=1 \
    --ioengine=libaio --iodepth=32 \
    --name=small --rw=randwrite --bs=512 --io_size=512k --offset=$((2 * mib))M --direct=1 \
    --ioengine=libaio --iodepth=32 >/dev/null || fail "fio: $(cat fio.log)"
}

for engine in threads io_uring; do
  rm -f image
  expect 0 "" "$VOLT" create image --size "$((4 * mib + 4))M" "${with[@]}" --quick
  if ! "$VOLT" open --io $engine image m "${with[@]}" 2>err; then
    [ $engine = io_uring ] && grep -q io_uring err || fail "does not open with $engine"
    echo "no io_uring here: not tested"
    continue
  fi
  if command -v fio >/dev/null; then fio_load; fi
  # Cut off while in use: an error for what is gone, and nothing else.
  truncate -s $((2 * 1048576 + 100)) image
  dd if=m/volume of=/dev/null bs=64K count=8 status=none || fail "what is left cannot be read"
  expect 1 "nput/output error" dd if=m/volume of=/dev/null bs=64K skip=48 count=1 status=none
  expect 1 "nput/output error" dd if=m/volume of=/dev/null bs=777 skip=5000 count=1 status=none
  # Across the new end, in the middle of a data unit (headers take 128 KiB in front).
  expect 1 "nput/output error" dd if=m/volume of=/dev/null bs=64K skip=30 count=1 status=none
  dd if=/dev/zero of=m/volume bs=64K count=8 conv=notrunc,fsync status=none || fail "writes to what is left"
  expect 0 "" "$VOLT" close m
  # Mapped through the page cache: SIGBUS for whoever looks there, and the daemon goes on.
  truncate -s "$((4 * mib + 4))M" image
  expect 0 "" "$VOLT" open --io $engine --cache image m "${with[@]}"
  truncate -s 1M image
  python3 -c 'import mmap, os
mmap.mmap(os.open("m/volume", os.O_RDONLY), 0, prot=mmap.PROT_READ)[1500000]' 2>err
  [ $? = 135 ] || fail "no SIGBUS"
  dd if=m/volume of=/dev/null bs=64K count=8 status=none || fail "what is left cannot be read"
  expect 0 "" "$VOLT" close m
done
