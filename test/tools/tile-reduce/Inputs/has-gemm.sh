#!/bin/sh
# 1 says that the file is still interesting.
grep -q tile.gemm "$1" && exit 1
exit 0
