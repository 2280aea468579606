#!/usr/bin/env python3
"""Writes the backward pass of attention, bf16: plain tile, nothing in it is meant for one chip.

    backward_kernels.py BATCH HEADS S D [QUERIES KEYS THREADS STAGES] [causal]

As examples/attention_backward.mlir, with sizes that the compiler knows: a block has KEYS keys and walks over QUERIES queries
at a time; gradients of queries are added up in f32.
"""
import math, sys


def ceil_div(a, b):
    return -(-a // b)


def rows_kernel(length, d, body):
    """A kernel of 64 rows in a block."""
    return f"""tile.kernel (%x, %h, %b) in ({ceil_div(length, 64)}, %heads, %batch) threads(128) {{
    %f = tile.alloc : memref<64x{d}xf32, #tile.fragment>
    {body}
  }}"""


def mask(length, queries, keys, causal):
    """Hides later keys, or those past the end."""
    if causal:
        visible = f"%x * {keys} + %i <= %t * {queries} + %j"
    elif length % keys:
        visible = f"%x * {keys} + %i < {length}"
    else:
        return ""
    return f"""
      tile.parallel (%i, %j) in ({keys}, {queries}) do
        %s[%i, %j] = select({visible}, %s[%i, %j], -inf)"""


def backward(batch, heads, length, d, queries=64, keys=128, threads=256, stages=2, causal=False):
    log2e = math.log2(math.e)
    first = f"%x * {keys} floordiv {queries}" if causal else "0"
    return f"""!heads = memref<{batch}x{heads}x{length}x{d}xbf16>
!sums = memref<{batch}x{heads}x{length}x{d}xf32>
!rows = memref<{batch}x{heads}x{length}xf32>
!k_tile = memref<{keys}x{d}xbf16, #tile.shared>
!q_tile = memref<{queries}x{d}xbf16, #tile.shared>
!row = memref<{queries}xf32, #tile.shared>
!scores = memref<{keys}x{queries}xf32, #tile.fragment>
!weights = memref<{keys}x{queries}xbf16, #tile.fragment>
!acc = memref<{keys}x{d}xf32, #tile.fragment>
func.func @backward(%q: !heads, %k: !heads, %v: !heads, %o: !heads, %do: !heads, %lse: !rows, %deltas: !rows, %sums: !sums,
    %dq: !heads {{tile.result}}, %dk: !heads {{tile.result}}, %dv: !heads {{tile.result}}) {{
  %heads = arith.constant {heads} : index
  %batch = arith.constant {batch} : index
  {rows_kernel(length, d, f'''%g = tile.alloc : memref<64x{d}xf32, #tile.fragment>
    %delta = tile.alloc : memref<64xf32, #tile.fragment>
    tile.copy %o[%b, %h, %x * 64, 0], %f
    tile.copy %do[%b, %h, %x * 64, 0], %g
    tile.parallel (%i, %j) in (64, {d}) do %f[%i, %j] = %f[%i, %j] * %g[%i, %j]
    tile.reduce sum %f, %delta dim(1)
    tile.copy %delta, %deltas[%b, %h, %x * 64]
    tile.fill %g, 0.0
    tile.copy %g, %sums[%b, %h, %x * 64, 0]''')}
  tile.kernel (%x, %h, %b) in ({ceil_div(length, keys)}, %heads, %batch) threads({threads}) {{
    %ks = tile.alloc : !k_tile
    %vs = tile.alloc : !k_tile
    %qs = tile.alloc : !q_tile
    %dos = tile.alloc : !q_tile
    %ls = tile.alloc : !row
    %ds = tile.alloc : !row
    %s = tile.alloc : !scores
    %p = tile.alloc : !weights
    %dp = tile.alloc : !scores
    %dsf = tile.alloc : !weights
    %dss = tile.alloc : memref<{keys}x{queries}xbf16, #tile.shared>
    %dka = tile.alloc : !acc
    %dva = tile.alloc : !acc
    %dqa = tile.alloc : memref<{queries}x{d}xf32, #tile.fragment>
    tile.fill %dka, 0.0
    tile.fill %dva, 0.0
    tile.copy %k[%b, %h, %x * {keys}, 0], %ks
    tile.copy %v[%b, %h, %x * {keys}, 0], %vs
    tile.pipelined %t = {first} to {ceil_div(length, queries)} stages({stages}) {{
      tile.copy %q[%b, %h, %t * {queries}, 0], %qs
      tile.copy %do[%b, %h, %t * {queries}, 0], %dos
      tile.copy %lse[%b, %h, %t * {queries}], %ls
      tile.copy %deltas[%b, %h, %t * {queries}], %ds
      tile.gemm %ks, %qs, %s {{clear, transpose_b}}
      tile.gemm %vs, %dos, %dp {{clear, transpose_b}}{mask(length, queries, keys, causal)}
      tile.parallel (%i, %j) in ({keys}, {queries}) do fastmath<afn, contract>
        %s[%i, %j] = exp2(%s[%i, %j] * {log2e / d ** 0.5:.9f} - %ls[%j] * {log2e:.9f})
      tile.copy %s, %p
      tile.gemm %p, %dos, %dva
      tile.parallel (%i, %j) in ({keys}, {queries}) do %dp[%i, %j] = %s[%i, %j] * (%dp[%i, %j] - %ds[%j])
      tile.copy %dp, %dsf
      tile.copy %dsf, %dss
      tile.gemm %dss, %ks, %dqa {{clear, transpose_a}}
      tile.gemm %dsf, %qs, %dka
      tile.atomic add %dqa, %sums[%b, %h, %t * {queries}, 0]
    }}
    tile.parallel (%i, %j) in ({keys}, {d}) do %dka[%i, %j] = %dka[%i, %j] * {1 / d ** 0.5:.9f}
    tile.copy %dka, %dk[%b, %h, %x * {keys}, 0]
    tile.copy %dva, %dv[%b, %h, %x * {keys}, 0]
  }}
  {rows_kernel(length, d, f'''tile.copy %sums[%b, %h, %x * 64, 0], %f
    tile.parallel (%i, %j) in (64, {d}) do %f[%i, %j] = %f[%i, %j] * {1 / d ** 0.5:.9f}
    tile.copy %f, %dq[%b, %h, %x * 64, 0]''')}
  return
}}"""


if __name__ == "__main__":
    sizes = [int(a) for a in sys.argv[1:] if a != "causal"]
    print(backward(*sizes, causal="causal" in sys.argv))
