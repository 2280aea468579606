#!/usr/bin/env python3
"""Writes C = A * B^T of f8E4M3FN with scales of blocks, as DeepSeek-V3 multiplies: plain tile, nothing in it is meant for one chip.

    fp8_kernels.py M N K ROWS COLUMNS THREADS STAGES [SPLIT] [GEMMS] [CLUSTER] [UNROLL]

A has a scale for 128 elements of a row, stored by columns; B one for 128 x 128 elements. Sums of 128 products are scaled and
added up in f32. With SPLIT, so many blocks share K, and a second kernel adds their sums. An iteration has GEMMS gemms, which
run beside the scaling of those before. CLUSTER blocks along M share their tiles of B; not with SPLIT. UNROLL
iterations become one, by rule without it.
"""
import sys


def ceil_div(a, b):
    return -(-a // b)


def product(m, n, k, rows, columns, threads, stages, split=1, gemms=1, cluster=1, unroll=0):
    steps = ceil_div(k, 128)
    share = ceil_div(steps, split * gemms)
    assert steps % gemms == 0
    grid = f"({ceil_div(n, columns)}, {ceil_div(m, rows)}{f', {split}' if split > 1 else ''})"
    blocks, group = ("(%x, %y, %z)", "") if split > 1 else ("(%x, %y)", "\n    tile.rasterize group(8)")
    bounds = f"%z * {share} to min(%z * {share} + {share}, {steps // gemms})" if split > 1 else f"0 to {steps // gemms}"
    shared = f" cluster(1, {cluster})" if cluster > 1 else ""
    out = f"%parts[%z, %y * {rows}, %x * {columns}]" if split > 1 else f"%c[%y * {rows}, %x * {columns}]"
    parts = f"\n  %parts = tile.alloc : memref<{split}x{m}x{n}xf32>" if split > 1 else ""
    choice = f" attributes {{tile.unroll = {unroll}}}" if unroll else ""
    numbers = range(gemms)
    tiles = "\n".join(f"""    %as{g} = tile.alloc : memref<{rows}x128xf8E4M3FN, #tile.shared>
    %bs{g} = tile.alloc : memref<{columns}x128xf8E4M3FN, #tile.shared>
    %scales{g} = tile.alloc : memref<{rows}xf32, #tile.shared>
    %part{g} = tile.alloc : !acc""" for g in numbers)
    copies = "\n".join(f"""      tile.copy %a[%y * {rows}, %k * {128 * gemms} + {128 * g}], %as{g}
      tile.copy %b[%x * {columns}, %k * {128 * gemms} + {128 * g}], %bs{g}
      tile.copy %a_scales[%k * {gemms} + {g}, %y * {rows}], %scales{g}
      %k{g} = affine.apply affine_map<(k) -> (k * {gemms} + {g})>(%k)
      %scale{g} = memref.load %b_scales[%column, %k{g}] : !b_scales""" for g in numbers)
    products = "\n".join(f"      tile.gemm %as{g}, %bs{g}, %part{g} {{clear, transpose_b}}" for g in numbers)
    sums = "\n".join(f"""      tile.parallel (%i, %j) in ({rows}, {columns}) do fastmath<contract>
        %sum[%i, %j] = %sum[%i, %j] + %part{g}[%i, %j] * (%scales{g}[%i] * %scale{g})""" for g in numbers)
    second = f"""
  tile.kernel (%x, %y) in ({ceil_div(n, 256)}, {ceil_div(m, 4)}) threads(128) {{
    %all = tile.alloc : memref<{split}x4x256xf32, #tile.fragment>
    %sum = tile.alloc : memref<4x256xf32, #tile.fragment>
    tile.copy %parts[0, %y * 4, %x * 256], %all
    tile.reduce sum %all, %sum dim(0)
    tile.copy %sum, %c[%y * 4, %x * 256]
  }}""" if split > 1 else ""
    return f"""!a = memref<{m}x{k}xf8E4M3FN>
!b = memref<{n}x{k}xf8E4M3FN>
!b_scales = memref<{ceil_div(n, 128)}x{steps}xf32>
!acc = memref<{rows}x{columns}xf32, #tile.fragment>
func.func @product(%a: !a, %b: !b, %a_scales: memref<{steps}x{m}xf32>, %b_scales: !b_scales,
    %c: memref<{m}x{n}xbf16> {{tile.result}}) {{{parts}
  tile.kernel {blocks} in {grid} threads({threads}){shared} {{
{tiles}
    %sum = tile.alloc : !acc{group}
    %column = affine.apply affine_map<(x) -> (x * {columns} floordiv 128)>(%x)
    tile.fill %sum, 0.0
    tile.pipelined %k = {bounds} stages({stages}){choice} {{
{copies}
{products}
{sums}
    }}
    tile.copy %sum, {out}
  }}{second}
  return
}}"""


if __name__ == "__main__":
    print(product(*map(int, sys.argv[1:])))
