#!/usr/bin/env python3
"""Writes a kernel in two forms, for sizes that the compiler knows and for any:
what a dynamic size costs.

    dynamic.py gemm M N K            C = A * B^T, bf16, f32 sums
    dynamic.py attention H S KEYS    forward, D = 128, tiles of KEYS keys
    dynamic.py softmax M N           of rows, f32, two passes
    dynamic.py norm M N              RMS norm of rows, bf16, two passes

With `dynamic` behind the numbers, sizes are unknown to the compiler: the same
kernel, tails included; with `whole`, attention without the mask of a tail.
"""
import sys


def dims(sizes):
    """Values %m, %n ... of the extents of arguments: {name: (argument, dim, type)}."""
    return "".join(f"""  %dim_{name} = arith.constant {dim} : index
  %{name} = memref.dim %{argument}, %dim_{name} : {type}
""" for name, (argument, dim, type) in sizes.items())


def blocks(results):
    """{result: (value, tile)}: how many tiles cover an extent."""
    return "".join(f"  %{r} = affine.apply affine_map<(n) -> (n ceildiv {tile})>(%{value})\n"
                   for r, (value, tile) in results.items())


def gemm(m, n, k, dynamic):
    x, y, steps, head = n // 256, m // 128, k // 64, ""
    if dynamic:
        m = n = k = "?"
        x, y, steps = "%cols", "%rows", "%steps"
        head = dims({"m": ("a", 0, "!a"), "n": ("b", 0, "!b"), "k": ("a", 1, "!a")}) + blocks(
            {"cols": ("n", 256), "rows": ("m", 128), "steps": ("k", 64)})
    return f"""!a = memref<{m}x{k}xbf16>
!b = memref<{n}x{k}xbf16>
!c = memref<{m}x{n}xbf16>
!a_tile = memref<128x64xbf16, #tile.shared>
!b_tile = memref<256x64xbf16, #tile.shared>
!acc = memref<128x256xf32, #tile.fragment>
func.func @gemm(%a: !a {{tile.shape = "MxK"}}, %b: !b {{tile.shape = "NxK"}},
                %c: !c {{tile.shape = "MxN", tile.result}}) {{
  %zero = arith.constant 0.0 : f32
{head}  tile.kernel (%x, %y) in ({x}, {y}) threads(256) {{
    %as = tile.alloc : !a_tile
    %bs = tile.alloc : !b_tile
    %sum = tile.alloc : !acc
    tile.rasterize group(8)
    tile.fill %sum, %zero : !acc
    tile.pipelined %s = 0 to {steps} stages(4) {{
      tile.copy %a[%y * 128, %s * 64], %as : !a, !a_tile
      tile.copy %b[%x * 256, %s * 64], %bs : !b, !b_tile
      tile.gemm %as, %bs, %sum {{transpose_b}} : !a_tile, !b_tile, !acc
    }}
    tile.copy %sum, %c[%y * 128, %x * 256] : !acc, !c
  }}
  return
}}"""


