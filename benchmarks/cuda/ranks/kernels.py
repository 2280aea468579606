#!/usr/bin/env python3
"""Writes a program of several ranks, for the comparison with NCCL, cuBLAS and PyTorch.

    kernels.py gemm RANKS M N K
        C = A * B^T on each rank, alone
    kernels.py ag_gemm RANKS M N K [blocks]
        the same of M / RANKS rows of A on each rank, gathered by copies of the device, or by that many blocks of a kernel
    kernels.py gemm_rs RANKS M N K [own|apart]
        partial products of K on each rank, of which each gets the sums of M / RANKS rows. Tiles go to their rank as they are ready; those
        of the own rank are added where they are computed, or by a kernel of their own
    kernels.py all_reduce RANKS BYTES BLOCKS [two_shot]
    kernels.py all_to_all RANKS BYTES BLOCKS

bf16, sums in f32, tiles of 128 x 256.
"""
import sys

ROWS, COLUMNS, DEPTH = 128, 256, 64


def product(a, a_at, b_at, k, stages=4):
    """Sums up a tile of the product of A, a buffer whose tiles `a_at` finds, and B."""
    return f"""
    %as = tile.alloc : memref<{ROWS}x{DEPTH}xbf16, #tile.shared>
    %bs = tile.alloc : memref<{COLUMNS}x{DEPTH}xbf16, #tile.shared>
    %sum = tile.alloc : memref<{ROWS}x{COLUMNS}xf32, #tile.fragment>
    tile.rasterize group(8)
    tile.fill %sum, 0.0
    tile.pipelined %k = 0 to {k // DEPTH} stages({stages}) {{
      tile.copy {a}[{a_at}, %k * {DEPTH}]{' [1, %d, %d]' % (ROWS, DEPTH) if a_at.count(',') else ''}, %as
      tile.copy %b[{b_at}, %k * {DEPTH}], %bs
      tile.gemm %as, %bs, %sum {{transpose_b}}
    }}"""


def others(ranks, tiles, first):
    """Of blocks %t of the rows of other ranks: which rank, and which rows of it."""
    return f"""
    %me = world.rank %w
    %tiles = arith.constant {tiles} : index
    %first = arith.constant {first} : index
    %ranks = arith.constant {ranks} : index
    %turn = arith.divui %t, %tiles : index
    %i = arith.remui %t, %tiles : index
    %ahead = arith.addi %me, %turn : index
    %next = arith.addi %ahead, %first : index
    %other = arith.remui %next, %ranks : index"""


def gemm(ranks, m, n, k):
    return f"""
func.func @gemm(%w: !world.ranks, %a: memref<{m}x{k}xbf16>, %b: memref<{n}x{k}xbf16>, %c: memref<{m}x{n}xbf16> {{tile.result}}) {{
  tile.kernel (%j, %i) in ({n // COLUMNS}, {m // ROWS}) threads(256) {{{product('%a', f'%i * {ROWS}', f'%j * {COLUMNS}', k)}
    tile.copy %sum, %c[%i * {ROWS}, %j * {COLUMNS}]
  }}
  return
}}"""


