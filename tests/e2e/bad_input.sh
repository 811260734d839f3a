#!/bin/bash
# Everything that can be wrong with a command line, a container or a folder: the exit status of the
# contract, one line that says what and why, and never a wait for a terminal that is not there.
. "$(dirname "$0")/lib.sh"

random_file image 1048576
mkdir m full dir
touch full/x file
mkfifo fifo
: >empty
printf 'secret-word\n' >password
with_password=(--password-file password --prf sha512 --format veracrypt)

for program in "$VOLTD" "$VOLT open"; do
  name=${program##*/}
  name=${name%% *}
  expect 1 "^$name: " $program
  expect 1 "^$name: " $program image
  expect 1 "^$name: " $program image m --no-such-option
  expect 1 "^$name: " $program image m --password=secret-word
  expect 1 "threads" $program image m --threads 0 --plain
  expect 1 "direct" $program image m --direct perhaps --plain
  expect 1 "^$name: .*pim" $program image m --pim -1
  expect 1 "^$name: .*pim" $program image m --pim 99999999999
  expect 1 "^$name: .*pim: must be .* 0 to 2147468" $program image m --pim 2147469
  expect 1 "^$name: .*cipher: unknown name (known: aes, " $program image m --cipher rot13
  expect 1 "^$name: .*prf: unknown name (known: sha512, " $program image m --prf md5
  expect 1 "^$name: .*format: unknown name" $program image m --format luks
  expect 1 "exclude" $program image m --password-file password --password-command 'echo x'

  # Passwords and key files.
  expect 2 "^$name: image: wrong password, PIM or key file, or not a container$" \
    $program image m "${with_password[@]}"
  grep -q "^$name: hint: .*--pim.*--keyfile" err || fail "no hint"
  setsid -w $program image m "${with_password[@]}" --verbose 2>err && fail "opened"
  grep -q "^$name: tried: veracrypt sha512, headers: primary" err || fail "does not say what was tried"
  expect 2 "empty" $program image m --password-file /dev/null
  expect 1 "^$name: .*no terminal to ask on; name --password-file" $program image m
  expect 4 "nothing" $program image m --password-file nothing
  expect 4 "key file nothing" $program image m --password-file password --keyfile nothing
  expect 1 "key file empty" $program image m --password-file password --keyfile empty

  # Containers.
  for options in "--plain" "--password-file password"; do
    expect 4 "^$name: nothing: .*No such file" $program nothing m $options
    expect 4 "^$name: dir: " $program dir m $options
    expect 4 "^$name: fifo: " $program fifo m $options
    expect 4 "^$name: empty: " $program empty m $options
  done

  # Folders.
  expect 4 "^$name: nowhere: there is no such folder" $program --plain image nowhere
  expect 4 "^$name: file: not a folder" $program --plain image file
  expect 4 "^$name: full: the folder is not empty" $program --plain image full
  expect 5 "^$name: /proc: it is a mount point" $program --plain image /proc
done

# Every other command that takes a container.
head -c 511 image >short
hint=(--password-file password --prf sha512 --format truecrypt)
while read -r command; do
  for file in nothing dir fifo empty short; do
    case $file in
      nothing) why="No such file" ;;
      dir) why="s a directory" ;;
      fifo) why="neither a file nor a block device" ;;
      empty) why="is empty" ;;
      short) why="too short" ;;
    esac
    expect 4 "^volt: $file: .*$why" "$VOLT" ${command/FILE/$file} "${hint[@]}"
  done
  # Where a container is wanted the folder is the trouble; where a plain file is, the name.
  case "$command" in
    *"image FILE"*) expect 1 "^volt: stripe:64K:dir,image: .*a plain file is needed" "$VOLT" \
      ${command/FILE/stripe:64K:dir,image} "${hint[@]}" ;;
    *) expect 4 "^volt: stripe:64K:dir,image: .*s a directory" "$VOLT" \
      ${command/FILE/stripe:64K:dir,image} "${hint[@]}" ;;
  esac
  expect 1 "^volt: stripe:x:a,b: " "$VOLT" ${command/FILE/stripe:x:a,b} "${hint[@]}"
  [ ! -e out.new ] || fail "$command: a failure left its output"
done <<'COMMANDS'
info FILE
info FILE --json
passwd FILE --new-password-file password
header backup FILE out.new
header restore FILE --yes
header restore FILE image --yes
header restore image FILE --yes
expand FILE --size 2M
dump FILE out.new
load FILE image --yes
create FILE --hidden --hidden-size 64K --hidden-password-file password
COMMANDS
for file in dir fifo empty image; do
  expect 4 "^volt: $file: exists already" "$VOLT" create $file --size 1M "${hint[@]}"
done
cmp -n 511 image short || fail "a refused command wrote to its container"

grep -q -F " $work/" /proc/self/mountinfo && fail "something is left mounted"
expect 1 "^volt: " "$VOLT"
expect 1 "^volt: " "$VOLT" no-such-command
expect 1 "^volt: " "$VOLT" close
expect 4 "^volt: nowhere: " "$VOLT" close nowhere
expect 4 "^volt: m: no volume is open there" "$VOLT" close m
expect 4 "^volt: " env VOLT_VOLTD=/nowhere/voltd "$VOLT" open --plain image m
expect 0 "" "$VOLTD" --help
expect 0 "" "$VOLT" open --help
