"""Runs tile.reduce on the Ascend model over lines of many extents and compares with folds in Python.

usage: ascend_reduce.py TILE_RUN FOLDER TYPE... [every=STEP]

Extents lie next to those of blocks, vectors and halves of vectors; with every=STEP, rows of all extents from 1 to 1100 in
that step. Lines are rows, columns, and dimensions of tiles of three; kinds and flags take turns. Floats are small integers,
so that sums are exact in any order.
"""
import math
import os
import random
import sys

from formats import FLOATS, decode, encode, width
from reduce import FOLDS, fold, lines
from run import Program

EXTENTS = [1, 2, 7, 16, 33, 64, 65, 100, 129, 136, 257, 300, 1001]
KINDS = ["sum", "max", "min", "abssum", "absmax"]


def shapes(extent):
    """Sizes and the reduced dimension."""
    yield ([3, extent], 1) if extent % 2 else ([extent], 0)
    yield ([2, min(extent, 40), 9], 1) if extent % 2 else ([min(extent, 40), 2, 5], 0)
    yield ([2, 3, min(extent, 130)], 2) if extent % 3 else ([extent, 3], 0)


def numbers(element, count, generator):
    if element not in FLOATS:
        bits = width(element)
        ends = [1 << (bits - 1), (1 << (bits - 1)) - 1]
        return [generator.choice([generator.getrandbits(bits)] * 6 + ends) for _ in range(count)]
    return [encode(element, float(generator.randint(-100, 100))) for _ in range(count)]


def add(program, element, sizes, dim, turn, generator):
    """A kernel that reduces one tile in some ways; returns what is to be compared."""
    rest = sizes[:dim] + ([1] if len(sizes) == 1 else []) + sizes[dim + 1:]
    codes, olds = (numbers(element, math.prod(s), generator) for s in (sizes, rest))
    unsigned = [[]] if element in FLOATS else [[], ["is_unsigned"]]
    kinds = KINDS + ([] if element in FLOATS else list(FOLDS))
    checks = [(kind, own + combine) for kind in kinds for own in unsigned for combine in ([], ["combine"])]
    checks = [checks[(turn * 3 + i * 7) % len(checks)] for i in range(2)]
    a, at = program.argument(element, sizes, codes)
    o, ot = program.argument(element, rest, olds)
    r, rt = program.argument(element, [len(checks), *rest])
    ta, tr = program.type(element, sizes, "shared"), program.type(element, rest, "fragment")
    body = [f"%a = tile.alloc : {ta}", f"tile.copy {a}, %a : {at}, {ta}"]
    for i, (kind, flags) in enumerate(checks):
        body.append(f"%r{i} = tile.alloc : {tr}")
        if "combine" in flags:
            body.append(f"tile.copy {o}, %r{i} : {ot}, {tr}")
        body.append(f"tile.reduce {kind} %a, %r{i} dim({dim}) {{{', '.join(flags)}}} : {ta}, {tr}")
        body.append(f"tile.copy %r{i}, {r}[{', '.join([str(i)] + ['0'] * len(rest))}] : {tr}, {rt}")
    program.kernel(*body)
    return [(*check, element, sizes, dim, codes, olds, r, i) for i, check in enumerate(checks)]


def compare(check, outputs):
    """How many results there are, and which are wrong."""
    kind, flags, element, sizes, dim, codes, olds, r, at = check
    unsigned, wrong = "is_unsigned" in flags, []
    results = outputs[r][at * len(olds):(at + 1) * len(olds)]
    for line, start, got in zip(lines(sizes, dim), olds, results):
        values = [decode(element, codes[k], unsigned) for k in line]
        old = decode(element, start, unsigned) if "combine" in flags else None
        value = fold(kind, values, old, flags)
        if decode(element, got) != decode(element, encode(element, value, unsigned=unsigned)):
            wrong.append(f"{kind} {flags} {sizes} dim {dim}: got {got:#x}, expected {value}")
    return len(results), wrong


def main():
    tile_run, folder, *elements = sys.argv[1:]
    every = int(elements.pop()[6:]) if elements[-1].startswith("every=") else None
    sizes = [([3, extent], 1) for extent in range(1, 1101, every)] if every else \
        [shape for extent in EXTENTS for shape in shapes(extent)]
    for element in elements:
        generator, program, checks = random.Random(element), Program(os.path.join(folder, element)), []
        for turn, (shape, dim) in enumerate(sizes):
            checks += add(program, element, shape, dim, turn, generator)
        outputs, count, wrong = program.run(tile_run, "--target=ascend"), 0, []
        for check in checks:
            more, errors = compare(check, outputs)
            count, wrong = count + more, wrong + errors
        print(f"{element}: {count} results, {len(wrong)} wrong", *(f"  {line}" for line in wrong[:20]), sep="\n")


if __name__ == "__main__":
    main()
