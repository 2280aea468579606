#!/usr/bin/env python3
"""Writes the scores of the lightning indexer of DeepSeek V3.2 in f8E4M3FN: of a query and a key, the sum over heads of
relu(q · k) * weight, times the scale of the key. Plain tile, nothing in it is meant for one chip.

    indexer_kernels.py S N HEADS QUERIES KEYS STAGES

A block has QUERIES of S queries and walks over N keys in tiles of KEYS, which are the rows of its products.
"""
import sys


def indexer(s, n, heads, queries, keys, stages):
    qs = range(queries)
    allocs = "\n".join(f"""    %q{i} = tile.alloc : !q_tile
    %s{i} = tile.alloc : !scores
    %w{i} = tile.alloc : !weights
    %r{i} = tile.alloc : !row
    tile.copy %q[%x * {queries} + {i}, 0, 0], %q{i}
    tile.copy %w[%x * {queries} + {i}, 0], %w{i}""" for i in qs)
    gemms = "\n".join(f"      tile.gemm %ks, %q{i}, %s{i} {{clear, transpose_b}}" for i in qs)
    rest = "\n".join(f"""      tile.parallel (%j, %h) in ({keys}, {heads}) do %s{i}[%j, %h] = max(%s{i}[%j, %h], 0.0) * %w{i}[%h]
      tile.reduce sum %s{i}, %r{i} dim(1)
      tile.parallel (%j) in ({keys}) do %r{i}[%j] = %r{i}[%j] * %fs[%j]
      tile.copy %r{i}, %logits[%x * {queries} + {i}, %t * {keys}]""" for i in qs)
    return f"""!q_tile = memref<{heads}x128xf8E4M3FN, #tile.shared>
!k_tile = memref<{keys}x128xf8E4M3FN, #tile.shared>
!scores = memref<{keys}x{heads}xf32, #tile.fragment>
!weights = memref<{heads}xf32, #tile.fragment>
!row = memref<{keys}xf32, #tile.fragment>
func.func @indexer(%q: memref<{s}x{heads}x128xf8E4M3FN>, %k: memref<{n}x128xf8E4M3FN>, %scales: memref<{n}xf32>,
                   %w: memref<{s}x{heads}xf32>, %logits: memref<{s}x{n}xf32> {{tile.result}}) {{
  tile.kernel (%x) in ({s // queries}) threads({2 * keys}) {{
    %ks = tile.alloc : !k_tile
    %fs = tile.alloc : memref<{keys}xf32, #tile.shared>
{allocs}
    tile.pipelined %t = 0 to {-(-n // keys)} stages({stages}) {{
      tile.copy %k[%t * {keys}, 0], %ks
      tile.copy %scales[%t * {keys}], %fs
{gemms}
{rest}
    }}
  }}
  return
}}"""

if __name__ == "__main__":
    print(indexer(*map(int, sys.argv[1:])))