def attention(heads, length, keys, dynamic):
    x, steps, shape, head = length // 128, length // keys, f"1x{heads}x{length}x128", ""
    if dynamic:
        heads, x, steps, shape = "%heads", "%blocks", "%steps", "1x?x?x128"
        head = dims({"heads": ("q", 1, "!heads"), "length": ("q", 2, "!heads")}) + blocks(
            {"blocks": ("length", 128), "steps": ("length", keys)})
    # Keys past the end are no keys of score 0; a static length has none.
    mask = f"""
      tile.parallel (%i, %j) in (128, {keys}) {{
        %key = affine.apply affine_map<(t, j) -> (t * {keys} + j)>(%t, %j)
        %visible = arith.cmpi ult, %key, %length : index
        %score = memref.load %s[%i, %j] : !scores
        %masked = arith.select %visible, %score, %lowest : f32
        memref.store %masked, %s[%i, %j] : !scores
      }}""" if dynamic and dynamic != "whole" else ""
    return f"""!heads = memref<{shape}xbf16>
!q_tile = memref<128x128xbf16, #tile.shared>
!kv_tile = memref<{keys}x128xbf16, #tile.shared>
!scores = memref<128x{keys}xf32, #tile.fragment>
!weights = memref<128x{keys}xbf16, #tile.fragment>
!acc = memref<128x128xf32, #tile.fragment>
!column = memref<128xf32, #tile.fragment>
func.func @attention(%q: !heads {{tile.shape = "1xHxSx128"}}, %k: !heads {{tile.shape = "1xHxSx128"}},
    %v: !heads {{tile.shape = "1xHxSx128"}}, %o: !heads {{tile.shape = "1xHxSx128", tile.result}}) {{
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %scale = arith.constant {1.4426950408889634 / 128 ** 0.5} : f32
{head}  tile.kernel (%x, %h) in ({x}, {heads}) threads(256) {{
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
    tile.pipelined %t = 0 to {steps} stages(2) {{
      tile.copy %k[0, %h, %t * {keys}, 0], %ks : !heads, !kv_tile
      tile.copy %v[0, %h, %t * {keys}, 0], %vs : !heads, !kv_tile
      tile.gemm %qs, %ks, %s {{clear, transpose_b}} : !q_tile, !kv_tile, !scores{mask}
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


def softmax(m, n, dynamic):
    rows, steps, head, shape = m // 4, n // 1024, "", f"{m}x{n}"
    if dynamic:
        rows, steps, shape = "%blocks", "%steps", "?x?"
        head = dims({"m": ("x", 0, "!matrix"), "n": ("x", 1, "!matrix")}) + blocks(
            {"blocks": ("m", 4), "steps": ("n", 1024)})
    return f"""!matrix = memref<{shape}xf32>
!tile = memref<4x1024xf32, #tile.shared>
!values = memref<4x1024xf32, #tile.fragment>
!column = memref<4xf32, #tile.fragment>
func.func @softmax(%x: !matrix {{tile.shape = "MxN"}}, %y: !matrix {{tile.shape = "MxN", tile.result}}) {{
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %log2e = arith.constant 1.44269504 : f32
{head}  tile.kernel (%b) in ({rows}) threads(128) {{
    tile.padding_value %x, %lowest : !matrix
    %t = tile.alloc : !tile
    %u = tile.alloc : !tile
    %e = tile.alloc : !values
    %max = tile.alloc : !column
    %old = tile.alloc : !column
    %sum = tile.alloc : !column
    tile.fill %max, %lowest : !column
    tile.fill %sum, %zero : !column
    tile.pipelined %s = 0 to {steps} stages(2) {{
      tile.copy %x[%b * 4, %s * 1024], %t : !matrix, !tile
      tile.copy %max, %old : !column, !column
      tile.reduce max %t, %max dim(1) {{combine}} : !tile, !column
      tile.parallel (%i) in (4) {{
        %before = memref.load %old[%i] : !column
        %now = memref.load %max[%i] : !column
        %d = arith.subf %before, %now : f32
        %d2 = arith.mulf %d, %log2e : f32
        %scale = math.exp2 %d2 : f32
        %l = memref.load %sum[%i] : !column
        %scaled = arith.mulf %l, %scale : f32
        memref.store %scaled, %sum[%i] : !column
      }}
      tile.parallel (%i, %j) in (4, 1024) {{
        %v = memref.load %t[%i, %j] : !tile
        %now = memref.load %max[%i] : !column
        %d = arith.subf %v, %now : f32
        %d2 = arith.mulf %d, %log2e : f32
        %p = math.exp2 %d2 : f32
        memref.store %p, %e[%i, %j] : !values
      }}
      tile.reduce sum %e, %sum dim(1) {{combine}} : !values, !column
    }}
    tile.pipelined %s = 0 to {steps} stages(2) {{
      tile.copy %x[%b * 4, %s * 1024], %u : !matrix, !tile
      tile.parallel (%i, %j) in (4, 1024) {{
        %v = memref.load %u[%i, %j] : !tile
        %now = memref.load %max[%i] : !column
        %l = memref.load %sum[%i] : !column
        %d = arith.subf %v, %now : f32
        %d2 = arith.mulf %d, %log2e : f32
        %p = math.exp2 %d2 : f32
        %q = arith.divf %p, %l : f32
        memref.store %q, %e[%i, %j] : !values
      }}
      tile.copy %e, %y[%b * 4, %s * 1024] : !values, !matrix
    }}
  }}
  return
}}"""


def norm(m, n, dynamic):
    rows, steps, head, shape, row = m // 4, n // 1024, "", f"{m}x{n}", n
    if dynamic:
        rows, steps, shape, row = "%blocks", "%steps", "?x?", "?"
    head = dims({"m": ("x", 0, "!matrix"), "n": ("x", 1, "!matrix")})
    if dynamic:
        head += blocks({"blocks": ("m", 4), "steps": ("n", 1024)})
    return f"""!matrix = memref<{shape}xbf16>
