#!/usr/bin/env python3
"""Writes attention to chosen keys, as of DeepSeek V3.2: plain tile, nothing in it is meant for one chip.

    sparse_kernels.py QUERIES HEADS KEYS CHOSEN

Query i of the last QUERIES positions attends to those of its CHOSEN keys that are neither negative nor behind it. It differs from
examples/sparse_attention.mlir as mla_kernels.py does: a maximum stays until a weight would be above 2^8, and the weights go
through shared memory.
"""
import sys


def sparse(queries, heads, length, chosen, rows=64, keys=64):
    scale = 1.4426950408889634 / 576 ** 0.5
    return f"""!queries = memref<{queries}x{heads}x576xf16>
!keys = memref<{length}x576xf16>
!lists = memref<{queries}x{chosen}xi32>
!out = memref<{queries}x{heads}x512xf16>
!scores = memref<{rows}x{keys}xf32, #tile.fragment>
!column = memref<{rows}xf32, #tile.fragment>
func.func @sparse(%q: !queries, %kv: !keys, %lists: !lists, %o: !out {{tile.result}}) {{
  %scale = arith.constant {scale} : f32
  tile.kernel (%x, %i) in ({heads // rows}, {queries}) threads(256) {{
    %qs = tile.alloc : memref<{rows}x512xf16, #tile.shared>
    %qr = tile.alloc : memref<{rows}x64xf16, #tile.shared>
    %ks = tile.alloc : memref<{keys}x512xf16, #tile.shared>
    %kr = tile.alloc : memref<{keys}x64xf16, #tile.shared>
    %p = tile.alloc : memref<{rows}x{keys}xf16, #tile.shared>
    %at = tile.alloc : memref<{keys}xi32, #tile.shared>
    %bias = tile.alloc : memref<{keys}xf32, #tile.fragment>
    %s = tile.alloc : !scores
    %sum = tile.alloc : !column
    %acc = tile.alloc : memref<{rows}x512xf32, #tile.fragment>
    %max = tile.alloc : !column
    %fade = tile.alloc : !column
    %grew = tile.alloc : memref<{rows}x{keys}xi8, #tile.fragment>
    tile.fill %acc, 0.0
    tile.fill %max, -1.0e+09
    tile.fill %sum, 0.0
    tile.copy %q[%i, %x * {rows}, 0], %qs
    tile.copy %q[%i, %x * {rows}, 512], %qr
    tile.pipelined %t = 0 to {-(-chosen // keys)} stages(2) {{
      tile.copy %lists[%i, %t * {keys}], %at
      tile.gather %kv[0, 0] by %lists[%i, %t * {keys}], %ks
      tile.gather %kv[0, 512] by %lists[%i, %t * {keys}], %kr
      tile.gemm %qs, %ks, %s {{clear, transpose_b}}
      tile.gemm %qr, %kr, %s {{transpose_b}}
      tile.parallel (%j) in ({keys}) do {{
        %listed = and(%at[%j] >= 0, %t * {keys} + %j < {chosen})
        %visible = and(%listed, %at[%j] <= i32({length - queries} + %i))
        %bias[%j] = select(%visible, 0.0, -inf)
      }}
      tile.parallel (%h, %j) in ({rows}, {keys}) do %s[%h, %j] = %s[%h, %j] + %bias[%j]
      tile.parallel (%h, %j) in ({rows}, {keys}) do %grew[%h, %j] = i8(%s[%h, %j] > %max[%h] + 8.0 / %scale)
      %any = tile.any_of %grew
      scf.if %any {{
        tile.copy %max, %fade
        tile.reduce max %s, %max dim(1) {{combine}}
        tile.parallel (%h) in ({rows}) do fastmath<afn> %fade[%h] = exp2((%fade[%h] - %max[%h]) * %scale)
        tile.parallel (%h) in ({rows}) do %sum[%h] = %sum[%h] * %fade[%h]
      }}
      tile.parallel (%h, %j) in ({rows}, {keys}) do fastmath<afn>
        %s[%h, %j] = exp2(fma(%s[%h, %j], %scale, -(%max[%h] * %scale)))
      tile.reduce sum %s, %sum dim(1) {{combine}}
      tile.copy %s, %p
      scf.if %any {{
        tile.parallel (%h, %d) in ({rows}, 512) do %acc[%h, %d] = %acc[%h, %d] * %fade[%h]
      }}
      tile.gemm %p, %ks, %acc
    }}
    tile.parallel (%h) in ({rows}) do %fade[%h] = 1.0 / max(%sum[%h], 1.0e-30)
    tile.parallel (%h, %d) in ({rows}, 512) do %acc[%h, %d] = %acc[%h, %d] * %fade[%h]
    tile.copy %acc, %o[%i, %x * {rows}, 0]
  }}
  return
}}"""


if __name__ == "__main__":
    print(sparse(*map(int, sys.argv[1:])))
