#!/usr/bin/env python3
"""Writes the selection of the largest elements of rows: plain tile, nothing in it is meant for one chip.

    topk_kernels.py TYPE ROWS COLUMNS K PART THREADS STAGES
"""
import sys


def topk(element, rows, columns, k, part, threads, stages):
    whole = part == columns
    parts = f"""
    tile.copy %x[%b, 0], %part
    tile.topk %part, %best, %at""" if whole else f"""
    tile.fill %best, -inf
    tile.fill %at, -1
    tile.pipelined %t = 0 to {columns // part} stages({stages}) {{
      tile.copy %x[%b, %t * {part}], %part
      tile.topk %part, %best, %at base(%t * {part}) {{combine}}
    }}"""
    return f"""func.func @topk(%x: memref<{rows}x{columns}x{element}>, %values: memref<{rows}x{k}x{element}> {{tile.result}},
                %places: memref<{rows}x{k}xi32> {{tile.result}}) {{
  tile.kernel (%b) in ({rows}) threads({threads}) {{
    %part = tile.alloc : memref<{part}x{element}, #tile.shared>
    %best = tile.alloc : memref<{k}x{element}, #tile.shared>
    %at = tile.alloc : memref<{k}xi32, #tile.shared>{parts}
    tile.copy %best, %values[%b, 0]
    tile.copy %at, %places[%b, 0]
  }}
  return
}}"""


if __name__ == "__main__":
    print(topk(sys.argv[1], *map(int, sys.argv[2:])))
