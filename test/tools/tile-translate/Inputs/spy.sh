#!/bin/sh
# Stands for an assembler, a linker or a compiler. While it runs, another user, of nobody's group and of the user's own one, tries
# to read and to change the files that it was given, and to put others in their place.
spy() {
  setpriv --reuid=65534 --regid="$1" --clear-groups sh -c "$2" sh "$file" "$folder" 2>/dev/null && echo "spied, group $1: $2"
}
for file; do
  case $file in /*/tile-??????/*) ;; *) continue ;; esac
  folder=${file%/*}
  for group in 65534 "$(id -g)"; do
    spy "$group" 'cat "$1"'
    spy "$group" 'echo other >> "$1"'
    spy "$group" 'rm -f "$1" && echo other > "$1"'
    spy "$group" 'ls "$2"'
    spy "$group" 'echo other > "$2/other"'
    spy "$group" 'mv "$2" "$2.old"'
  done
  echo "tried"
done
exit 1
