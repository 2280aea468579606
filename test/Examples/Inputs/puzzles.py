"""Runs the answer of each puzzle against its reference, and the puzzle as it is found.

usage: puzzles.py TILE_RUN FOLDER PATTERN

An answer must pass in all cases. A puzzle must compile, run and be found wrong: its results are poisoned, and nothing fills
them.
"""
import glob
import os
import re
import subprocess
import sys


def run(tile_run, folder, name, function):
    source = "".join(open(os.path.join(folder, file), encoding="utf-8").read() for file in (name, "reference.mlir"))
    if name == "puzzle.mlir":
        # One case will do, and the last one is small.
        source = re.sub(r'tile\.cases = \[[^\]]*("[^"]*")\]', r"tile.cases = [\1]", source)
    done = subprocess.run([tile_run, "-", f"--func={function}"], input=source, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    return done.returncode, done.stdout


def main():
    tile_run, root, pattern = sys.argv[1:]
    folders = sorted(glob.glob(os.path.join(root, pattern)))
    functions = passed = failed = 0
    for folder in folders:
        with open(os.path.join(folder, "puzzle.mlir"), encoding="utf-8") as file:
            names = re.findall(r"^func\.func @(\w+)", file.read(), re.M)
        for name in names:
            functions += 1
            code, output = run(tile_run, folder, "answer.mlir", name)
            if code == 0 and re.search(r"^[1-9]\d* passed, 0 failed$", output, re.M):
                passed += 1
            else:
                print(f"FAIL: answer {folder} @{name}: {output}")
            code, output = run(tile_run, folder, "puzzle.mlir", name)
            # Found wrong, by comparison and in every case that has elements, not by an error.
            if code == 1 and re.search(r"^0 passed, [1-9]\d* failed$", output, re.M) and "elements differ" in output:
                failed += 1
            else:
                print(f"FAIL: stub {folder} @{name}: {output}")
    print(f"{len(folders)} puzzles, {functions} functions: {passed} answers passed, {failed} stubs failed")


main()
