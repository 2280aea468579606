"""Compiles each header of a folder alone, and twice in one unit, with the compiler and the include paths of the build.

usage: headers.py COMPILE_COMMANDS SOURCE FOLDER [FLAG...]

SOURCE is a file whose command is taken; the flags are added to it.
"""
import json
import os
import shlex
import subprocess
import sys


def main():
    commands, source, folder, *flags = sys.argv[1:]
    with open(commands, encoding="utf-8") as file:
        entry = next(e for e in json.load(file) if e["file"].endswith(source))
    words = shlex.split(entry["command"])
    compiler = words[:words.index("-o")]
    count = failures = 0
    for base, _, names in os.walk(folder):
        for name in sorted(names):
            if not name.endswith(".h"):
                continue
            count += 1
            path = os.path.relpath(os.path.join(base, name), folder)
            language = "c" if source.endswith(".c") else "c++"
            done = subprocess.run([*compiler, f"-I{folder}", *flags, "-fsyntax-only", "-x", language, "-"],
                                  input=f'#include "{path}"\n' * 2, cwd=entry["directory"], text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            if done.returncode != 0:
                failures += 1
                print(f"{path}: {done.stdout}")
    print(f"{count} headers, {failures} that do not compile alone")


main()