def ag_gemm(ranks, m, n, k, blocks=None):
    part = m // ranks
    tiles = part // ROWS
    whole = f"memref<{ranks}x{part}x{k}xbf16, #world.symmetric>"
    flags = f"memref<{ranks}xi64, #world.symmetric>"
    if blocks:
        gather = f"""
  tile.kernel (%x) in ({blocks}) threads(256) {{
    %me = world.rank %w
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %step = arith.constant {blocks} : index
    %ranks = arith.constant {ranks} : index
    %end = arith.constant {part} : index
    %t = tile.alloc : memref<{k}xbf16, #tile.shared>
    scf.for %s = %c1 to %ranks step %c1 {{
      %ahead = arith.addi %me, %ranks : index
      %before = arith.subi %ahead, %s : index
      %to = arith.remui %before, %ranks : index
      %there = world.peer %all at %w[%to]
      %flag = world.peer %arrived at %w[%to]
      scf.for %row = %x to %end step %step {{
        tile.copy %a[%row, 0] [1, {k}], %t
        tile.copy %t, %there[%me, %row, 0] [1, 1, {k}]
      }}
      world.signal %flag[%me] add 1
    }}
  }}"""
    else:
        gather = f"""
  world.all_gather %a to %all over %w algorithm(copy_engine) signal %arrived
    : memref<{part}x{k}xbf16>, {whole}, !world.ranks, {flags}"""
    return f"""
func.func @ag_gemm(%w: !world.ranks, %a: memref<{part}x{k}xbf16>, %b: memref<{n}x{k}xbf16>, %all: {whole},
                   %arrived: {flags} {{tile.init = "zeros"}}, %c: memref<{ranks}x{part}x{n}xbf16> {{tile.result}})
    attributes {{world.reference = @reference, tile.atol = 2.0e-1, tile.rtol = 2.0e-2}} {{{gather}
  tile.kernel (%j, %i) in ({n // COLUMNS}, {tiles}) threads(256) {{
    %me = world.rank %w{product('%a', f'%i * {ROWS}', f'%j * {COLUMNS}', k)}
    tile.copy %sum, %c[%me, %i * {ROWS}, %j * {COLUMNS}] [1, {ROWS}, {COLUMNS}]
  }}
  tile.kernel (%j, %t) in ({n // COLUMNS}, {(ranks - 1) * tiles}) threads(256) {{{others(ranks, tiles, 1)}
    %token = world.wait %arrived[%other] ge {blocks or 1}
    %ready = world.acquire %all after %token{product('%ready', f'%other, %i * {ROWS}', f'%j * {COLUMNS}', k)}
    tile.copy %sum, %c[%other, %i * {ROWS}, %j * {COLUMNS}] [1, {ROWS}, {COLUMNS}]
  }}
  return
}}
func.func @reference(%a: memref<{ranks}x{part}x{k}xbf16>, %b: memref<{ranks}x{n}x{k}xbf16>, %all: memref<{ranks}x{ranks}x{part}x{k}xbf16>,
                     %arrived: memref<{ranks}x{ranks}xi64>, %c: memref<{ranks}x{ranks}x{part}x{n}xbf16>) {{
  %zero = arith.constant 0.0 : f32
  affine.for %r = 0 to {ranks} {{ affine.for %q = 0 to {ranks} {{ affine.for %i = 0 to {part} {{ affine.for %j = 0 to {n} {{
    %sum = affine.for %l = 0 to {k} iter_args(%acc = %zero) -> f32 {{
      %x = affine.load %a[%q, %i, %l] : memref<{ranks}x{part}x{k}xbf16>
      %y = affine.load %b[%r, %j, %l] : memref<{ranks}x{n}x{k}xbf16>
      %u = arith.extf %x : bf16 to f32
      %v = arith.extf %y : bf16 to f32
      %p = arith.mulf %u, %v : f32
      %s = arith.addf %acc, %p : f32
      affine.yield %s : f32
    }}
    %t = arith.truncf %sum : f32 to bf16
    affine.store %t, %c[%r, %q, %i, %j] : memref<{ranks}x{ranks}x{part}x{n}xbf16>
  }} }} }} }}
  return
}}"""


def sums(ranks, m, n, k, others):
    """The reference of gemm_rs; `others` are its other arguments."""
    part = m // ranks
    return f"""
func.func @reference(%a: memref<{ranks}x{m}x{k}xbf16>, %b: memref<{ranks}x{n}x{k}xbf16>, {others},
                     %c: memref<{ranks}x{part}x{n}xbf16>) {{
  %zero = arith.constant 0.0 : f32
  affine.for %r = 0 to {ranks} {{ affine.for %i = 0 to {part} {{ affine.for %j = 0 to {n} {{
    %sum = affine.for %q = 0 to {ranks} iter_args(%outer = %zero) -> f32 {{
      %inner = affine.for %l = 0 to {k} iter_args(%acc = %outer) -> f32 {{
        %x = affine.load %a[%q, %r * {part} + %i, %l] : memref<{ranks}x{m}x{k}xbf16>
        %y = affine.load %b[%q, %j, %l] : memref<{ranks}x{n}x{k}xbf16>
        %u = arith.extf %x : bf16 to f32
        %v = arith.extf %y : bf16 to f32
        %p = arith.mulf %u, %v : f32
        %s = arith.addf %acc, %p : f32
        affine.yield %s : f32
      }}
      affine.yield %inner : f32
    }}
    %t = arith.truncf %sum : f32 to bf16
    affine.store %t, %c[%r, %i, %j] : memref<{ranks}x{part}x{n}xbf16>
  }} }} }}
  return
}}"""


def add_part(at):
    """Adds a tile of another rank, at `at` of what all have sent, to the sum."""
    return f"""      tile.copy %ready[{at}] [1, {ROWS}, {COLUMNS}], %one
      tile.parallel (%x, %y) in ({ROWS}, {COLUMNS}) do %sum[%x, %y] = %sum[%x, %y] + f32(%one[%x, %y])"""