!row = memref<{row}xbf16>
!tile = memref<4x1024xbf16, #tile.shared>
!scales = memref<1024xbf16, #tile.shared>
!values = memref<4x1024xf32, #tile.fragment>
!column = memref<4xf32, #tile.fragment>
func.func @norm(%x: !matrix {{tile.shape = "MxN"}}, %w: !row {{tile.shape = "N"}},
                %y: !matrix {{tile.shape = "MxN", tile.result}}) {{
  %zero = arith.constant 0.0 : f32
  %eps = arith.constant 1.0e-6 : f32
{head}  %ni = arith.index_cast %n : index to i32
  %nf = arith.sitofp %ni : i32 to f32
  tile.kernel (%b) in ({rows}) threads(128) {{
    %t = tile.alloc : !tile
    %u = tile.alloc : !tile
    %ws = tile.alloc : !scales
    %e = tile.alloc : !values
    %sum = tile.alloc : !column
    tile.fill %sum, %zero : !column
    tile.pipelined %s = 0 to {steps} stages(2) {{
      tile.copy %x[%b * 4, %s * 1024], %t : !matrix, !tile
      tile.parallel (%i, %j) in (4, 1024) {{
        %v = memref.load %t[%i, %j] : !tile
        %f = arith.extf %v : bf16 to f32
        %p = arith.mulf %f, %f : f32
        memref.store %p, %e[%i, %j] : !values
      }}
      tile.reduce sum %e, %sum dim(1) {{combine}} : !values, !column
    }}
    tile.parallel (%i) in (4) {{
      %v = memref.load %sum[%i] : !column
      %mean = arith.divf %v, %nf : f32
      %shifted = arith.addf %mean, %eps : f32
      %r = math.rsqrt %shifted : f32
      memref.store %r, %sum[%i] : !column
    }}
    tile.pipelined %s = 0 to {steps} stages(2) {{
      tile.copy %x[%b * 4, %s * 1024], %u : !matrix, !tile
      tile.copy %w[%s * 1024], %ws : !row, !scales
      tile.parallel (%i, %j) in (4, 1024) {{
        %v = memref.load %u[%i, %j] : !tile
        %f = arith.extf %v : bf16 to f32
        %r = memref.load %sum[%i] : !column
        %g = memref.load %ws[%j] : !scales
        %gf = arith.extf %g : bf16 to f32
        %scaled = arith.mulf %f, %r : f32
        %q = arith.mulf %scaled, %gf : f32
        memref.store %q, %e[%i, %j] : !values
      }}
      tile.copy %e, %y[%b * 4, %s * 1024] : !values, !matrix
    }}
  }}
  return
}}"""


if __name__ == "__main__":
    kinds = {"gemm": gemm, "attention": attention, "softmax": softmax, "norm": norm}
    mode = sys.argv[-1] if not sys.argv[-1].isdigit() else ""
    print(kinds[sys.argv[1]](*(int(a) for a in sys.argv[2:] if a.isdigit()), mode))
