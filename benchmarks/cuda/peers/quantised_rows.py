#!/usr/bin/env python3
"""Writes C = A * W^T for fewer rows of A than an instruction has columns, with the weights of quantised_kernels.py: plain tile.

    quantised_rows.py TYPE M N K ROWS THREADS SPLIT GROUPS STAGES

Blocks are small: ROWS rows of weights, which their threads copy for themselves (`cp_async`), GROUPS parts of 128 of K in an
iteration. SPLIT blocks share K; as a cluster, they add up their sums. The rows of A are repeated over the 8 columns of the
instruction. Weights are scaled in bf16; odd parts have a sum of their own.
"""
import sys

GROUP = """      tile.copy %codes[0, {at}], %w{g}
      tile.parallel (%i, %j) in ({rows}, 128) {{
        %v = memref.load %w{g}[%i, %j] : !w_tile
        %scale = memref.load %ss{g}[%i] : !s_tile
        %narrow = arith.truncf %scale : f32 to bf16
        %next = arith.mulf %v, %narrow fastmath<reassoc> : bf16
        memref.store %next, %w{g}[%i, %j] : !w_tile
      }}
      tile.parallel (%i, %j) in (8, 128) do %ap{g}[%i, %j] = %as[%i mod {m}, %j + {at}]
      tile.gemm %w{g}, %ap{g}, %{sum} prefer(mma) {{transpose_b}}
"""


def product(type, m, n, k, rows, threads, split, groups, stages):
    if 8 % m or n % rows or k % (128 * split * groups):
        sys.exit(f"expected M to divide 8, ROWS to divide N, and 128 * SPLIT * GROUPS to divide K, got {m}, {n} and {k}")
    steps, deep = k // (128 * split * groups), 128 * groups
    tiles = "".join(f"""    %ss{g} = tile.alloc : !s_tile
    %w{g} = tile.alloc : !w_tile
    %ap{g} = tile.alloc : !a_part
""" for g in range(groups))
    scales = "".join(f"      tile.copy %scales[%g + {g}, %x * {rows}], %ss{g} prefer(cp_async)\n" for g in range(groups))
    products = "".join(GROUP.format(g=g, at=128 * g, rows=rows, m=m, sum="odd" if g % 2 else "sum") for g in range(groups))
    return f"""!s_tile = memref<{rows}xf32, #tile.shared>
!w_tile = memref<{rows}x128xbf16, #tile.fragment>
!a_part = memref<8x128xbf16, #tile.fragment>
!acc = memref<{rows}x8xf32, #tile.fragment>
func.func @product(%a: memref<{m}x{k}xbf16>, %q: memref<{n}x{k // 2}xi8>, %scales: memref<{k // 128}x{n}xf32>,
                   %c: memref<{m}x{n}xbf16> {{tile.result}}) {{
  tile.kernel (%x, %z) in ({n // rows}, {split}) threads({threads}) cluster(1, {split}) {{
    %as = tile.alloc : memref<{m}x{deep}xbf16, #tile.shared>
    %qs = tile.alloc : memref<{rows}x{deep // 2}xi8, #tile.shared>
{tiles}    %sum = tile.alloc : !acc
    %odd = tile.alloc : !acc
    tile.fill %sum, 0.0
    tile.fill %odd, 0.0
    tile.pipelined %t = 0 to {steps} stages({stages}) {{
      %g = affine.apply affine_map<(t)[z] -> ((t + z * {steps}) * {groups})>(%t)[%z]
      tile.copy %q[%x * {rows}, %g * 64], %qs prefer(cp_async)
      tile.copy %a[0, %g * 128], %as prefer(cp_async)
{scales}      %codes = tile.view %qs : memref<{rows}x{deep // 2}xi8, #tile.shared> to memref<{rows}x{deep}x{type}, #tile.shared>
{products}    }}
    tile.parallel (%i, %j) in ({rows}, 8) do %sum[%i, %j] = %sum[%i, %j] + %odd[%i, %j]
    tile.parallel (%i, %j) in ({rows}, 8) attributes {{tile.cluster_sum = {split}}} {{
      %column = affine.apply affine_map<(i)[x] -> (x * {rows} + i)>(%i)[%x]
      %m = arith.constant {m} : index
      %v = memref.load %sum[%i, %j] : !acc
      %narrow = arith.truncf %v : f32 to bf16
      %inside = arith.cmpi slt, %j, %m : index
      scf.if %inside {{
        memref.store %narrow, %c[%j, %column] : memref<{m}x{n}xbf16>
      }}
    }}
  }}
  return
}}"""


if __name__ == "__main__":
    print(product(sys.argv[1], *map(int, sys.argv[2:])))
