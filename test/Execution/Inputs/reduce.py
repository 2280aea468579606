"""Runs tile.reduce with all kinds and flags over lines of many extents and compares with folds in Python.

usage: reduce.py TILE_RUN FOLDER TYPE...

Floats are small integers, so that sums are exact in f32 in any order, with NaN, infinities and negative zeros among them.
An argument of i4 is stored as i8, since rows of an odd extent have no form in a file.
"""
import functools
import itertools
import math
import operator
import os
import random
import sys

from formats import FLOATS, decode, encode, width
from run import Program

EXTENTS = [1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 33, 64, 100, 255]
STORED = {"i4": "i8"}
FOLDS = {"and": operator.and_, "or": operator.or_, "xor": operator.xor}


def shape(i, extent):
    """Shapes of one to three dimensions; the reduced one comes first, in the middle and last."""
    sizes, dim = [([extent], 0), ([3, extent], 1), ([extent, 6], 0), ([2, 3, extent], 2), ([2, extent, 4], 1),
                  ([extent, 2, 6], 0)][i % 6]
    return sizes, dim


def numbers(element, count, generator):
    """Codes. Of floats one in six is special."""
    if element not in FLOATS:
        bits = width(element)
        extremes = [1 << (bits - 1), (1 << (bits - 1)) - 1]
        return [generator.choice([generator.getrandbits(bits)] * 6 + extremes) for _ in range(count)]
    bound = 4 if width(element) == 8 else 100
    special = [math.nan, math.inf, -math.inf, -0.0] if element in ("f16", "bf16", "f32", "f64") else [math.nan, -0.0]
    values = [float(generator.randint(-bound, bound)) for _ in range(count)]
    codes = [encode(element, generator.choice(special) if generator.random() < 0.16 else v) for v in values]
    return [encode_nan(element) if code is None else code for code in codes]


@functools.lru_cache(None)
def encode_nan(element):
    return next(c for c in range((1 << width(element)) - 1, 0, -1) if math.isnan(decode(element, c)))


def fold(kind, values, old, flags):
    """The exact result for one line; `old` takes part if it is a number."""
    if kind.startswith("abs") and "is_unsigned" not in flags:
        values = [abs(v) for v in values]
    values = values + ([] if old is None else [old])
    if kind in FOLDS:
        return functools.reduce(FOLDS[kind], values)
    if kind in ("sum", "abssum"):
        return sum(values)
    nan = [v for v in values if v != v]
    if nan and ("propagate_nan" in flags or len(nan) == len(values)):
        return math.nan
    values = [v for v in values if v == v]
    return min(values) if kind == "min" else max(values)


def cases(element):
    """Kinds, flags and the type of the target."""
    isFloat = element in FLOATS
    for kind in ["sum", "max", "min", "abssum", "absmax"] + ([] if isFloat else list(FOLDS)):
        own = [[]] if not isFloat or "sum" in kind else [[], ["propagate_nan"]]
        own += [] if isFloat else [["is_unsigned"]]
        for flags, combine in itertools.product(own, [[], ["combine"]]):
            yield kind, flags + combine, element
    if isFloat and width(element) < 32:
        yield "sum", [], "f32"
        yield "abssum", ["combine"], "f32"


def lines(sizes, dim):
    """The offsets of the elements of each line, in row-major order of the other coordinates."""
    below = math.prod(sizes[dim + 1:])
    for outer in range(math.prod(sizes[:dim])):
        for inner in range(below):
            yield [(outer * sizes[dim] + k) * below + inner for k in range(sizes[dim])]


def main():
    tile_run, folder, *elements = sys.argv[1:]
    for element in elements:
        generator, program, checks = random.Random(element), Program(os.path.join(folder, element)), []
        for i, (kind, flags, to) in enumerate(cases(element)):
            for j in range(2 if element in FLOATS else 1):
                sizes, dim = shape(i + 3 * j, EXTENTS[(i + 5 * j) % len(EXTENTS)])
                # With and without the reduced dimension.
                rest = sizes[:dim] + ([1] if (i + j) % 2 or len(sizes) == 1 else []) + sizes[dim + 1:]
                codes, olds = (numbers(e, math.prod(s), generator) for e, s in ((element, sizes), (to, rest)))
                a, at = program.argument(STORED.get(element, element), sizes, codes)
                o, ot = program.argument(STORED.get(to, to), rest, olds)
                r, rt = program.argument(STORED.get(to, to), rest)
                ta, tr = program.type(element, sizes, "shared"), program.type(to, rest, "fragment")
                program.kernel(f"%a = tile.alloc : {ta}", f"%r = tile.alloc : {tr}", f"tile.copy {a}, %a : {at}, {ta}",
                               f"tile.copy {o}, %r : {ot}, {tr}",
                               f"tile.reduce {kind} %a, %r dim({dim}) {{{', '.join(flags)}}} : {ta}, {tr}",
                               f"tile.copy %r, {r} : {tr}, {rt}")
                checks.append((kind, flags, to, sizes, dim, codes, olds, r))
        outputs, count, wrong = program.run(tile_run), 0, []
        for kind, flags, to, sizes, dim, codes, olds, r in checks:
            unsigned = "is_unsigned" in flags
            for line, old, got in zip(lines(sizes, dim), olds, outputs[r]):
                values = [decode(element, codes[k], unsigned) for k in line]
                got &= (1 << width(to)) - 1
                value = fold(kind, values, decode(to, old, unsigned) if "combine" in flags else None, flags)
                expected = encode(to, value, unsigned=unsigned)
                count += 1
                if not math.isnan(decode(to, got)) if expected is None else decode(to, got) != decode(to, expected):
                    wrong.append(f"{kind} {flags} {sizes} dim {dim} -> {to}: got {got:#x}, expected {value}")
        print(f"{element}: {count} results, {len(wrong)} wrong", *(f"  {line}" for line in wrong[:20]), sep="\n")


if __name__ == "__main__":
    main()
