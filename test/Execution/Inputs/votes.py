"""Runs tile.any_of and tile.all_of on tiles of few and many elements and compares with Python's any and all.

usage: votes.py TILE_RUN FOLDER OPTION... -- TYPE...

All elements are zero, none is, or one differs from the rest: the first, the last or one between, by a number whose only bit
is the lowest or the highest one.
"""
import math
import os
import sys

from formats import width
from run import Program

SHAPES = [[1], [1, 1], [7], [300], [6, 33], [7, 129], [3, 4, 17], [2, 1, 19], [1, 65, 1], [40, 1]]
SPACES = ["shared", "fragment"]


def contents(element, count):
    """Codes of all elements."""
    least, greatest = 1, 1 << (width(element) - 1)
    yield [0] * count
    yield [least if k % 2 else greatest for k in range(count)]
    for other in {least, greatest}:
        for place in {0, count // 2, count - 1}:
            yield [other if k == place else 0 for k in range(count)]
            yield [0 if k == place else other for k in range(count)]


def add(program, element, shape, space):
    """A kernel whose blocks have a tile each, of which they take both votes; returns what is to be compared."""
    tiles = list(contents(element, math.prod(shape)))
    source, source_type = program.argument(element, [len(tiles), *shape], sum(tiles, []))
    result, _ = program.argument("i32", [len(tiles), 2])
    tile = program.type(element, shape, space)
    program.kernel(f"%t = tile.alloc : {tile}",
                   f"tile.copy {source}[{', '.join(['%block'] + ['0'] * len(shape))}], %t : {source_type}, {tile}",
                   f"%any = tile.any_of %t : {tile}", f"%all = tile.all_of %t : {tile}",
                   "tile.parallel (%i) in (2) do {", "%is = select(%i == 0, %any, %all)",
                   f"{result}[%block, %i] = select(%is, 1, 0)", "}", blocks=len(tiles))
    return shape, tiles, result


def main():
    tile_run, folder, *rest = sys.argv[1:]
    at = rest.index("--")
    for element in rest[at + 1:]:
        program = Program(os.path.join(folder, element))
        checks = [add(program, element, shape, SPACES[turn % 2]) for turn, shape in enumerate(SHAPES)]
        outputs, count, wrong = program.run(tile_run, *rest[:at]), 0, []
        for shape, tiles, result in checks:
            for block, codes in enumerate(tiles):
                got, expected = outputs[result][2 * block:2 * block + 2], [int(any(codes)), int(all(codes))]
                count += 2
                if got != expected:
                    wrong.append(f"{shape} {sorted(set(codes))}: got {got}, expected {expected}")
        print(f"{element}: {count} results, {len(wrong)} wrong", *(f"  {line}" for line in wrong[:20]), sep="\n")


if __name__ == "__main__":
    main()
