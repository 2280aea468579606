#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Feeds random kernels to the Ascend path, and runs what it makes of them on the model, against the CPU path.

A kernel is right or refused by an error message. All else is a failure: a crash, a hang, a wrong result, a report of the
model, and a refusal that speaks of flags, since the compiler chose them. Then flags are deleted from the lowered kernels,
all that are alike in one section: the verifier refuses what is left, or the model finds it clean and equal, too.
"""
import argparse
import collections
import concurrent.futures
import os
import random
import re
import subprocess
import sys
import tempfile
import time

from ascend_kernels import Kernel

SPLIT = "// -----"
OPTIONS = ["--mlir-print-local-scope", "--mlir-print-op-on-diagnostic=false"]
# What only wrong flags bring about.
OURS = ["nothing orders this", "the flag", "a flag is", "is read before", "waits forever", "failed to legalize", "assertion"]
SYNC = re.compile(r"\s*ascend\.(set_flag|wait_flag|pipe_barrier|cross_core_set_flag|cross_core_wait_flag)\b")


def run(command, text="", limit=600, **environment):
    """Exit code, output, errors; the code is None where there was no end."""
    try:
        done = subprocess.run(command, input=text, text=True, capture_output=True, timeout=limit, errors="replace",
                              env={**os.environ, **environment})
    except subprocess.TimeoutExpired:
        return None, "", f"no end after {limit} s"
    return done.returncode, done.stdout, done.stderr


def get_error(code, errors):
    """The first error, without names and numbers."""
    found = re.search(r"error: (.*)", errors)
    return found.group(1) if found else f"exit code {code}: " + (errors.strip().splitlines() or ["nothing said"])[0]


class Fuzzer:
    def __init__(self, args):
        self.args, self.counts, self.refusals, self.found = args, collections.Counter(), collections.Counter(), []
        # Lowered kernels, which have no flags any more, say themselves what they are for.
        self.chip = [f"--chip={args.chip}"]

    def fail(self, kernel, what, text, detail):
        os.makedirs(self.args.out, exist_ok=True)
        path = os.path.join(self.args.out, f"{kernel.name}-{what}.mlir")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        self.found.append(path)
        print(f"fuzz ascend: {what}: {path}\n  {detail}", flush=True)

    def lower(self, kernel):
        """The lowered function, or nothing."""
        code, text, errors = run([self.args.tile_opt, f"--tile-to-ascend-pipeline=chip={self.args.chip}", *OPTIONS], kernel.get_text(with_reference=False))
        if code == 0 and text.count("\n") <= self.args.lines:
            return text
        if code == 0:
            self.counts["long"] += 1
            return None
        error = get_error(code, errors)
        if code != 1 or any(words in errors for words in OURS):
            self.counts["failed"] += 1
            self.fail(kernel, "crash" if code != 1 else "flags", kernel.get_text(with_reference=False), error)
        else:
            self.refuse(error)
        return None

    def refuse(self, error):
        self.counts["refused"] += 1
        self.refusals[re.sub(r"'[^']*'|\d+(x\d+)*", "_", error)] += 1

    def execute(self, text):
        """What is wrong with the results of the kernels of a file, or nothing."""
        with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
            file.write(text)
            file.flush()
            code, output, errors = run([self.args.tile_run, "--target=ascend", *self.chip, "--threads=2", file.name],
                                       TILE_ASCEND_SEED=str(self.args.order))
        if code == 0 and "0 failed" in output:
            return None
        return " | ".join((output + errors).strip().splitlines()[-8:]) if code is not None else errors

    @staticmethod
    def is_late_refusal(output):
        """Some forms are missed when the text is written."""
        return "error:" in output and "0 passed, 0 failed" in output.replace("0 passed, 1 failed", "0 passed, 0 failed") and \
            not any(words in output for words in ["crashed", "does not compile", "FAIL", *OURS])

    def check(self, kernels):
        """Runs kernels that are lowered, all at once, and one by one where that fails."""
        if not self.execute("\n".join(kernel.get_text() + "\n" + kernel.get_reference() for kernel in kernels)):
            self.counts["right"] += len(kernels)
            return kernels
        right = []
        for kernel in kernels:
            text = kernel.get_text() + "\n" + kernel.get_reference()
            wrong = self.execute(text)
            if not wrong:
                self.counts["right"] += 1
                right.append(kernel)
            elif self.is_late_refusal(wrong):
                self.refuse(get_error(1, wrong))
            else:
                self.counts["failed"] += 1
                self.fail(kernel, "wrong", text, wrong)
        return right

    def get_mutant(self, kernel, lowered):
        """The kernel without a random flag, at all places of one section; nothing if it has none, or the verifier sees it."""
        lines = lowered.split("\n")
        sites, section = [], 0
        for number, line in enumerate(lines):
            section += "ascend.section" in line
            if SYNC.match(line):
                place = number if "barrier" in line else section if "cross" not in line else 0
                key = re.sub(r".*(set_flag|wait_flag|cross_core_set_flag|cross_core_wait_flag)", "", re.sub(r"\{.*\}", "", line)).strip()
                sites.append((number, (place, re.sub(r"\bfrom\b.*", "", key) if "cross" in line else key)))
        if not sites:
            return None
        chosen = self.rng.choice(sites)[1]
        gone = {number for number, key in sites if key == chosen}
        mutant = "\n".join(line for number, line in enumerate(lines) if number not in gone)
        code, _, errors = run([self.args.tile_opt, "--ascend-verify-sync", "--mlir-print-op-on-diagnostic=false"], mutant)
        self.counts["mutants"] += 1
        if code == 1 and "error:" in errors:
            return None
        if code != 0:
            self.fail(kernel, "mutant-crash", mutant, get_error(code, errors))
            return None
        text = mutant.replace("{tile.cases", f"{{tile.reference = @{kernel.name}_reference, tile.cases", 1)
        end = text.rindex("}")
        return text[:end] + kernel.get_reference() + text[end:]

    def mutate(self, kernel, lowered):
        self.rng = random.Random(f"{self.args.seed}-{kernel.name}-mutant")
        for _ in range(self.args.mutants):
            text = self.get_mutant(kernel, lowered)
            if not text:
                continue
            wrong = self.execute(text)
            self.counts["redundant"] += not wrong
            if wrong:
                self.counts["missed"] += 1
                self.fail(kernel, "missed", text, wrong)

    def batch(self, numbers):
        kernels = [Kernel(f"{self.args.seed}-{number}", f"k{number}") for number in numbers]
        self.counts["kernels"] += len(kernels)
        lowered = {}
        for kernel in kernels:
            text = self.lower(kernel)
            if text:
                lowered[kernel] = text
        for kernel in self.check(list(lowered)) if lowered else []:
            self.mutate(kernel, lowered[kernel])

    def describe(self):
        names = ["kernels", "right", "refused", "long", "failed", "mutants", "redundant", "missed"]
        return "fuzz ascend: " + ", ".join(f"{self.counts[name]} {name}" for name in names)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tile-opt", default="tile-opt")
    parser.add_argument("--tile-run", default="tile-run")
    parser.add_argument("--chip", default="910B", help="what the kernels are compiled for")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="the number of the first kernel")
    parser.add_argument("--count", type=int, default=16, help="how many kernels")
    parser.add_argument("--batch", type=int, default=8, help="how many are compiled at once")
    parser.add_argument("--mutants", type=int, default=1, help="deleted flags for each kernel")
    parser.add_argument("--lines", type=int, default=500, help="of a lowered kernel; longer ones are not run")
    parser.add_argument("--order", type=int, default=0, help="the seed of the model: the order in which pipes run")
    parser.add_argument("--print", action="store_true", help="only print the kernels")
    parser.add_argument("--refusals", action="store_true", help="print why kernels are refused")
    parser.add_argument("--out", default=os.path.join(tempfile.gettempdir(), "tile-fuzz"))
    args = parser.parse_args()
    numbers = range(args.first, args.first + args.count)
    if args.print:
        for number in numbers:
            kernel = Kernel(f"{args.seed}-{number}", f"k{number}")
            print(kernel.get_text() + "\n" + kernel.get_reference())
        return
    fuzzer, shown = Fuzzer(args), time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for _ in pool.map(fuzzer.batch, [numbers[i:i + args.batch] for i in range(0, len(numbers), args.batch)]):
            if time.monotonic() - shown > 10:
                shown = time.monotonic()
                print(fuzzer.describe(), flush=True)
    for error, count in fuzzer.refusals.most_common() if args.refusals else []:
        print(f"{count:5} {error}")
    print(fuzzer.describe())
    sys.exit(1 if fuzzer.found or not fuzzer.counts["right"] else 0)


if __name__ == "__main__":
    main()
