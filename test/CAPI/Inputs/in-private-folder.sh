# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# usage: in-private-folder.sh COMMAND: runs it with $d as a new folder of the
# user under /tmp, where a cache may be, whatever the build folder's mode is.
d=$(mktemp -d /tmp/tile-test-XXXXXX) || exit 1
eval "$1"
result=$?
rm -rf "$d"
exit $result
