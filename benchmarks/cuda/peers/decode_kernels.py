#!/usr/bin/env python3
"""Writes attention of one query a head over a long cache of keys and values: plain tile, nothing in it is meant for one chip.

    decode_kernels.py BATCH KV_HEADS GROUP S D KEYS SPLIT STAGES [ROWS]

The GROUP query heads that share a head of K and V are the rows of one tile; SPLIT blocks share the keys, and a second
kernel combines what they found.
"""
import sys


def decode(batch, heads, group, length, d, keys, split, stages, rows=64, threads=128):
    steps = length // keys // split
    assert steps * keys * split == length
    return f"""!queries = memref<{batch}x{heads}x{group}x{d}xbf16>
!cache = memref<{batch}x{heads}x{length}x{d}xbf16>
!parts = memref<{batch}x{heads}x{split}x{group}x{d}xf32>
!stats = memref<{batch}x{heads}x{split}x{group}xf32>
!q_tile = memref<{rows}x{d}xbf16, #tile.shared>
!kv_tile = memref<{keys}x{d}xbf16, #tile.shared>
!scores = memref<{rows}x{keys}xf32, #tile.fragment>
!weights = memref<{rows}x{keys}xbf16, #tile.fragment>
!acc = memref<{rows}x{d}xf32, #tile.fragment>
!column = memref<{rows}xf32, #tile.fragment>
!sums = memref<{group}x{d}xf32, #tile.fragment>
!lse = memref<{group}xf32, #tile.fragment>
func.func @decode(%q: !queries, %k: !cache, %v: !cache, %parts: !parts, %stats: !stats, %o: !queries {{tile.result}}) {{
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %scale = arith.constant {1.4426950408889634 / d ** 0.5} : f32
  tile.kernel (%x, %h, %b) in ({split}, {heads}, {batch}) threads({threads}) {{
    %qs = tile.alloc : !q_tile
    %ks = tile.alloc : !kv_tile
    %vs = tile.alloc : !kv_tile
    %s = tile.alloc : !scores
    %p = tile.alloc : !weights
    %acc = tile.alloc : !acc
    %max = tile.alloc : !column
    %sum = tile.alloc : !column
    %fade = tile.alloc : !column
    tile.copy %q[%b, %h, 0, 0], %qs : !queries, !q_tile
    tile.fill %acc, %zero : !acc
    tile.fill %sum, %zero : !column
    tile.fill %max, %lowest : !column
    tile.pipelined %t = 0 to {steps} stages({stages}) {{
      %first = affine.apply affine_map<(t)[x] -> ((t + x * {steps}) * {keys})>(%t)[%x]
      tile.copy %k[%b, %h, %first, 0], %ks : !cache, !kv_tile
      tile.copy %v[%b, %h, %first, 0], %vs : !cache, !kv_tile
      tile.gemm %qs, %ks, %s {{clear, transpose_b}} : !q_tile, !kv_tile, !scores
      tile.copy %max, %fade : !column, !column
      tile.reduce max %s, %max dim(1) {{combine}} : !scores, !column
      tile.parallel (%i) in ({rows}) {{
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
      tile.parallel (%i, %j) in ({rows}, {keys}) {{
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
      tile.parallel (%i, %j) in ({rows}, {d}) {{
        %f = memref.load %fade[%i] : !column
        %out = memref.load %acc[%i, %j] : !acc
        %faded = arith.mulf %out, %f : f32
        memref.store %faded, %acc[%i, %j] : !acc
      }}
      tile.gemm %p, %vs, %acc : !weights, !kv_tile, !acc
    }}
    // The weighted mean of the part, and log2 of the sum of its weights.
    tile.parallel (%i, %j) in ({rows}, {d}) {{
      %out = memref.load %acc[%i, %j] : !acc
      %l = memref.load %sum[%i] : !column
      %mean = arith.divf %out, %l fastmath<afn> : f32
      memref.store %mean, %acc[%i, %j] : !acc
    }}
    tile.parallel (%i) in ({rows}) {{
      %m = memref.load %max[%i] : !column
      %l = memref.load %sum[%i] : !column
      %top = arith.mulf %m, %scale : f32
      %log = math.log2 %l fastmath<afn> : f32
      %all = arith.addf %top, %log : f32
      memref.store %all, %sum[%i] : !column
    }}
    tile.copy %acc, %parts[%b, %h, %x, 0, 0] : !acc, !parts
    tile.copy %sum, %stats[%b, %h, %x, 0] : !column, !stats
  }}
  tile.kernel (%h, %b) in ({heads}, {batch}) threads(128) {{
    %all = tile.alloc : memref<{split}x{group}xf32, #tile.fragment>
    %max = tile.alloc : !lse
    %sum = tile.alloc : !lse
    %acc = tile.alloc : !sums
    tile.copy %stats[%b, %h, 0, 0], %all : !stats, memref<{split}x{group}xf32, #tile.fragment>
    tile.reduce max %all, %max dim(0) : memref<{split}x{group}xf32, #tile.fragment>, !lse
    tile.fill %acc, %zero : !sums
    tile.fill %sum, %zero : !lse
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %n = arith.constant {split} : index
    scf.for %t = %c0 to %n step %c1 {{
      %part = tile.alloc : !sums
      %w = tile.alloc : !lse
      tile.copy %parts[%b, %h, %t, 0, 0], %part : !parts, !sums
      tile.copy %stats[%b, %h, %t, 0], %w : !stats, !lse
      tile.parallel (%i) in ({group}) {{
        %a = memref.load %w[%i] : !lse
        %m = memref.load %max[%i] : !lse
        %l = memref.load %sum[%i] : !lse
        %d = arith.subf %a, %m : f32
        %e = math.exp2 %d fastmath<afn> : f32
        %next = arith.addf %l, %e : f32
        memref.store %e, %w[%i] : !lse
        memref.store %next, %sum[%i] : !lse
      }}
      tile.parallel (%i, %j) in ({group}, {d}) {{
        %a = memref.load %part[%i, %j] : !sums
        %e = memref.load %w[%i] : !lse
        %o0 = memref.load %acc[%i, %j] : !sums
        %next = math.fma %a, %e, %o0 : f32
        memref.store %next, %acc[%i, %j] : !sums
      }}
    }}
    tile.parallel (%i, %j) in ({group}, {d}) {{
      %a = memref.load %acc[%i, %j] : !sums
      %l = memref.load %sum[%i] : !lse
      %mean = arith.divf %a, %l fastmath<afn> : f32
      memref.store %mean, %acc[%i, %j] : !sums
    }}
    tile.copy %acc, %o[%b, %h, 0, 0] : !sums, !queries
  }}
  return
}}"""


if __name__ == "__main__":
    print(decode(*map(int, sys.argv[1:])))
