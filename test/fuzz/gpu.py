#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs random kernels for GPUs on the SIMT model, against plain loops over elements; with --cpus, on CPUs, too, whose vectors
are of several widths, with several numbers of threads.

A kernel is right, or refused by an error message. All else is a failure: a wrong result, a report of the model, a crash, a
hang, a message that is no refusal. A failure leaves the shortest program found that fails alike, with its command.
"""
import argparse
import collections
import concurrent.futures
import os
import re
import sys
import tempfile
import time

from ascend import run
from gpu_kernels import CHIPS, Kernel, join

# What no program should bring about, whatever it asks for.
INTERNAL = re.compile(r"failed to legalize|ssertion|internal|does not know|made a wrong module|nothing orders|cannot select|"
                      r"unable to|unrealized|operation with block successors|dominate|op requires|waits forever|deadlock")
# Widths of vectors and numbers of threads.
CPUS = [("generic", 1), ("x86-64-v3", 3), ("x86-64-v4", 8)]
# A call that the launch refuses, since it is not what the code is made for.
LAUNCH = re.compile(r"argument \d+(?: \(\S+\))?: dimension \d+: expected \S+ to be a multiple of")
# What this machine cannot run.
FOREIGN = re.compile(r"expected a CPU that runs code for '.*', got one without '.*'")
ROW = re.compile(r"^(k\d+) .*?(?:FAIL: (.*))?$")
ERROR = re.compile(r":(\d+):\d+: error: (.*)")


def simplify(message):
    """A message without names and numbers."""
    return re.sub(r"\S+\.mlir(:\d+)*|%\w+|@\w+|'[^']*'|0x[0-9a-f]+|-?\d+(\.\d+)?(e[-+]\d+)?(x\d+)*|nan|-?inf\b", "_", message)


class Result:
    """What became of a kernel: right, refused with a reason, or failed with one."""

    def __init__(self, kind, reason=""):
        self.kind, self.reason = kind, reason

    def is_like(self, other):
        return self.kind == other.kind and simplify(self.reason)[:80] == simplify(other.reason)[:80]


class Fuzzer:
    def __init__(self, args):
        self.args, self.counts, self.refusals, self.found = args, collections.Counter(), collections.Counter(), []

    def get_command(self, chip):
        if chip in dict(CPUS):
            return [self.args.tile_run, f"--chip={chip}", "--no-notes", f"--threads={dict(CPUS)[chip]}"]
        return [self.args.tile_run, f"--target={CHIPS[chip][0]}", f"--chip={chip}", "--device=model", "--no-notes", "--threads=1"]

    def execute(self, kernels, chip):
        """The result of each kernel, or nothing where the program as a whole failed."""
        text = join(kernels)
        with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
            file.write(text)
            file.flush()
            code, output, errors = run(self.get_command(chip) + [file.name], limit=self.args.limit * len(kernels),
                                       TILE_SIMT_SEED=str(self.args.order))
        rows = collections.defaultdict(list)
        for line in output.splitlines():
            row = ROW.match(line)
            if row:
                rows[row.group(1)].append(row.group(2))
        if code not in (0, 1) or " passed, " not in output or any(kernel.name not in rows for kernel in kernels):
            return self.explain_end(kernels, code, output + errors)
        reasons = self.find_reasons(text, errors)
        return [self.judge(rows[kernel.name], reasons.get(kernel.name)) for kernel in kernels]

    @staticmethod
    def explain_end(kernels, code, output):
        foreign = FOREIGN.search(output)
        if foreign:
            return [Result("refused", foreign.group())] * len(kernels)
        if len(kernels) > 1:
            return None
        lines = [line for line in output.strip().splitlines() if "error:" in line] or output.strip().splitlines()[-3:]
        what = "no end" if code is None else "ended"
        return [Result("failed", f"{what}, exit code {code}: " + " | ".join(lines[:3]))]

    @staticmethod
    def find_reasons(text, errors):
        """The first error of each kernel, by the lines that its text takes."""
        names = {}
        for number, line in enumerate(text.split("\n"), 1):
            start = re.match(r"func.func (?:private )?@(k\d+)", line)
            name = start.group(1) if start else name if number > 1 else None
            names[number] = name
        reasons = {}
        for line, message in ERROR.findall(errors):
            reasons.setdefault(names.get(int(line)), message)
        return reasons

    @staticmethod
    def judge(failures, reason):
        failures = [failure for failure in failures if failure]
        if not failures:
            return Result("right")
        if all(LAUNCH.search(failure) for failure in failures):
            return Result("refused", failures[0])
        failures = [failure for failure in failures if not LAUNCH.search(failure)]
        if "could not be compiled" not in failures[0]:
            return Result("failed", failures[0])
        if not reason or INTERNAL.search(reason):
            return Result("failed", reason or "refused without a reason")
        return Result("refused", reason)

    def make(self, number, chip, left_out=()):
        return Kernel(f"{self.args.seed}-{number}", f"k{number}", chip, left_out, self.args.asynchronous)

    def shorten(self, number, chip, result, where):
        """Leaves out what the failure does not need, one statement after the other."""
        left_out, kernel = set(), self.make(number, chip)
        for statement in reversed(range(kernel.statements)):
            shorter = self.make(number, chip, left_out | {statement})
            if shorter.text != kernel.text and self.execute([shorter], where)[0].is_like(result):
                left_out.add(statement)
                kernel = shorter
        return kernel

    def report(self, number, chip, result, where):
        kernel = self.shorten(number, chip, result, where) if self.args.shorten else self.make(number, chip)
        os.makedirs(self.args.out, exist_ok=True)
        path = os.path.join(self.args.out, f"{where}-{self.args.seed}-{number}.mlir")
        command = " ".join(["TILE_SIMT_SEED=" + str(self.args.order), "tile-run"] + self.get_command(where)[1:] + [path])
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"// {command}\n// {result.reason}\n" + join([kernel]))
        self.found.append(path)
        print(f"fuzz gpu: {path}\n  {result.reason[:300]}", flush=True)

    def count(self, number, chip, result, where):
        self.counts["CPU" if result.kind == "right" and where != chip else result.kind] += 1
        if result.kind == "refused":
            self.refusals[simplify(result.reason)] += 1
        elif result.kind == "failed":
            self.report(number, chip, result, where)

    def batch(self, task):
        chip, numbers = task
        kernels = [self.make(number, chip) for number in numbers]
        for where in [chip] + [cpu for cpu, _ in CPUS] * self.args.cpus:
            results = self.execute(kernels, where)
            if not results:
                results = [self.execute([kernel], where)[0] for kernel in kernels]
            for number, result in zip(numbers, results):
                self.count(number, chip, result, where)

    def describe(self):
        return "fuzz gpu: " + ", ".join(f"{self.counts[name]} {name}" for name in ["right", "CPU", "refused", "failed"]
                                         if name != "CPU" or self.args.cpus)


def parse():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tile-run", default="tile-run")
    parser.add_argument("--chip", action="append", choices=list(CHIPS), help="may be repeated; by default all in turn")
    parser.add_argument("--cpus", action="store_true", help="run each kernel on CPUs, too")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="the number of the first kernel")
    parser.add_argument("--count", type=int, default=40, help="how many kernels")
    parser.add_argument("--batch", type=int, default=8, help="how many are in one program")
    parser.add_argument("--jobs", type=int, default=1, help="how many programs run at the same time")
    parser.add_argument("--limit", type=int, default=120, help="seconds for a kernel")
    parser.add_argument("--order", type=int, default=1, help="the seed of the model: the order of threads and blocks")
    parser.add_argument("--asynchronous", action="store_true", help="ask for asynchronous copies where rows are aligned")
    parser.add_argument("--print", action="store_true", help="only print the kernels")
    parser.add_argument("--no-shorten", dest="shorten", action="store_false", help="leave programs that fail as they are")
    parser.add_argument("--refusals", action="store_true", help="print why kernels are refused")
    parser.add_argument("--out", default=os.path.join(tempfile.gettempdir(), "tile-fuzz"), help="for programs that fail")
    return parser.parse_args()


def main():
    args, shown = parse(), time.monotonic()
    chips, fuzzer = args.chip or list(CHIPS), Fuzzer(args)
    numbers = range(args.first, args.first + args.count)
    batches = [(chips[numbers[i] // args.batch % len(chips)], numbers[i:i + args.batch]) for i in range(0, len(numbers), args.batch)]
    if args.print:
        print("\n".join(join([fuzzer.make(number, chip) for number in part]) for chip, part in batches))
        return
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for _ in pool.map(fuzzer.batch, batches):
            if time.monotonic() - shown > 30:
                shown = time.monotonic()
                print(fuzzer.describe(), flush=True)
    for reason, count in fuzzer.refusals.most_common() if args.refusals else []:
        print(f"{count:5} {reason}")
    print(fuzzer.describe())
    sys.exit(1 if fuzzer.found or not fuzzer.counts["right"] else 0)


if __name__ == "__main__":
    main()
