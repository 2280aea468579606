"""Runs tile.scan with all kinds and flags over lines of many extents and compares with folds in Python.

usage: scan.py TILE_RUN FOLDER TYPE...
"""
import itertools
import math
import os
import random
import sys

from formats import FLOATS, decode, encode
from reduce import EXTENTS, lines, numbers, shape
from run import Program


def expected(kind, values, reverse):
    """The running result, in order. A maximum ignores NaN where there is a number."""
    running, results = None, []
    for v in reversed(values) if reverse else values:
        if running is None or kind == "max" and running != running:
            running = v
        elif kind == "sum":
            running += v
        elif v == v:
            running = max(running, v)
        results.append(running)
    return results[::-1] if reverse else results


def main():
    tile_run, folder, *elements = sys.argv[1:]
    for element in elements:
        generator, program, checks = random.Random(element), Program(os.path.join(folder, element)), []
        flags = [[]] if element in FLOATS else [[], ["is_unsigned"]]
        cases = itertools.product(["sum", "max"], flags, [[], ["reverse"]], [False, True], range(2))
        for i, (kind, own, reverse, in_place, _) in enumerate(cases):
            sizes, dim = shape(i, EXTENTS[i * 5 % len(EXTENTS)])
            codes = numbers(element, math.prod(sizes), generator)
            (a, at), (r, rt) = program.argument(element, sizes, codes), program.argument(element, sizes)
            t = program.type(element, sizes, "shared")
            to = "%a" if in_place else "%r"
            program.kernel(f"%a = tile.alloc : {t}", f"%r = tile.alloc : {t}", f"tile.copy {a}, %a : {at}, {t}",
                           f"tile.scan {kind} %a, {to} dim({dim}) {{{', '.join(own + reverse)}}} : {t}, {t}",
                           f"tile.copy {to}, {r} : {t}, {rt}")
            checks.append((kind, bool(own), bool(reverse), sizes, dim, codes, r))
        outputs, count, wrong = program.run(tile_run), 0, []
        for kind, unsigned, reverse, sizes, dim, codes, r in checks:
            for line in lines(sizes, dim):
                values = expected(kind, [decode(element, codes[k], unsigned) for k in line], reverse)
                for k, value in zip(line, values):
                    want, got = encode(element, value), outputs[r][k]
                    count += 1
                    if not math.isnan(decode(element, got)) if want is None else \
                            decode(element, got) != decode(element, want):
                        wrong.append(f"{kind} {sizes} dim {dim}: got {got:#x}, expected {value}")
        print(f"{element}: {count} results, {len(wrong)} wrong", *(f"  {line}" for line in wrong[:20]), sep="\n")


main()
