#!/usr/bin/env python3
"""Writes C = A * W^T with bf16 activations A (MxK) and weights W (NxK) of 4 bits, which are packed two to a byte along K
and have one f32 scale for each 128 of a row: plain tile, nothing in it is meant for one chip.

    quantised_kernels.py TYPE M N K ROWS COLUMNS THREADS SPLIT STAGES [FAMILY [SPACE]]

TYPE is i4 or f4E2M1FN. The weights are the rows of the product, so that few activations are a narrow tile: a block has ROWS
weights' rows and COLUMNS activations' rows. SPLIT blocks share K; a second kernel adds their sums.
"""
import sys


def product(type, m, n, k, rows, columns, threads, split, stages, family="mma", space="fragment"):
    steps = -(-k // (128 * split))
    prefer = f" prefer({family})" if family != "any" else ""
    return f"""!a = memref<{m}x{k}xbf16>
!q = memref<{n}x{k // 2}xi8>
!scales = memref<{k // 128}x{n}xf32>
!parts = memref<{split}x{m}x{n}xf32>
!c = memref<{m}x{n}xbf16>
!a_tile = memref<{columns}x128xbf16, #tile.shared>
!q_tile = memref<{rows}x64xi8, #tile.shared>
!codes = memref<{rows}x128x{type}, #tile.shared>
!w_tile = memref<{rows}x128xbf16, #tile.{space}>
!s_tile = memref<{rows}xf32, #tile.shared>
!acc = memref<{rows}x{columns}xf32, #tile.fragment>
!row = memref<1024xf32, #tile.fragment>
func.func @product(%a: !a, %q: !q, %scales: !scales, %parts: !parts {{tile.result}}, %c: !c {{tile.result}}) {{
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %split = arith.constant {split} : index
  %m = arith.constant {m} : index
  tile.kernel (%y, %x, %z) in ({-(-m // columns)}, {n // rows}, {split}) threads({threads}) {{
    %as = tile.alloc : !a_tile
    %qs = tile.alloc : !q_tile
    %ss = tile.alloc : !s_tile
    %w = tile.alloc : !w_tile
    %part = tile.alloc : !acc
    %sum = tile.alloc : !acc
    tile.fill %sum, %zero : !acc
    tile.pipelined %t = 0 to {steps} stages({stages}) {{
      %g = affine.apply affine_map<(t)[z] -> (t + z * {steps})>(%t)[%z]
      tile.copy %a[%y * {columns}, %g * 128], %as : !a, !a_tile
      tile.copy %q[%x * {rows}, %g * 64], %qs : !q, !q_tile
      tile.copy %scales[%g, %x * {rows}], %ss : !scales, !s_tile
      %codes = tile.view %qs : !q_tile to !codes
      tile.copy %codes, %w : !codes, !w_tile
      tile.gemm %w, %as, %part{prefer} {{clear, transpose_b}} : !w_tile, !a_tile, !acc
      tile.parallel (%i, %j) in ({rows}, {columns}) {{
        %p = memref.load %part[%i, %j] : !acc
        %before = memref.load %sum[%i, %j] : !acc
        %scale = memref.load %ss[%i] : !s_tile
        %next = math.fma %p, %scale, %before : f32
        memref.store %next, %sum[%i, %j] : !acc
      }}
    }}
    tile.parallel (%i, %j) in ({rows}, {columns}) {{
      %row = affine.apply affine_map<(j)[y] -> (y * {columns} + j)>(%j)[%y]
      %column = affine.apply affine_map<(i)[x] -> (x * {rows} + i)>(%i)[%x]
      %v = memref.load %sum[%i, %j] : !acc
      %inside = arith.cmpi slt, %row, %m : index
      scf.if %inside {{
        memref.store %v, %parts[%z, %row, %column] : !parts
      }}
    }}
  }}
  tile.kernel (%x, %y) in ({-(-n // 1024)}, {m}) threads(128) {{
    %sum = tile.alloc : !row
    %next = tile.alloc : !row
    tile.fill %sum, %zero : !row
    scf.for %z = %c0 to %split step %c1 {{
      tile.copy %parts[%z, %y, %x * 1024], %next : !parts, !row
      tile.parallel (%j) in (1024) {{
        %p = memref.load %next[%j] : !row
        %before = memref.load %sum[%j] : !row
        %all = arith.addf %before, %p : f32
        memref.store %all, %sum[%j] : !row
      }}
    }}
    tile.copy %sum, %c[%y, %x * 1024] : !row, !c
  }}
  return
}}"""


if __name__ == "__main__":
    print(product(sys.argv[1], *map(int, sys.argv[2:10]), *sys.argv[10:]))
