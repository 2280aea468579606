#!/bin/sh
# A compiler, assembler or linker that goes wrong as FAULT says.
out=
while [ $# -gt 0 ]; do
  [ "$1" = -o ] && out=$2
  shift
done
case $FAULT in
killed) kill -KILL $$ ;;
hangs)
  # Its children hang, too.
  sleep 1000 &
  echo $! > "$CHILD"
  wait
  ;;
prints) head -c 100000 /dev/zero | tr '\0' '\001'; exit 1 ;;
writes) echo no object > "$out" ;;
nothing) ;;
silent) exit 7 ;;
esac
