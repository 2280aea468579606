#!/bin/sh
# usage: pkg-config.sh PREFIX SOURCE PROGRAM: builds a C program with what pkg-config says, or with what the file says where
# there is no pkg-config.
set -eu
if command -v pkg-config >/dev/null; then
  flags=$(PKG_CONFIG_PATH="$1/lib/pkgconfig" pkg-config --cflags --libs tile-c)
else
  flags=$(sed -n -e 's/^Cflags: //p' -e 's/^Libs: //p' "$1/lib/pkgconfig/tile-c.pc" |
    sed -e "s,\${includedir},$1/include,g" -e "s,\${libdir},$1/lib,g" \
      -e "s,\${mlir_includedir},$(sed -n 's/^mlir_includedir=//p' "$1/lib/pkgconfig/tile-c.pc"),g")
fi
# shellcheck disable=SC2086
gcc -std=c11 -Wall -Wextra -Wpedantic -Werror "$2" $flags -o "$3"
