#!/usr/bin/env python3
"""Feeds mutated examples to tile-opt, to single passes and to the pipelines of all targets. Fails if it crashes, hangs or
takes too much memory, if upstream's passes reject what the verifiers accept, if it fails without an error or succeeds in
spite of one, or if an error is about the compiler and not about the mutant.

The seeds are the examples of the td files and the .mlir files given, in custom and in generic form: the custom form
exercises the parsers, the generic form reaches the verifiers with operands and attributes that no parser would make.
"""
import argparse
import concurrent.futures
import os
import random
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time

from mutations import mutate

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SPLIT = "// -----"
PIPELINES = [["--canonicalize"], ["--cse", "--canonicalize"], ["--loop-invariant-code-motion", "--sccp"],
             ["--verify-roundtrip"]]
# Passes of ours that may refuse a legal program, with an error.
CHECKED = ["--tile-verify-semantics", "--tile-legalize-accesses", "--convert-tile-to-cpu"]
# Pipelines of ours, by a target or more of each family.
TARGETS = [["--tile-to-cpu-pipeline"], *([f"--tile-to-{name}-pipeline=chip={chip}"] for name, chips in [
    ("nvvm", ["sm_80", "sm_90a", "sm_100a"]), ("rocdl", ["gfx90a", "gfx942", "gfx950"]), ("ascend", ["910B", "950"])]
    for chip in chips)]
# What no error may say: it is about the compiler.
INTERNAL = ["unrealized_conversion_cast", "failed to legalize", "does not dominate", "LLVM ERROR", "Assertion",
            "has no lowering", "branch has "]
MEMORY = 4 << 30
BATCH = 40
# Failures of the MLIR library itself, by a text in the output.
# (affine.for takes a negative step in the generic form, and affine constants down to -2^63: it prints what it does not read.)
UPSTREAM = ["parseDenseArrayAttr", "expected step to be representable as a positive signed integer",
            "constant too large for index"]


def find(folder, suffix):
    return sorted(os.path.join(base, f) for base, _, names in os.walk(folder) for f in names if f.endswith(suffix))


def read_seeds(tile_opt, paths):
    extract = [sys.executable, os.path.join(ROOT, "utils", "extract-examples.py"),
               *find(os.path.join(ROOT, "include"), ".td")]
    texts = subprocess.run(extract, check=True, capture_output=True, text=True).stdout.split(SPLIT)
    for path in paths:
        for name in [path] if os.path.isfile(path) else find(path, ".mlir"):
            with open(name, encoding="utf-8") as file:
                texts += re.split(SPLIT + r"|\n(?=// CHECK-LABEL)", file.read())
    texts = [text for text in texts if text.strip()]
    generic = subprocess.run([tile_opt, "--split-input-file", "--mlir-print-op-generic", "--mlir-print-local-scope"],
                             input=f"\n{SPLIT}\n".join(texts), text=True, capture_output=True).stdout.split(SPLIT)
    return texts + [text for text in generic if text.strip()]


def run(command, text, limit):
    """Exit code, output, errors; the code is None where there was no end. The limit is one of CPU time, which other programs do
    not change; a program that sleeps gets ten times as long."""
    try:
        limited = ["sh", "-c", 'ulimit -t "$0"; exec "$@"', str(limit), *command]
        result = subprocess.run(limited, input=text.encode(), capture_output=True, timeout=10 * limit)
    except subprocess.TimeoutExpired:
        return None, "", f"no end after {10 * limit} s"
    if result.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        return None, "", f"no end after {limit} s of CPU time"
    return result.returncode, result.stdout.decode(errors="replace"), result.stderr.decode(errors="replace")


def describe(code, errors):
    lines = errors.splitlines()
    return f"exit code {code}: " + " | ".join([line for line in lines if re.match(r" *#\d", line)][4:9] or lines[:3])


