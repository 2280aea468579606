"""Infers the layouts of each example and of the answer to each puzzle, for several chips.

usage: layouts.py FOLDER TILE_RUN TILE_OPT...

Every tile, every loop of static extents and every gemm must come out with its attribute. What inference made of the kernels
for one chip is run against the references.
"""
import glob
import os
import re
import subprocess
import sys

CHIPS = ("sm_80", "sm_89", "sm_90a", "sm_100a", "sm_120", "gfx942")


def read(*files):
    return "".join(open(file, encoding="utf-8").read() for file in files)


def bare(line):
    """Whether a line of the output lacks what inference gives to its op."""
    if "tile.gemm" in line:
        return "instruction = #tile.mma" not in line
    if "tile.alloc" in line:
        return "#tile.local" not in line and "#tile." in line and "layout = " not in line
    return re.search(r"tile\.parallel .* in \([\d, ]*\)", line) and "layout = " not in line


def main():
    root, tile_run, *tile_opt = sys.argv[1:]
    sources = {file: read(file) for file in glob.glob(os.path.join(root, "*.mlir"))}
    for folder in glob.glob(os.path.join(root, "puzzles", "*-*")):
        files = [os.path.join(folder, name) for name in ("answer.mlir", "reference.mlir")]
        sources[folder] = read(*files)
    done = 0
    for name, source in sorted(sources.items()):
        # One case will do, and the last one is small.
        source = re.sub(r'tile\.cases = \[[^\]]*?("[^"]*")\]', r"tile.cases = [\1]", source)
        for chip in CHIPS:
            passes = [f"--tile-set-target=chip={chip}", "--tile-bind-parameters", "--tile-select-instructions", "--tile-infer-layout"]
            result = subprocess.run([*tile_opt, "-", *passes], input=source, text=True, capture_output=True)
            if result.returncode:
                print(f"FAIL: {name} for {chip}: {result.stderr[:500]}")
                continue
            for line in filter(bare, result.stdout.splitlines()):
                print(f"FAIL: {name} for {chip}: {line}")
            done += 1
            if chip != "sm_90a":
                continue
            ran = subprocess.run([tile_run, "-"], input=result.stdout, text=True, capture_output=True)
            if ran.returncode:
                print(f"FAIL: {name} as inferred for {chip}: {(ran.stdout + ran.stderr)[-500:]}")
    print(f"{len(sources)} sources, {done} inferred")


main()
