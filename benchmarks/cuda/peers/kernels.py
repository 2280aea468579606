#!/usr/bin/env python3
"""Writes a kernel of the comparison with cuBLAS and cuDNN: plain tile, nothing
in it is meant for one chip.

    kernels.py gemm M N K [ROWS COLUMNS DEPTH THREADS] [nn]
        C = A * B^T, or A * B, bf16, f32 sums, tiles of ROWS x COLUMNS
    kernels.py attention BATCH HEADS KV_HEADS S D KEYS [QUERIES] [causal]
        forward, bf16, tiles of QUERIES queries, 128 by default, and KEYS keys
"""
import sys


def ceil_div(a, b):
    return -(-a // b)


def gemm(m, n, k, rows=128, columns=256, depth=64, threads=256, nn=False):
    b, b_tile, at = f"{n}x{k}", f"{columns}x{depth}", f"%x * {columns}, %k * {depth}"
    if nn:
        b, b_tile, at = f"{k}x{n}", f"{depth}x{columns}", f"%k * {depth}, %x * {columns}"
    return f"""!a = memref<{m}x{k}xbf16>
!b = memref<{b}xbf16>
!c = memref<{m}x{n}xbf16>
!a_tile = memref<{rows}x{depth}xbf16, #tile.shared>
!b_tile = memref<{b_tile}xbf16, #tile.shared>
!acc = memref<{rows}x{columns}xf32, #tile.fragment>
func.func @gemm(%a: !a, %b: !b, %c: !c {{tile.result}}) {{
  %zero = arith.constant 0.0 : f32
  tile.kernel (%x, %y) in ({ceil_div(n, columns)}, {ceil_div(m, rows)}) threads({threads}) {{
    %as = tile.alloc : !a_tile
    %bs = tile.alloc : !b_tile
    %sum = tile.alloc : !acc
    tile.rasterize group(8)
    tile.fill %sum, %zero : !acc
    tile.pipelined %k = 0 to {ceil_div(k, depth)} stages(4) {{
      tile.copy %a[%y * {rows}, %k * {depth}], %as : !a, !a_tile
      tile.copy %b[{at}], %bs : !b, !b_tile
      tile.gemm %as, %bs, %sum{"" if nn else " {transpose_b}"} : !a_tile, !b_tile, !acc
    }}
    tile.copy %sum, %c[%y * {rows}, %x * {columns}] : !acc, !c
  }}
  return
}}"""


def mask(length, rows, keys, causal):
    """Hides the scores of later keys, or of those past the end."""
    if causal:
        visible = f"""        %query = affine.apply affine_map<(x, i) -> (x * {rows} + i)>(%x, %i)
        %visible = arith.cmpi sle, %key, %query : index"""
    elif length % keys:
        visible = f"""        %length = arith.constant {length} : index
        %visible = arith.cmpi slt, %key, %length : index"""
    else:
        return ""
    return f"""
      tile.parallel (%i, %j) in ({rows}, {keys}) {{
        %key = affine.apply affine_map<(t, j) -> (t * {keys} + j)>(%t, %j)
{visible}
        %score = memref.load %s[%i, %j] : !scores
        %shown = arith.select %visible, %score, %lowest : f32
        memref.store %shown, %s[%i, %j] : !scores
      }}"""


def attention(batch, heads, kv_heads, length, d, keys, rows=128, causal=False):
    steps, bound = ceil_div(length, keys), ""
    if causal:  # the keys up to the last query of the block
        bound = f"""
    %steps = affine.min affine_map<(x) -> ((x * {rows} + {rows}) ceildiv {keys}, {steps})>(%x)"""
        steps = "%steps"
    return f"""!queries = memref<{batch}x{heads}x{length}x{d}xbf16>
!keys = memref<{batch}x{kv_heads}x{length}x{d}xbf16>
!q_tile = memref<{rows}x{d}xbf16, #tile.shared>
!kv_tile = memref<{keys}x{d}xbf16, #tile.shared>
!scores = memref<{rows}x{keys}xf32, #tile.fragment>
!weights = memref<{rows}x{keys}xbf16, #tile.fragment>
!acc = memref<{rows}x{d}xf32, #tile.fragment>
!column = memref<{rows}xf32, #tile.fragment>
func.func @attention(%q: !queries, %k: !keys, %v: !keys, %o: !queries {{tile.result}}) {{
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %scale = arith.constant {1.4426950408889634 / d ** 0.5} : f32
  tile.kernel (%x, %h, %b) in ({ceil_div(length, rows)}, {heads}, {batch}) threads({2 * rows}) {{
    %qs = tile.alloc : !q_tile
    %ks = tile.alloc : !kv_tile
    %vs = tile.alloc : !kv_tile
    %s = tile.alloc : !scores
    %p = tile.alloc : !weights
    %acc = tile.alloc : !acc
    %max = tile.alloc : !column
    %sum = tile.alloc : !column
    %fade = tile.alloc : !column
    %hk = affine.apply affine_map<(h) -> (h floordiv {heads // kv_heads})>(%h){bound}
    tile.copy %q[%b, %h, %x * {rows}, 0], %qs : !queries, !q_tile
    tile.fill %acc, %zero : !acc
    tile.fill %sum, %zero : !column
    tile.fill %max, %lowest : !column
    tile.pipelined %t = 0 to {steps} stages(2) {{
      tile.copy %k[%b, %hk, %t * {keys}, 0], %ks : !keys, !kv_tile
      tile.copy %v[%b, %hk, %t * {keys}, 0], %vs : !keys, !kv_tile
      tile.gemm %qs, %ks, %s {{clear, transpose_b}} : !q_tile, !kv_tile, !scores{mask(length, rows, keys, causal)}
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
    tile.parallel (%i, %j) in ({rows}, {d}) {{
      %out = memref.load %acc[%i, %j] : !acc
      %l = memref.load %sum[%i] : !column
      %mean = arith.divf %out, %l fastmath<afn> : f32
      memref.store %mean, %acc[%i, %j] : !acc
    }}
    tile.copy %acc, %o[%b, %h, %x * {rows}, 0] : !acc, !queries
  }}
  return
}}"""


if __name__ == "__main__":
    sizes = [int(a) for a in sys.argv[2:] if a not in ("causal", "nn")]
    if sys.argv[1] == "gemm":
        print(gemm(*sizes, nn="nn" in sys.argv))
    else:
        print(attention(*sizes, causal="causal" in sys.argv))