def gemm_rs(ranks, m, n, k, own="own"):
    part = m // ranks
    tiles, columns = part // ROWS, n // COLUMNS
    parts = f"memref<{ranks}x{part}x{n}xbf16, #world.symmetric>"
    flags = f"memref<{tiles * columns}xi32, #world.symmetric>"
    turns = ranks - 1 if own == "own" else ranks
    put = f"tile.copy %sum, %there[%me, %i * {ROWS}, %j * {COLUMNS}] [1, {ROWS}, {COLUMNS}]"
    send = f"""
  tile.kernel (%j, %t) in ({columns}, {turns * tiles}) threads(256) {{{others(ranks, tiles, 1)}
    %tile = affine.apply affine_map<(i, j) -> (i * {columns} + j)>(%i, %j){product('%a', f'%other * {part} + %i * {ROWS}', f'%j * {COLUMNS}', k)}
    %there = world.peer %parts at %w[%other]
    %flag = world.peer %arrived at %w[%other]
    {put}
    world.signal %flag[%tile] add 1
  }}"""
    if own == "own":
        receive = f"""
  tile.kernel (%j, %i) in ({columns}, {tiles}) threads(256) {{
    %me = world.rank %w
    %tile = affine.apply affine_map<(i, j) -> (i * {columns} + j)>(%i, %j)
    %c1 = arith.constant 1 : index
    %ranks = arith.constant {ranks} : index
    %one = tile.alloc : memref<{ROWS}x{COLUMNS}xbf16, #tile.fragment>{product('%a', f'%me * {part} + %i * {ROWS}', f'%j * {COLUMNS}', k)}
    %token = world.wait %arrived[%tile] ge {ranks - 1}
    %ready = world.acquire %parts after %token
    scf.for %s = %c1 to %ranks step %c1 {{
      %next = arith.addi %me, %s : index
      %from = arith.remui %next, %ranks : index
{add_part(f'%from, %i * {ROWS}, %j * {COLUMNS}')}
    }}
    tile.copy %sum, %c[%i * {ROWS}, %j * {COLUMNS}]
  }}"""
    else:
        receive = f"""
  tile.kernel (%j, %i) in ({columns}, {part // 16}) threads(128) {{
    %tile = affine.apply affine_map<(i, j) -> ((i floordiv {ROWS // 16}) * {columns} + j)>(%i, %j)
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %ranks = arith.constant {ranks} : index
    %sum = tile.alloc : memref<16x{COLUMNS}xf32, #tile.fragment>
    %one = tile.alloc : memref<16x{COLUMNS}xbf16, #tile.fragment>
    tile.fill %sum, 0.0
    %token = world.wait %arrived[%tile] ge {ranks}
    %ready = world.acquire %parts after %token
    scf.for %s = %c0 to %ranks step %c1 {{
      tile.copy %ready[%s, %i * 16, %j * {COLUMNS}] [1, 16, {COLUMNS}], %one
      tile.parallel (%x, %y) in (16, {COLUMNS}) {{
        %v = memref.load %one[%x, %y] : memref<16x{COLUMNS}xbf16, #tile.fragment>
        %wide = arith.extf %v : bf16 to f32
        %before = memref.load %sum[%x, %y] : memref<16x{COLUMNS}xf32, #tile.fragment>
        %after = arith.addf %before, %wide : f32
        memref.store %after, %sum[%x, %y] : memref<16x{COLUMNS}xf32, #tile.fragment>
      }}
    }}
    tile.copy %sum, %c[%i * 16, %j * {COLUMNS}]
  }}"""
    return f"""
func.func @gemm_rs(%w: !world.ranks, %a: memref<{m}x{k}xbf16>, %b: memref<{n}x{k}xbf16>, %parts: {parts},
                   %arrived: {flags} {{tile.init = "zeros"}}, %c: memref<{part}x{n}xbf16> {{tile.result}})
    attributes {{world.reference = @reference, tile.atol = 5.0e-1, tile.rtol = 2.0e-2}} {{{send}{receive}
  return
}}
"""+ sums(ranks, m, n, k, f"%parts: memref<{ranks}x{ranks}x{part}x{n}xbf16>, %arrived: memref<{ranks}x{tiles * columns}xi32>")


def all_reduce(ranks, size, blocks, algorithm="one_shot"):
    buffer = f"memref<{size // 2}xbf16, #world.symmetric>"
    target = buffer if algorithm == "two_shot" else f"memref<{size // 2}xbf16>"
    return f"""
func.func @all_reduce(%w: !world.ranks, %x: {buffer}, %y: {target} {{tile.result}}) {{
  world.all_reduce sum %x to %y over %w algorithm({algorithm}) blocks({blocks}) : {buffer}, {target}, !world.ranks
  return
}}"""


def all_to_all(ranks, size, blocks):
    buffer = f"memref<{size // 2}xbf16, #world.symmetric>"
    return f"""
func.func @all_to_all(%w: !world.ranks, %x: {buffer}, %y: memref<{size // 2}xbf16> {{tile.result}}) {{
  world.all_to_all %x to %y over %w blocks({blocks}) : {buffer}, memref<{size // 2}xbf16>, !world.ranks
  return
}}"""


if __name__ == "__main__":
    kind, *rest = sys.argv[1:]
    print(globals()[kind](*[int(x) if x.isdigit() else x for x in rest]))
