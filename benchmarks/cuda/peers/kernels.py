#!/usr/bin/env python3
"""Writes a kernel of the comparison with cuBLAS and cuDNN: plain tile, nothing
in it is meant for one chip.

    kernels.py gemm M N K            C = A * B^T, bf16, f32 sums
    kernels.py attention H S KEYS    forward, D = 128, tiles of KEYS keys
"""
import sys


def gemm(m, n, k):
    return f"""!a = memref<{m}x{k}xbf16>
!b = memref<{n}x{k}xbf16>
!c = memref<{m}x{n}xbf16>
!a_tile = memref<128x64xbf16, #tile.shared>
!b_tile = memref<256x64xbf16, #tile.shared>
!acc = memref<128x256xf32, #tile.fragment>
func.func @gemm(%a: !a, %b: !b, %c: !c {{tile.result}}) {{
  %zero = arith.constant 0.0 : f32
  tile.kernel (%x, %y) in ({n // 256}, {m // 128}) threads(256) {{
    %as = tile.alloc : !a_tile
    %bs = tile.alloc : !b_tile
    %sum = tile.alloc : !acc
    tile.rasterize group(8)
    tile.fill %sum, %zero : !acc
    tile.pipelined %k = 0 to {k // 64} stages(4) {{
      tile.copy %a[%y * 128, %k * 64], %as : !a, !a_tile
      tile.copy %b[%x * 256, %k * 64], %bs : !b, !b_tile
      tile.gemm %as, %bs, %sum {{transpose_b}} : !a_tile, !b_tile, !acc
    }}
    tile.copy %sum, %c[%y * 128, %x * 256] : !acc, !c
  }}
  return
}}"""


def attention(heads, length, keys):
    return f"""!heads = memref<1x{heads}x{length}x128xbf16>
!q_tile = memref<128x128xbf16, #tile.shared>
!kv_tile = memref<{keys}x128xbf16, #tile.shared>
!scores = memref<128x{keys}xf32, #tile.fragment>
!weights = memref<128x{keys}xbf16, #tile.fragment>
!acc = memref<128x128xf32, #tile.fragment>
!column = memref<128xf32, #tile.fragment>
func.func @attention(%q: !heads, %k: !heads, %v: !heads, %o: !heads {{tile.result}}) {{
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %scale = arith.constant {1.4426950408889634 / 128 ** 0.5} : f32
  tile.kernel (%x, %h) in ({length // 128}, {heads}) threads(256) {{
    %qs = tile.alloc : !q_tile
    %ks = tile.alloc : !kv_tile
    %vs = tile.alloc : !kv_tile
    %s = tile.alloc : !scores
    %p = tile.alloc : !weights
    %acc = tile.alloc : !acc
    %max = tile.alloc : !column
    %sum = tile.alloc : !column
    %fade = tile.alloc : !column
    tile.copy %q[0, %h, %x * 128, 0], %qs : !heads, !q_tile
    tile.fill %acc, %zero : !acc
    tile.fill %sum, %zero : !column
    tile.fill %max, %lowest : !column
    tile.pipelined %t = 0 to {length // keys} stages(2) {{
      tile.copy %k[0, %h, %t * {keys}, 0], %ks : !heads, !kv_tile
      tile.copy %v[0, %h, %t * {keys}, 0], %vs : !heads, !kv_tile
      tile.gemm %qs, %ks, %s {{clear, transpose_b}} : !q_tile, !kv_tile, !scores
      tile.copy %max, %fade : !column, !column
      tile.reduce max %s, %max dim(1) {{combine}} : !scores, !column
      tile.parallel (%i) in (128) {{
        %before = memref.load %fade[%i] : !column
        %now = memref.load %max[%i] : !column
        %d = arith.subf %before, %now : f32
        %scaled = arith.mulf %d, %scale : f32
        %f = math.exp2 %scaled fastmath<afn> : f32
        %l = memref.load %sum[%i] : !column
        %faded = arith.mulf %l, %f : f32
        memref.store %f, %fade[%i] : !column
        memref.store %faded, %sum[%i] : !column
      }}
      tile.parallel (%i, %j) in (128, {keys}) {{
        %score = memref.load %s[%i, %j] : !scores
        %now = memref.load %max[%i] : !column
        %top = arith.mulf %now, %scale : f32
        %negated = arith.negf %top : f32
        %d = math.fma %score, %scale, %negated : f32
        %e = math.exp2 %d fastmath<afn> : f32
        memref.store %e, %s[%i, %j] : !scores
      }}
      tile.reduce sum %s, %sum dim(1) {{combine}} : !scores, !column
      tile.copy %s, %p : !scores, !weights
      tile.parallel (%i, %j) in (128, 128) {{
        %f = memref.load %fade[%i] : !column
        %out = memref.load %acc[%i, %j] : !acc
        %faded = arith.mulf %out, %f : f32
        memref.store %faded, %acc[%i, %j] : !acc
      }}
      tile.gemm %p, %vs, %acc : !weights, !kv_tile, !acc
    }}
    tile.parallel (%i, %j) in (128, 128) {{
      %out = memref.load %acc[%i, %j] : !acc
      %l = memref.load %sum[%i] : !column
      %mean = arith.divf %out, %l fastmath<afn> : f32
      memref.store %mean, %acc[%i, %j] : !acc
    }}
    tile.copy %acc, %o[0, %h, %x * 128, 0] : !acc, !heads
  }}
  return
}}"""


if __name__ == "__main__":
    print({"gemm": gemm, "attention": attention}[sys.argv[1]](*map(int, sys.argv[2:])))
