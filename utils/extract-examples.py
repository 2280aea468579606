#!/usr/bin/env python3
"""Prints the mlir code blocks of td and Markdown files, each after a line that names its place.

usage: extract-examples.py FILE...
"""
import re
import sys


def blocks(path):
    """Yields (line number, code) of each fenced mlir block."""
    code, start, indent = None, 0, 0
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            fence = re.match(r"( *)```(mlir)?\s*$", line)
            if code is None and fence and fence.group(2):
                code, start, indent = [], number, len(fence.group(1))
            elif code is not None and fence:
                yield start, "".join(code)
                code = None
            elif code is not None:
                code.append(line[indent:] if line[:indent].isspace() else line)
    if code is not None:
        sys.exit(f"{path}:{start}: code block without an end")


def main():
    for path in sys.argv[1:]:
        for line, code in blocks(path):
            print(f"// from {path.rsplit('/', 1)[-1]}:{line}\n{code}\n// -----\n")


main()
