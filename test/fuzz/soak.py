#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs many random kernels on all paths: of GPUs on the SIMT model and on CPUs, of Ascend on its model, for both chips.

Numbers go from --first on, in rounds of 80; each round says where to go on. Half of the kernels are those of gpu.py, the other
half those of ascend.py. The last line has the sums; the exit code is 1 if anything failed.
"""
import argparse
import collections
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROUND = 80
# What becomes of a kernel on a path.
ENDS = ["right", "CPU", "refused", "long", "failed"]


def get_commands(args, first):
    """The fuzzers of a round, with the number of results of each: those of GPUs run on three CPUs, too."""
    both = ["--tile-run", os.path.join(args.tools, "tile-run"), "--seed", str(args.seed), "--out", args.out, "--first", str(first)]
    ascend = ["--tile-opt", os.path.join(args.tools, "tile-opt"), "--mutants", "0", "--count", str(ROUND // 4)]
    yield 4 * (ROUND // 2), ["gpu.py", *both, "--count", str(ROUND // 2), "--cpus", "--jobs", str(args.jobs)]
    for chip in ["910B", "950"]:
        yield ROUND // 4, ["ascend.py", *both, *ascend, "--chip", chip]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tools", required=True, help="the folder of tile-run and tile-opt")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help=f"the number of the first kernel, a multiple of {ROUND}")
    parser.add_argument("--count", type=int, default=2000, help="how many kernels")
    parser.add_argument("--jobs", type=int, default=2, help="how many programs run at the same time")
    parser.add_argument("--out", default="soak", help="for programs that fail")
    args = parser.parse_args()
    total = collections.Counter()

    def describe():
        return ", ".join(f"{total[name]} {name}" for name in ["kernels", *ENDS, "broken"])

    for first in range(args.first, args.first + args.count, ROUND):
        for results, (script, *arguments) in get_commands(args, first):
            run = subprocess.run([sys.executable, os.path.join(HERE, script), *arguments], text=True, stdout=subprocess.PIPE)
            lines = run.stdout.splitlines()
            last = lines[-1] if lines else "nothing said"
            found = {name: int(count) for count, name in re.findall(r"(\d+) (\w+)", last.partition(": ")[2]) if name in ENDS}
            # A fuzzer that fails itself may have said a sum before, and its exit code may be 1, too.
            total["broken"] += sum(found.values()) != results or run.returncode not in (0, 1)
            total.update(found)
            print("".join(f"{line}\n" for line in lines if "fuzz" not in line or ".mlir" in line), end="", flush=True)
        total["kernels"] += ROUND
        print(f"soak: {describe()}; the next is --first={first + ROUND}", flush=True)
    sys.exit(1 if total["failed"] or total["broken"] or not total["right"] else 0)


if __name__ == "__main__":
    main()
