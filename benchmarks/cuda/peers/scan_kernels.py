#!/usr/bin/env python3
"""Writes the chunk scan of Mamba-2, bf16: plain tile, nothing in it is meant for one chip.

    scan_kernels.py BATCH HEADS S [ROWS KEYS THREADS STAGES]

Chunks of 256 positions, heads of 64 numbers with states of 128, one group of B and C. Of a chunk, `a` are running sums of the
logarithms of decays, `cb` the products C * B^T, `states` what came before it; position l of it becomes

    y[l] = exp(a[l]) C[l] state^T + sum over k <= l of cb[l, k] exp(a[l] - a[k]) dt[k] x[k] + skip x[l]

The last term belongs to the diagonal of the second one.
"""
import math, sys

CHUNK, D, STATE = 256, 64, 128


def chunk_scan(batch, heads, length, rows=128, keys=64, threads=256, stages=2):
    chunks = length // CHUNK
    assert rows % keys == 0 and CHUNK % rows == 0
    return f"""!x = memref<{batch}x{length}x{heads}x{D}xbf16>
!steps = memref<{batch}x{heads}x{chunks}x{CHUNK}xf32>
!cb = memref<{batch}x{chunks}x{CHUNK}x{CHUNK}xbf16>
!c = memref<{batch}x{length}x{STATE}xbf16>
!states = memref<{batch}x{chunks}x{heads}x{D}x{STATE}xbf16>
!scores = memref<{rows}x{keys}xf32, #tile.fragment>
!acc = memref<{rows}x{D}xf32, #tile.fragment>
func.func @chunk_scan(%cb: !cb, %x: !x, %dt: !steps, %a: !steps, %c: !c, %states: !states, %skip: memref<{heads}xf32>,
    %y: !x {{tile.result}}) {{
  tile.kernel (%at, %h, %b) in ({length // rows}, {heads}, {batch}) threads({threads}) {{
    %part = affine.apply affine_map<(x) -> (x mod {CHUNK // rows})>(%at)
    %chunk = affine.apply affine_map<(x) -> (x floordiv {CHUNK // rows})>(%at)
    %cs = tile.alloc : memref<{rows}x{STATE}xbf16, #tile.shared>
    %ss = tile.alloc : memref<{D}x{STATE}xbf16, #tile.shared>
    %as = tile.alloc : memref<{rows}xf32, #tile.shared>
    %cbs = tile.alloc : memref<{rows}x{keys}xbf16, #tile.shared>
    %xs = tile.alloc : memref<{keys}x{D}xbf16, #tile.shared>
    %dts = tile.alloc : memref<{keys}xf32, #tile.shared>
    %aks = tile.alloc : memref<{keys}xf32, #tile.shared>
    %s = tile.alloc : !scores
    %p = tile.alloc : memref<{rows}x{keys}xbf16, #tile.fragment>
    %acc = tile.alloc : !acc
    %gain = memref.load %skip[%h] : memref<{heads}xf32>
    tile.copy %c[%b, %chunk * {CHUNK} + %part * {rows}, 0], %cs
    tile.copy %states[%b, %chunk, %h, 0, 0], %ss
    tile.copy %a[%b, %h, %chunk, %part * {rows}], %as
    tile.gemm %cs, %ss, %acc {{clear, transpose_b}}
    tile.parallel (%i, %j) in ({rows}, {D}) do fastmath<afn, contract>
      %acc[%i, %j] = %acc[%i, %j] * exp2(%as[%i] * {math.log2(math.e):.9f})
    tile.pipelined %t = 0 to %part * {rows // keys} + {rows // keys} stages({stages}) {{
      tile.copy %cb[%b, %chunk, %part * {rows}, %t * {keys}], %cbs
      tile.copy %x[%b, %chunk * {CHUNK} + %t * {keys}, %h, 0] [1, {keys}, 1, {D}], %xs
      tile.copy %dt[%b, %h, %chunk, %t * {keys}], %dts
      tile.copy %a[%b, %h, %chunk, %t * {keys}], %aks
      tile.copy %cbs, %s
      tile.parallel (%i, %j) in ({rows}, {keys}) do fastmath<afn, contract>
        %s[%i, %j] = %s[%i, %j] * exp2(%as[%i] * {math.log2(math.e):.9f} - %aks[%j] * {math.log2(math.e):.9f}) * %dts[%j]
      tile.parallel (%i, %j) in ({rows}, {keys}) do
        %s[%i, %j] = select(%t * {keys} + %j <= %part * {rows} + %i, %s[%i, %j], 0.0)
      tile.parallel (%i, %j) in ({rows}, {keys}) do
        %s[%i, %j] = select(%t * {keys} + %j == %part * {rows} + %i, %s[%i, %j] + %gain, %s[%i, %j])
      tile.copy %s, %p
      tile.gemm %p, %xs, %acc
    }}
    tile.copy %acc, %y[%b, %chunk * {CHUNK} + %part * {rows}, %h, 0] [1, {rows}, 1, {D}]
  }}
  return
}}"""


if __name__ == "__main__":
    print(chunk_scan(*map(int, sys.argv[1:])))
