"""Fails unless the help text on stdin lists each pass that the td files of a folder define."""
import os
import re
import sys

text = sys.stdin.read()
for base, _, names in os.walk(sys.argv[1]):
    for name in names:
        if name.endswith(".td"):
            with open(os.path.join(base, name), encoding="utf-8") as file:
                for argument in re.findall(r'\bPass<\s*"([\w-]+)"', file.read()):
                    if f"--{argument} " not in text:
                        sys.exit(f"pass '{argument}' of {name} is not in the help text")
