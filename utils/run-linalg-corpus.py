#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a corpus of linalg programs through tile-run and prints a table.

  utils/run-linalg-corpus.py BUILD FOLDER [NAME...] [--option=OPTION of tile-run]... [--iree=iree-compile]

FOLDER has manifest.json: a list of programs with `name`, `path`, `args` and
`results` (`shape`, `dtype`), `atol`, `rtol`, `entry`. An argument that has a
`kind` is made by the hash of `make_values`; any other is read from
NAME.in<i>.npy beside the program. Results are compared with NAME.out<k>.npy.

The table has the kernels of each program and, with --iree, the dispatches that
iree-compile (iree-base-compiler on PyPI) forms; having more is a failure, too.
"""

import argparse
import json
import os
import re
import struct
import subprocess
import sys
import tempfile

# How numpy names a type, and how struct packs it.
TYPES = {"f32": ("<f4", "f"), "f64": ("<f8", "d"), "f16": ("<f2", "e"), "bf16": ("|V2", "H"), "i1": ("|b1", "?"),
         "i8": ("|i1", "b"), "i32": ("<i4", "i"), "i64": ("<i8", "q")}


def round_bf16(value):
    bits, = struct.unpack("<I", struct.pack("<f", value))
    return (bits + 0x7FFF + (bits >> 16 & 1)) >> 16


def make_values(spec, seed):
    """The elements of an argument: a hash of their numbers, spread over a range."""
    count = 1
    for extent in spec["shape"]:
        count *= extent
    mask, low, high = 0xFFFFFFFF, spec["lo"], spec["hi"]
    for n in range(count):
        h = (n + seed * 0x9E3779B1) & mask
        h ^= h >> 16
        h = h * 0x85EBCA6B & mask
        h ^= h >> 13
        h = h * 0xC2B2AE35 & mask
        h ^= h >> 16
        if spec["kind"] == "i":
            yield h % (high - low) + low
        else:
            value = low + (h >> 8) / 2**24 * (high - low)
            yield round_bf16(value) if spec["dtype"] == "bf16" else value


def write_npy(path, spec, values):
    name, code = TYPES[spec["dtype"]]
    if spec["dtype"] == "f16":  # by way of f32, as the expected results were made
        values = (struct.unpack("<f", struct.pack("<f", v))[0] for v in values)
    shape = "".join(f"{extent}, " for extent in spec["shape"])
    header = f"{{'descr': '{name}', 'fortran_order': False, 'shape': ({shape}), }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    data = list(values)
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode("ascii"))
        file.write(struct.pack(f"<{len(data)}{code}", *data))


def make_command(build, folder, program, scratch, options):
    path = os.path.join(folder, program["path"])
    beside = os.path.join(os.path.dirname(path), program["name"])
    count = len(program["args"])
    command = [f"{build}/bin/tile-run", path, f"--func={program.get('entry', 'main')}", "--no-notes",
               f"--atol={program['atol']}", f"--rtol={program['rtol']}", *options]
    for i, spec in enumerate(program["args"]):
        values = f"{beside}.in{i}.npy"
        if "kind" in spec:
            values = os.path.join(scratch, f"{program['name']}.in{i}.npy")
            write_npy(values, spec, make_values(spec, i + 1))
        command.append(f"--arg={i}:{values}")
    for k, spec in enumerate(program["results"]):
        command.append(f"--check={count + k}:{beside}.out{k}.npy")
        if program.get("dynamic") and spec["shape"]:
            command.append(f"--shape={count + k}:{'x'.join(map(str, spec['shape']))}")
    return command


def count_kernels(build, path):
    result = subprocess.run([f"{build}/bin/tile-opt", path, "--tile-from-linalg"], capture_output=True, text=True)
    return len(re.findall(r"^ *tile\.kernel", result.stdout, re.M)) if result.returncode == 0 else None


def count_dispatches(compiler, path):
    result = subprocess.run([compiler, path, "--iree-hal-target-device=local", "--iree-hal-local-target-device-backends=llvm-cpu",
                             "--iree-opt-level=O2", "--compile-to=flow", "--mlir-elide-elementsattrs-if-larger=8"],
                            capture_output=True, text=True)
    return len(re.findall(r"flow\.dispatch @", result.stdout)) if result.returncode == 0 else None


def run(build, folder, program, scratch, options, limit):
    try:
        result = subprocess.run(make_command(build, folder, program, scratch, options), capture_output=True, text=True,
                                timeout=limit)
    except subprocess.TimeoutExpired:
        return f"more than {limit} s"
    if result.returncode == 0:
        return "equal"
    lines = (result.stderr + result.stdout).strip().splitlines() or ["no output"]
    reasons = [line for line in lines if re.search(r"error|differ|mismatch|FAIL", line)] or lines
    return f"exit {result.returncode}: {reasons[0]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("folder")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--limit", type=int, default=120, help="seconds for each program")
    parser.add_argument("--option", action="append", default=[], help="an option of tile-run (may be repeated)")
    parser.add_argument("--iree", help="count the dispatches of this compiler")
    args = parser.parse_args()
    with open(os.path.join(args.folder, "manifest.json")) as file:
        programs = json.load(file)
    equal = total = kernels = dispatches = more = 0
    with tempfile.TemporaryDirectory() as scratch:
        for program in programs:
            if args.names and program["name"] not in args.names:
                continue
            total += 1
            verdict = run(args.build, args.folder, program, scratch, args.option, args.limit)
            count = count_kernels(args.build, os.path.join(args.folder, program["path"]))
            equal += verdict == "equal"
            kernels += count or 0
            theirs = count_dispatches(args.iree, os.path.join(args.folder, program["path"])) if args.iree else None
            dispatches += theirs or 0
            more += count is not None and theirs is not None and count > theirs
            column = "" if theirs is None else f"{theirs:>4}"
            print(f"{program['name']:40} {'-' if count is None else count:>4}{column}  {verdict[:220]}", flush=True)
    print(f"{equal} of {total} equal, {kernels} kernels" +
          (f", {dispatches} dispatches of IREE, more in {more} programs" if args.iree else ""))
    return equal != total or more > 0


if __name__ == "__main__":
    sys.exit(main())
