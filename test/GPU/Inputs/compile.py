# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles every kernel of files for chips, as strictly as ptxas can be asked to, and says what did not.

usage: compile.py TILE_TRANSLATE CHIP,... [--only=REGEX] [--jobs=N] FILE...

A kernel passes if its cubin has no spills and ptxas had no warning about it.
"""
import argparse
import concurrent.futures
import os
import re
import subprocess
import sys


def functions(path):
    """Names and texts of the functions that have a reference; it goes with them. Those of a puzzle have a file of their own."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    beside = os.path.join(os.path.dirname(path), "reference.mlir")
    if os.path.basename(path) == "answer.mlir" and os.path.exists(beside):
        with open(beside, encoding="utf-8") as file:
            text += file.read()
    matches = list(re.finditer(r"^func\.func (?:private )?@(\w+)", text, re.M))
    starts = [m.start() for m in matches] + [len(text)]
    head, found = text[:starts[0]], {}
    for match, end in zip(matches, starts[1:]):
        found[match.group(1)] = text[match.start():end]
    for name, body in found.items():
        reference = re.search(r"tile\.reference = @(\w+)", body)
        if reference:
            yield name, head + body + found[reference.group(1)]


def compile_one(translate, chip, name, text):
    command = [translate, "--tile-to-cubin", f"--chip={chip}", "--ptxas-strict", f"--gpu-function={name}", "-o", os.devnull]
    run = subprocess.run(command, input=text, text=True, capture_output=True)
    errors = [line for line in run.stderr.splitlines() if "error" in line] or run.stderr.splitlines()
    return "" if run.returncode == 0 else errors[0] if errors else f"exit code {run.returncode}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("translate")
    parser.add_argument("chips")
    parser.add_argument("files", nargs="+")
    parser.add_argument("--only", default="")
    parser.add_argument("--jobs", type=int, default=1)
    arguments = parser.parse_args()
    kernels = [(chip, name, text) for path in arguments.files for name, text in functions(path)
               for chip in arguments.chips.split(",") if re.search(arguments.only, name)]
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        results = pool.map(lambda k: compile_one(arguments.translate, *k), kernels)
        for (chip, name, _), error in zip(kernels, results):
            if error:
                failed += 1
                print(f"{chip} {name}: {error}", flush=True)
    print(f"{len(kernels) - failed} compiled, {failed} failed")
    return int(failed > 0 or not kernels)


if __name__ == "__main__":
    sys.exit(main())
