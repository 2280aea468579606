#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The least time of a product of f16 on an NPU by the account of time, over all tiles that fit its memories.

    bound.py [--chip 910B] [--cores 24] [--size 4096] [--best 5]

A core computes its share of the tiles of C, one after the other. Each takes the time of its busiest pipe: MTE2, which copies
A and B to L1 in steps of K, two of which have to fit, M, or FIX, which stores C from L0C. The first copies and the last store
are added once. Costs are those of model/ascend/include/tile_ascend/costs.def.
"""
import argparse
import math
import os
import re

COSTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), *"../../model/ascend/include/tile_ascend/costs.def".split("/"))
CORES = {"910B": 24, "950": 32}
L1, L0C = {"910B": 524288, "950": 524288}, {"910B": 131072, "950": 262144}
RESERVED = 256  # bytes of L1 that belong to the system
BYTES, SQUARE = 2, 16


def read_costs(chip):
    with open(COSTS, encoding="utf-8") as file:
        rows = re.findall(r"TILE_ASCEND_COST\((\w+),\s*\"[^\"]*\",\s*\"[^\"]*\",\s*\w+,\s*([\d.]+),\s*([\d.]+)", file.read())
    return {name: float(old if chip == "910B" else new) for name, old, new in rows}


def copy(costs, rows, columns):
    """A copy between GM and a core."""
    return rows * (columns * BYTES / costs["GM_BYTES"] + costs["GM_ROW"])


def estimate(costs, args, rows, columns, depth):
    """Cycles of the busiest core, of its busiest pipe, and that pipe."""
    tiles = math.ceil(math.ceil(args.size / rows) * math.ceil(args.size / columns) / args.cores)
    steps = args.size / depth
    step = copy(costs, rows, depth) + copy(costs, depth, columns)
    pipes = {"MTE2": steps * step, "M": rows * columns * args.size / costs["CUBE_MACS"], "FIX": copy(costs, rows, columns)}
    pipe = max(pipes, key=pipes.get)
    ends = step + pipes["FIX"] + 2 * costs["GM_LATENCY"]
    return tiles * pipes[pipe] + ends, tiles * pipes["M"], pipe, tiles


def find_tiles(args):
    costs, found = read_costs(args.chip), []
    for rows in range(SQUARE, L0C[args.chip] // 4 // SQUARE + 1, SQUARE):
        for columns in range(SQUARE, L0C[args.chip] // 4 // rows + 1, SQUARE):
            for depth in (64, 128, 256, 512):
                if 2 * BYTES * depth * (rows + columns) <= L1[args.chip] - RESERVED:
                    found.append((*estimate(costs, args, rows, columns, depth), rows, columns, depth))
    return sorted(found)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chip", default="910B", choices=CORES)
    parser.add_argument("--cores", type=int)
    parser.add_argument("--size", type=int, default=4096)
    parser.add_argument("--best", type=int, default=5)
    args = parser.parse_args()
    args.cores = args.cores or CORES[args.chip]
    print("tile             of a core     cycles  busiest       M")
    for cycles, products, pipe, tiles, rows, columns, depth in find_tiles(args)[:args.best]:
        print(f"{f'{rows}x{columns}x{depth}':15}  {tiles:9}  {cycles:9.0f}  {pipe:7}  {100 * products / cycles:4.1f} %")


if __name__ == "__main__":
    main()
