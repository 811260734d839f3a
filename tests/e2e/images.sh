# Containers that other programs made, opened by name of file and password only: each must show the
# UUID that its maker gave it, outer and hidden.
. "$(dirname "$0")/lib.sh"

images=${VOLT_TEST_DATA:-${VOLT_SOURCE_ROOT:-.}/../shared}/images
[ -f "$images/tcrypt.tar.xz" ] || skip "no images: set VOLT_TEST_DATA"
tar xJf "$images/tcrypt.tar.xz" || fail "cannot unpack the images"
mkdir mnt

# check FILE UUID PASSWORD OPTIONS...
check() {
  local file=$1 uuid=$2 password=$3 shown
  shift 3
  printf '%s' "$password" | timeout 120 "$VOLT" open "tcrypt/$file" mnt --read-only \
    --password-file - "$@" 2>err || fail "cannot open $file"
  shown=$(blkid -p -s UUID -o value mnt/volume)
  # This one's makers could not decrypt it and zeroed the ciphertext of its file system, too.
  [ "$file" != tc_2-ripemd160-cbc-aes-blowfish-serpent ] || uuid=
  [ "$shown" = "$uuid" ] || fail "$file shows '$shown', not $uuid"
  "$VOLT" close mnt || fail "cannot close $file"
}

count=0
# Tabs would be merged where a field is empty.
tail -n +2 "$images/tcrypt.tsv" | tr '\t' '|' >rows
while IFS='|' read -r file password keyfiles pim uuid hidden_password hidden_uuid system; do
  options=()
  IFS=, read -r -a names <<<"$keyfiles"
  for name in "${names[@]}"; do [ -z "$name" ] || options+=(--keyfile "tcrypt/$name"); done
  [ -z "$pim" ] || options+=(--pim "$pim")
  [ "$system" != yes ] || options+=(--system)
  check "$file" "$uuid" "$password" "${options[@]}" </dev/null
  [ -z "$hidden_password" ] || check "$file" "$hidden_uuid" "$hidden_password" "${options[@]}"
  count=$((count + 1))
done <rows
[ $count -gt 0 ] || fail "no image was tried"
echo "$count images"