def check(tile_opt, batch, passes):
    """Reads the programs, then runs the passes on those that are legal. The failure and its output, or nothing."""
    command = [tile_opt, "--split-input-file", "--mlir-print-op-on-diagnostic=false"]
    limit = 10 + len(batch)
    code, legal, errors = run(command, f"\n{SPLIT}\n".join(batch), limit)
    if code in (0, 1):
        legal = SPLIT.join(part for part in legal.split(SPLIT) if part.strip())
        code, _, errors = run(command + passes, legal, limit) if legal else (0, "", "")
        if passes in TARGETS:
            failed = "error: " in errors
            internal = next((text for text in INTERNAL if text in errors), None)
            if code == int(failed) and not internal:
                return None
            return (f"says '{internal}'" if internal else describe(code, errors)), errors
        # The text of a legal op may read otherwise than it was: unused operands of a map are not printed.
        if code == 0 or code == 1 and (passes[0] in CHECKED or "roundTrip" in errors):
            return None
    return describe(code, errors), errors


class Fuzzer:
    """Mutants in batches of a generator each, so that a batch is the same whatever ran before it."""

    def __init__(self, args, seed):
        self.args, self.seed, self.count, self.found = args, seed, 0, []
        self.seeds = read_seeds(args.tile_opt, args.paths)
        known = subprocess.run([args.tile_opt, "--help"], capture_output=True, text=True).stdout
        pipelines = [passes for passes in TARGETS if passes[0].partition("=")[0] in known]
        pipelines += PIPELINES + [[name] for name in CHECKED if f"{name} " in known]
        self.pipelines = [passes for passes in pipelines if re.search(args.passes, passes[0])]

    def report(self, passes, text, failure):
        os.makedirs(self.args.out, exist_ok=True)
        path = os.path.join(self.args.out, f"{self.seed}-{len(self.found)}.mlir")
        self.found.append(path)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        print(f"fuzz: {self.args.tile_opt} {' '.join(passes)} {path}\n  {failure[0]}", flush=True)

    def run(self, number):
        rng = random.Random(f"{self.seed}-{number}")
        batch, passes = [mutate(self.seeds, rng) for _ in range(BATCH)], rng.choice(self.pipelines)
        for text in batch if check(self.args.tile_opt, batch, passes) else []:
            failure = check(self.args.tile_opt, [text], passes)
            if failure and not any(known in failure[1] for known in UPSTREAM):
                self.report(passes, text, failure)
        self.count += len(batch)

    def describe(self):
        return f"{self.count} mutants, {len(self.found)} failures"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tile-opt", default="tile-opt")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--count", type=int, default=0, help="how many mutants, whatever time they take")
    parser.add_argument("--first", type=int, default=0, help=f"the number of the first mutant, a multiple of {BATCH}")
    parser.add_argument("--jobs", type=int, default=1, help="how many programs run at the same time")
    parser.add_argument("--passes", default="", help="a regular expression: only those passes and pipelines")
    parser.add_argument("--seed", type=int, default=0, help="0: another one in each run")
    parser.add_argument("--out", default=os.path.join(tempfile.gettempdir(), "tile-fuzz"))
    parser.add_argument("paths", nargs="*", help="further .mlir files or folders")
    args = parser.parse_args()
    # Programs inherit it.
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    fuzzer = Fuzzer(args, args.seed or random.SystemRandom().randrange(1, 1 << 31))
    print(f"fuzz: seed {fuzzer.seed}, {len(fuzzer.seeds)} examples, {args.count or f'{args.seconds:g} s of'} mutants", flush=True)
    begin = shown = time.monotonic()
    number, end = args.first // BATCH, -(-(args.first + args.count) // BATCH)
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        while (number < end if args.count else time.monotonic() - begin < args.seconds) and len(fuzzer.found) < 10:
            step = min(args.jobs, end - number) if args.count else args.jobs
            list(pool.map(fuzzer.run, range(number, number + step)))
            number += step
            if time.monotonic() - shown > 10:
                shown = time.monotonic()
                print(f"fuzz: {shown - begin:.0f} s, {fuzzer.describe()}; the next is --first={number * BATCH}", flush=True)
    print(f"fuzz: {fuzzer.describe()}")
    sys.exit(1 if fuzzer.found or not fuzzer.count else 0)


if __name__ == "__main__":
    main()
