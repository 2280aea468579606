#!/usr/bin/env python3
"""Feeds mutated examples to tile-opt; fails if it crashes or hangs. An error message is the expected outcome.

The seeds are the examples of the td files and the .mlir files given, in custom and in generic form: the custom form
exercises the parsers, the generic form reaches the verifiers with operands and attributes that no parser would make.
"""
import argparse
import os
import random
import re
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TOKEN = re.compile(r'\s+|[%@#!^]?[\w.$]+|"[^"\n]*"|->|.', re.S)
NUMBER = re.compile(r"(?<![\w%#.])-?\d+(?![\w.])|(?<=x)\d+(?=x)|(?<=<)\d+(?=x)")
TYPE = re.compile(r"\b(?:[if]\d+\b|bf16|index\b|memref<[^<>]*>|f8E\w+|#tile\.\w+)")
NUMBERS = ["0", "-1", "1", "2", "7", "1025", "4294967296", "9223372036854775807", "-9223372036854775808"]
TYPES = ["i1", "i4", "i8", "i32", "i64", "f16", "bf16", "f32", "f64", "index", "f8E4M3FN", "f8E8M0FNU", "f4E2M1FN",
         "none", "complex<f32>", "vector<4xf32>", "memref<f32>", "memref<?xf32>", "memref<*xf32>", "memref<0x4xf32>",
         "memref<8x8xf32, strided<[1, 8]>>", "memref<64x32xf16, #tile.shared>", "memref<1x8x8x4xf32>",
         "memref<4294967296x4294967296xf64>", "tensor<4xf32>", "#tile.fragment", "#tile.global", "#tile.tmem", "3"]
# Crashes of the MLIR library itself, by a function on the stack.
UPSTREAM = ["parseDenseArrayAttr"]  # array<f: ...> with a type that is not an integer or float
PIPELINES = [[], [], ["--canonicalize"], ["--cse", "--canonicalize"], ["--loop-invariant-code-motion", "--sccp"]]


def substitute(pattern, choices, text, rng):
    places = list(pattern.finditer(text))
    if not places:
        return text
    place = rng.choice(places)
    return text[:place.start()] + rng.choice(choices) + text[place.end():]


def edit(parts, rng, other):
    """Deletes, repeats, swaps or replaces one element."""
    i, j = rng.randrange(len(parts)), rng.randrange(len(parts))
    kind = rng.randrange(4)
    if kind == 0:
        del parts[i]
    elif kind == 1:
        parts.insert(j, parts[i])
    elif kind == 2:
        parts[i], parts[j] = parts[j], parts[i]
    else:
        parts[i] = rng.choice(other)
    return parts


def mutate(seeds, rng):
    text, other = rng.choice(seeds), rng.choice(seeds)
    for _ in range(rng.choice([1, 1, 1, 2, 3, 6])):
        kind = rng.randrange(8)
        if kind < 3:
            text = substitute(NUMBER, NUMBERS, text, rng)
        elif kind < 5:
            text = substitute(TYPE, TYPES, text, rng)
        elif kind < 6:
            text = "".join(edit(TOKEN.findall(text) or [" "], rng, TOKEN.findall(other)))
        else:
            text = "\n".join(edit(text.split("\n"), rng, other.split("\n")))
    return text


def read_seeds(tile_opt, paths):
    td = [os.path.join(base, f) for base, _, files in os.walk(os.path.join(ROOT, "include")) for f in files
          if f.endswith(".td")]
    extract = [sys.executable, os.path.join(ROOT, "utils", "extract-examples.py"), *sorted(td)]
    texts = subprocess.run(extract, check=True, capture_output=True, text=True).stdout.split("// -----")
    for path in paths:
        files = [path] if os.path.isfile(path) else sorted(
            os.path.join(base, f) for base, _, names in os.walk(path) for f in names if f.endswith(".mlir"))
        texts += [part for f in files for part in open(f, encoding="utf-8").read().split("// -----")]
    texts = [text for text in texts if text.strip()]
    generic = [subprocess.run([tile_opt, "--mlir-print-op-generic", "--mlir-print-local-scope"], input=text, text=True,
                              capture_output=True).stdout for text in texts]
    return texts + [text for text in generic if text.strip()]


def crashes(command, text, limit, known=UPSTREAM):
    """What went wrong beyond an error message, or nothing."""
    try:
        run = subprocess.run(command, input=text.encode(), capture_output=True, timeout=limit)
    except subprocess.TimeoutExpired:
        return f"no end after {limit} s"
    errors = run.stderr.decode(errors="replace")
    if run.returncode in (0, 1) or any(function in errors for function in known):
        return None
    lines = errors.splitlines()
    return f"exit code {run.returncode}; " + " | ".join([l for l in lines if re.match(r" ?#\d", l)][4:9] or lines[-3:])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tile-opt", default="tile-opt")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=0, help="0: another one in each run")
    parser.add_argument("--out", default=os.path.join(tempfile.gettempdir(), "tile-fuzz"))
    parser.add_argument("paths", nargs="*", help="further .mlir files or folders")
    args = parser.parse_args()
    seed = args.seed or random.SystemRandom().randrange(1, 1 << 31)
    rng = random.Random(seed)
    seeds = read_seeds(args.tile_opt, args.paths)
    print(f"fuzz: seed {seed}, {len(seeds)} examples, {args.seconds:g} s", flush=True)
    begin = shown = time.monotonic()
    count, found = 0, []
    while time.monotonic() - begin < args.seconds and len(found) < 10:
        batch = [mutate(seeds, rng) for _ in range(40)]
        command = [args.tile_opt, "--split-input-file", *rng.choice(PIPELINES)]
        if crashes(command, "\n// -----\n".join(batch), 40, known=()):
            for text in batch:
                if reason := crashes(command, text, 10):
                    os.makedirs(args.out, exist_ok=True)
                    path = os.path.join(args.out, f"{seed}-{len(found)}.mlir")
                    with open(path, "w", encoding="utf-8") as file:
                        file.write(text)
                    found.append(path)
                    print(f"fuzz: {' '.join(command)} {path}\n  {reason}", flush=True)
        count += len(batch)
        if time.monotonic() - shown > 10:
            shown = time.monotonic()
            print(f"fuzz: {shown - begin:.0f} s, {count} mutants, {len(found)} failures", flush=True)
    print(f"fuzz: {count} mutants, {len(found)} failures")
    sys.exit(1 if found or not count else 0)


main()
