#!/usr/bin/env python3
"""Writes decoding with multi-head latent attention: plain tile, nothing in it is meant for one chip.

    mla_kernels.py BATCH HEADS LENGTH

A cache holds for each position a latent vector of 512 numbers, which is key and value, and 64 numbers that are key only.
64 heads are the rows of a tile. The weights go through shared memory, because each warp needs those of all keys. A maximum stays
until the weight of a score would be above 2^8: as long as no element is, maxima are not even computed, and nothing is rescaled.
"""
import sys


def mla(batch, heads, length, rows=64, keys=64):
    return f"""!queries = memref<{batch}x{heads}x576xbf16>
!cache = memref<{batch}x{length}x576xbf16>
!out = memref<{batch}x{heads}x512xbf16>
!scores = memref<{rows}x{keys}xf32, #tile.fragment>
!column = memref<{rows}xf32, #tile.fragment>
func.func @mla(%q: !queries, %kv: !cache, %o: !out {{tile.result}}) {{
  %scale = arith.constant {1.4426950408889634 / 576 ** 0.5} : f32
  tile.kernel (%x, %b) in ({heads // rows}, {batch}) threads(256) {{
    %qs = tile.alloc : memref<{rows}x512xbf16, #tile.shared>
    %qr = tile.alloc : memref<{rows}x64xbf16, #tile.shared>
    %ks = tile.alloc : memref<{keys}x512xbf16, #tile.shared>
    %kr = tile.alloc : memref<{keys}x64xbf16, #tile.shared>
    %p = tile.alloc : memref<{rows}x{keys}xbf16, #tile.shared>
    %s = tile.alloc : !scores
    %sum = tile.alloc : !column
    %acc = tile.alloc : memref<{rows}x512xf32, #tile.fragment>
    %max = tile.alloc : !column
    %fade = tile.alloc : !column
    %grew = tile.alloc : memref<{rows}x{keys}xi8, #tile.fragment>
    tile.copy %q[%b, %x * {rows}, 0], %qs
    tile.copy %q[%b, %x * {rows}, 512], %qr
    tile.fill %acc, 0.0
    tile.fill %sum, 0.0
    tile.fill %max, -inf
    tile.pipelined %t = 0 to {length // keys} stages(2) {{
      tile.copy %kv[%b, %t * {keys}, 512], %kr
      tile.copy %kv[%b, %t * {keys}, 0], %ks
      tile.gemm %qr, %kr, %s {{clear, transpose_b}}
      tile.gemm %qs, %ks, %s {{transpose_b}}
      tile.parallel (%i, %j) in ({rows}, {keys}) do %grew[%i, %j] = i8(%s[%i, %j] > %max[%i] + 8.0 / %scale)
      %any = tile.any_of %grew
      scf.if %any {{
        tile.copy %max, %fade
        tile.reduce max %s, %max dim(1) {{combine}}
        tile.parallel (%i) in ({rows}) do fastmath<afn> %fade[%i] = exp2((%fade[%i] - %max[%i]) * %scale)
        tile.parallel (%i) in ({rows}) do %sum[%i] = %sum[%i] * %fade[%i]
      }}
      tile.parallel (%i, %j) in ({rows}, {keys}) do fastmath<afn>
        %s[%i, %j] = exp2(fma(%s[%i, %j], %scale, -(%max[%i] * %scale)))
      tile.reduce sum %s, %sum dim(1) {{combine}}
      tile.copy %s, %p
      scf.if %any {{
        tile.parallel (%i, %j) in ({rows}, 512) do %acc[%i, %j] = %acc[%i, %j] * %fade[%i]
      }}
      tile.gemm %p, %ks, %acc
    }}
    tile.parallel (%i) in ({rows}) do %fade[%i] = 1.0 / %sum[%i]
    tile.parallel (%i, %j) in ({rows}, 512) do %acc[%i, %j] = %acc[%i, %j] * %fade[%i]
    tile.copy %acc, %o[%b, %x * {rows}, 0]
  }}
  return
}}"""


if __name__ == "__main__":
    print(mla(*map(int, sys.argv[1:])))
