#!/bin/sh
# An assembler that fails: its input is the last argument but two.
while [ $# -gt 3 ]; do shift; done
echo "$1, line 1; fatal   : it is Friday" >&2
exit 3
