#!/usr/bin/env python3
"""Writes attention forward, bf16, whose queries see a window of keys, with a sink for each head, or sequences of different
length that are packed: plain tile, nothing in it is meant for one chip.

    window_kernels.py window HEADS KV_HEADS S D WINDOW QUERIES KEYS
        query i sees the keys i - WINDOW + 1 to i; the sum of each row begins with exp(sinks[head])
    window_kernels.py packed HEADS KV_HEADS LONGEST D QUERIES KEYS [causal]
        sequence b has the rows starts[b] to starts[b + 1] of Q, K and V
"""
import sys

LOOP = """      tile.copy %max, %fade
      tile.reduce max %s, %max dim(1) {{combine}}
      tile.parallel (%i) in ({rows}) do fastmath<afn> {{
        %fade[%i] = exp2((%fade[%i] - %max[%i]) * {scale})
        %sum[%i] = %sum[%i] * %fade[%i]
      }}
      tile.parallel (%i, %j) in ({rows}, {keys}) do fastmath<afn, contract>
        %s[%i, %j] = exp2(%s[%i, %j] * {scale} - %max[%i] * {scale})
      tile.reduce sum %s, %sum dim(1) {{combine}}
      tile.copy %s, %p
      tile.parallel (%i, %j) in ({rows}, {d}) do %acc[%i, %j] = %acc[%i, %j] * %fade[%i]
      tile.gemm %p, %vs, %acc
    }}"""
TILES = """    %qs = tile.alloc : memref<{rows}x{d}xbf16, #tile.shared>
    %ks = tile.alloc : memref<{keys}x{d}xbf16, #tile.shared>
    %vs = tile.alloc : memref<{keys}x{d}xbf16, #tile.shared>
    %s = tile.alloc : memref<{rows}x{keys}xf32, #tile.fragment>
    %p = tile.alloc : memref<{rows}x{keys}xbf16, #tile.fragment>
    %acc = tile.alloc : memref<{rows}x{d}xf32, #tile.fragment>
    %max = tile.alloc : memref<{rows}xf32, #tile.fragment>
    %sum = tile.alloc : memref<{rows}xf32, #tile.fragment>
    %fade = tile.alloc : memref<{rows}xf32, #tile.fragment>
    tile.fill %acc, 0.0
    tile.fill %sum, 0.0
    tile.fill %max, -1.0e+30"""


def window(heads, kv_heads, length, d, width, rows, keys):
    sizes = dict(rows=rows, keys=keys, d=d, scale=1.4426950408889634 / d ** 0.5)
    return f"""!q = memref<1x{heads}x{length}x{d}xbf16>
!kv = memref<1x{kv_heads}x{length}x{d}xbf16>
func.func @attention(%q: !q, %k: !kv, %v: !kv, %sinks: memref<{heads}xf32>, %o: !q {{tile.result}}) {{
  tile.kernel (%x, %h) in ({-(-length // rows)}, {heads}) threads({2 * rows}) {{
{TILES.format(**sizes)}
    tile.copy %q[0, %h, %x * {rows}, 0], %qs
    tile.pipelined %t = floordiv(max(%x * {rows} - {width - 1}, 0), {keys}) to min(ceildiv((%x + 1) * {rows}, {keys}), {-(-length // keys)}) stages(2) {{
      tile.copy %k[0, floordiv(%h, {heads // kv_heads}), %t * {keys}, 0], %ks
      tile.copy %v[0, floordiv(%h, {heads // kv_heads}), %t * {keys}, 0], %vs
      tile.gemm %qs, %ks, %s {{clear, transpose_b}}
      tile.parallel (%i, %j) in ({rows}, {keys}) do {{
        %key = %t * {keys} + %j
        %query = %x * {rows} + %i
        %s[%i, %j] = select(and(%key <= %query, %key + {width} > %query), %s[%i, %j], -inf)
      }}
{LOOP.format(**sizes)}
    tile.parallel (%i, %j) in ({rows}, {d}) do fastmath<afn>
      %acc[%i, %j] = %acc[%i, %j] / (%sum[%i] + exp2(%sinks[%h] * 1.44269504 - %max[%i] * {sizes['scale']}))
    tile.copy %acc, %o[0, %h, %x * {rows}, 0]
  }}
  return
}}"""


def packed(heads, kv_heads, batch, longest, d, rows, keys, causal=False):
    sizes = dict(rows=rows, keys=keys, d=d, scale=1.4426950408889634 / d ** 0.5)
    last, shown = "%length", "%key < %length"
    if causal:
        last, shown = f"min((%x + 1) * {rows}, %length)", f"%key <= %x * {rows} + %i"
    return f"""!q = memref<?x{heads}x{d}xbf16>
!kv = memref<?x{kv_heads}x{d}xbf16>
!part = memref<?x{heads}x{d}xbf16, strided<[{heads * d}, {d}, 1], offset: ?>>
func.func @attention(%q: !q, %k: !kv, %v: !kv, %starts: memref<{batch + 1}xi32>, %o: !q {{tile.result}}) {{
  tile.kernel (%x, %h, %b) in ({-(-longest // rows)}, {heads}, {batch}) threads({2 * rows}) {{
    %next = affine.apply affine_map<(b) -> (b + 1)>(%b)
    %first = memref.load %starts[%b] : memref<{batch + 1}xi32>
    %end = memref.load %starts[%next] : memref<{batch + 1}xi32>
    %size = arith.subi %end, %first : i32
    %begin = arith.index_cast %first : i32 to index
    %length = arith.index_cast %size : i32 to index
    %own = memref.subview %o[%begin, 0, 0] [%length, {heads}, {d}] [1, 1, 1] : !q to !part
{TILES.format(**sizes)}
    tile.copy %q[%begin + %x * {rows}, %h, 0] [{rows}, 1, {d}], %qs
    tile.pipelined %t = 0 to ceildiv({last}, {keys}) stages(2) {{
      tile.copy %k[%begin + %t * {keys}, floordiv(%h, {heads // kv_heads}), 0] [{keys}, 1, {d}], %ks
      tile.copy %v[%begin + %t * {keys}, floordiv(%h, {heads // kv_heads}), 0] [{keys}, 1, {d}], %vs
      tile.gemm %qs, %ks, %s {{clear, transpose_b}}
      tile.parallel (%i, %j) in ({rows}, {keys}) do {{
        %key = %t * {keys} + %j
        %s[%i, %j] = select({shown}, %s[%i, %j], -inf)
      }}
{LOOP.format(**sizes)}
    tile.parallel (%i, %j) in ({rows}, {d}) do fastmath<afn> %acc[%i, %j] = %acc[%i, %j] / %sum[%i]
    tile.copy %acc, %own[%x * {rows}, %h, 0] [{rows}, 1, {d}]
  }}
  return
}}"""


if __name__ == "__main__":
    make = {"window": window, "packed": packed}[sys.argv[1]]
    print(make(*[a == "causal" or int(a) for a in sys.argv[2:]]))
