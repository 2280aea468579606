# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes products of matrices, tiled and pipelined, with their references.

    gemm.py types | tiles | groups | results

Operands are small integers: every sum is exact, and results are compared for equality. `precision` has fractions.
"""
import itertools
import sys

# Types of a, b and c, flags of the product, and the bound of the operands.
TYPES = [
    ("f16", "f16", "f32", "", 8), ("f16", "f16", "f16", "", 4), ("bf16", "bf16", "f32", "", 8),
    ("bf16", "bf16", "bf16", "", 1), ("f32", "f32", "f32", "precision(tf32)", 8), ("f32", "f32", "f32", "", 100),
    ("f8E4M3FN", "f8E4M3FN", "f32", "", 4), ("f8E5M2", "f8E5M2", "f32", "", 4), ("f8E4M3FN", "f8E5M2", "f16", "", 2),
    ("i8", "i8", "i32", "", 127),
]
# What the tile divides, what it does not, a tail of K, one step, none.
CASES = ["M=128 N=64 K=128", "M=130 N=70 K=97", "M=65 N=66 K=40", "M=3 N=129 K=7", "M=1 N=1 K=1", "M=9 N=65 K=0"]
# Extents M, N and K of a tile, threads, and stages. The atoms are 16x8xK and 64x8xK.
TILES = [
    (64, 40, 32, 128, 2), (64, 24, 32, 128, 3), (128, 8, 16, 128, 2), (64, 72, 32, 128, 2), (128, 88, 64, 256, 2),
    (48, 48, 32, 96, 2), (80, 64, 32, 160, 2), (32, 32, 16, 32, 2), (64, 64, 24, 128, 2), (64, 64, 8, 128, 2),
    (64, 64, 40, 128, 3), (64, 64, 56, 64, 2), (17, 20, 12, 128, 2), (33, 31, 5, 96, 1), (64, 64, 32, 192, 2),
    (128, 128, 32, 384, 4), (16, 64, 32, 256, 2), (64, 64, 32, 33, 2), (256, 64, 32, 256, 1), (64, 256, 32, 128, 4),
]


def widen(name, value, element):
    return f"%{name} = arith.extsi {value} : {element} to i32" if element.startswith("i") \
        else f"%{name} = arith.extf {value} : {element} to f64"


def assume_aligned(*extents):
    """Multiples of 8 that are not 0: tensor copies can be made of such tensors."""
    lines = ["%c8 = arith.constant 8 : index"]
    for x in extents:
        lines.append(f"%some_{x} = arith.cmpi sgt, %{x}, %c0 : index\n  tile.assume %some_{x}")
    for x in extents[1:]:
        lines.append(f"%rest_{x} = arith.remui %{x}, %c8 : index\n"
                     f"  %whole_{x} = arith.cmpi eq, %rest_{x}, %c0 : index\n  tile.assume %whole_{x}")
    return "\n  ".join(lines)


def product(name, row, transposed, tile, threads, stages, cases, init=None, tolerance=0.0, aligned=False):
    a, b, c, flags, bound = row
    m, n, k = tile
    ta, tb = transposed
    dims = [(k, m) if ta else (m, k), (n, k) if tb else (k, n), (m, n)]
    tiles = [f"memref<{d[0]}x{d[1]}x{e}, #tile.{s}>"
             for d, e, s in zip(dims, (a, b, c), ("shared", "shared", "fragment"))]
    args = [f"memref<?x?x{e}>" for e in (a, b, c)]
    shapes = ["KxM" if ta else "MxK", "NxK" if tb else "KxN", "MxN"]
    options = ", ".join(["transpose_a"] * ta + ["transpose_b"] * tb)
    options = f" {{{options}}}" if options else ""
    init = init or f"integers({-bound},{bound})"
    whole = c == "i32"
    wide, suffix = ("i32", "i") if whole else ("f64", "f")
    zero = "0 : i32" if whole else "0.0 : f64"
    narrow = "" if whole else f"%r = arith.truncf %sum : f64 to {c}\n      "
    return f"""
func.func @{name}(
    %a: {args[0]} {{tile.shape = "{shapes[0]}", tile.init = "{init}"}},
    %b: {args[1]} {{tile.shape = "{shapes[1]}", tile.init = "{init}"}},
    %c: {args[2]} {{tile.shape = "MxN", tile.result}})
    attributes {{tile.reference = @{name}_reference, tile.atol = {tolerance}, tile.rtol = 0.0,
                tile.cases = [{", ".join(f'"{x}"' for x in cases)}]}} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant {"0" if whole else "0.0"} : {c}
  %m = memref.dim %c, %c0 : {args[2]}
  %n = memref.dim %c, %c1 : {args[2]}
  %k = memref.dim %a, %c{int(not ta)} : {args[0]}
  {assume_aligned("m", "n", "k") if aligned else ""}
  %rows = affine.apply affine_map<(m) -> (m ceildiv {m})>(%m)
  %cols = affine.apply affine_map<(n) -> (n ceildiv {n})>(%n)
  %steps = affine.apply affine_map<(k) -> (k ceildiv {k})>(%k)
  tile.kernel (%bx, %by) in (%cols, %rows) threads({threads}) {{
    %as = tile.alloc : {tiles[0]}
    %bs = tile.alloc : {tiles[1]}
    %acc = tile.alloc : {tiles[2]}
    tile.fill %acc, %zero : {tiles[2]}
    tile.pipelined %s = 0 to %steps stages({stages}) {{
      tile.copy %a[{f"%s * {k}, %by * {m}" if ta else f"%by * {m}, %s * {k}"}], %as : {args[0]}, {tiles[0]}
      tile.copy %b[{f"%bx * {n}, %s * {k}" if tb else f"%s * {k}, %bx * {n}"}], %bs : {args[1]}, {tiles[1]}
      tile.gemm %as, %bs, %acc {flags}{options} : {tiles[0]}, {tiles[1]}, {tiles[2]}
    }}
    tile.copy %acc, %c[%by * {m}, %bx * {n}] : {tiles[2]}, {args[2]}
  }}
  return
}}
func.func @{name}_reference(%a: {args[0]}, %b: {args[1]}, %c: {args[2]}) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant {zero}
  %m = memref.dim %c, %c0 : {args[2]}
  %n = memref.dim %c, %c1 : {args[2]}
  %k = memref.dim %a, %c{int(not ta)} : {args[0]}
  affine.for %i = 0 to %m {{
    affine.for %j = 0 to %n {{
      %sum = affine.for %l = 0 to %k iter_args(%old = %zero) -> {wide} {{
        %x = affine.load %a[{"%l, %i" if ta else "%i, %l"}] : {args[0]}
        %y = affine.load %b[{"%j, %l" if tb else "%l, %j"}] : {args[1]}
        {widen("xw", "%x", a)}
        {widen("yw", "%y", b)}
        %p = arith.mul{suffix} %xw, %yw : {wide}
        %next = arith.add{suffix} %old, %p : {wide}
        affine.yield %next : {wide}
      }}
      {narrow}affine.store {"%r" if narrow else "%sum"}, %c[%i, %j] : {args[2]}
    }}
  }}
  return
}}"""


def types():
    for row, (ta, tb) in itertools.product(TYPES, itertools.product([False, True], repeat=2)):
        a, b, c, flags, _ = row
        name = "_".join(["tf32" if flags else a, b, c, "nt"[ta] + "nt"[tb]])
        yield product(name, row, (ta, tb), (64, 64, 32), 128, 2, CASES)
    # 2^-11 of an operand is lost, twice, in 97 products of a spread of 1/3.
    yield product("precision_tf32", ("f32", "f32", "f32", "precision(tf32)", 0), (False, False), (64, 64, 32), 128, 3,
                  CASES, "uniform(-1.0,1.0)", 1.0e-2)


def tiles():
    rows = [TYPES[0], TYPES[2], TYPES[4], TYPES[9]]
    for i, (m, n, k, threads, stages) in enumerate(TILES):
        row = rows[i % len(rows)] if i >= 12 else TYPES[0]
        name = f"tile_{m}x{n}x{k}_t{threads}_{row[0]}"
        yield product(name, row, (False, i % 2 == 1), (m, n, k), threads, stages, CASES)


def results():
    """Results of 16 bits whose rows are multiples of 16 bytes: they leave as tensors do. More tiles than processors."""
    cases = ["M=130 N=72 K=96", "M=1 N=8 K=8", "M=64 N=64 K=64", "M=1000 N=1032 K=40"]
    for i, (m, n, k, threads, stages) in enumerate([(64, 64, 64, 128, 2), (128, 96, 32, 256, 3), (64, 40, 32, 128, 2),
                                                    (128, 256, 64, 256, 4), (32, 64, 64, 64, 3)]):
        for row in (TYPES[1], TYPES[3]):
            yield product(f"result_{m}x{n}x{k}_t{threads}_{row[0]}", row, (False, i % 2 == 1), (m, n, k), threads, stages,
                          cases, aligned=True)


BATCHED = """
// A batch of products, one of the grid's dimensions each.
func.func @batched(
    %a: memref<?x?x?xf16> {tile.shape = "BxMxK", tile.init = "integers(-8,8)"},
    %b: memref<?x?x?xf16> {tile.shape = "BxKxN", tile.init = "integers(-8,8)"},
    %c: memref<?x?x?xf32> {tile.shape = "BxMxN", tile.result})
    attributes {tile.reference = @batched_reference, tile.atol = 0.0, tile.rtol = 0.0,
                tile.cases = ["B=3 M=65 N=70 K=97", "B=2 M=64 N=64 K=64", "B=1 M=1 N=1 K=1", "B=0 M=4 N=4 K=4"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %batches = memref.dim %c, %c0 : memref<?x?x?xf32>
  %m = memref.dim %c, %c1 : memref<?x?x?xf32>
  %n = memref.dim %c, %c2 : memref<?x?x?xf32>
  %k = memref.dim %a, %c2 : memref<?x?x?xf16>
  %rows = affine.apply affine_map<(m) -> (m ceildiv 64)>(%m)
  %cols = affine.apply affine_map<(n) -> (n ceildiv 64)>(%n)
  %steps = affine.apply affine_map<(k) -> (k ceildiv 32)>(%k)
  tile.kernel (%bx, %by, %bz) in (%cols, %rows, %batches) threads(128) {
    %as = tile.alloc : memref<64x32xf16, #tile.shared>
    %bs = tile.alloc : memref<32x64xf16, #tile.shared>
    %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
    tile.fill %acc, %zero : memref<64x64xf32, #tile.fragment>
    tile.pipelined %s = 0 to %steps stages(2) {
      tile.copy %a[%bz, %by * 64, %s * 32], %as : memref<?x?x?xf16>, memref<64x32xf16, #tile.shared>
      tile.copy %b[%bz, %s * 32, %bx * 64], %bs : memref<?x?x?xf16>, memref<32x64xf16, #tile.shared>
      tile.gemm %as, %bs, %acc
          : memref<64x32xf16, #tile.shared>, memref<32x64xf16, #tile.shared>, memref<64x64xf32, #tile.fragment>
    }
    tile.copy %acc, %c[%bz, %by * 64, %bx * 64] : memref<64x64xf32, #tile.fragment>, memref<?x?x?xf32>
  }
  return
}
func.func @batched_reference(%a: memref<?x?x?xf16>, %b: memref<?x?x?xf16>, %c: memref<?x?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f64
  %batches = memref.dim %c, %c0 : memref<?x?x?xf32>
  %m = memref.dim %c, %c1 : memref<?x?x?xf32>
  %n = memref.dim %c, %c2 : memref<?x?x?xf32>
  %k = memref.dim %a, %c2 : memref<?x?x?xf16>
  affine.for %z = 0 to %batches {
    affine.for %i = 0 to %m {
      affine.for %j = 0 to %n {
        %sum = affine.for %l = 0 to %k iter_args(%old = %zero) -> f64 {
          %x = affine.load %a[%z, %i, %l] : memref<?x?x?xf16>
          %y = affine.load %b[%z, %l, %j] : memref<?x?x?xf16>
          %xw = arith.extf %x : f16 to f64
          %yw = arith.extf %y : f16 to f64
          %p = arith.mulf %xw, %yw : f64
          %next = arith.addf %old, %p : f64
          affine.yield %next : f64
        }
        %r = arith.truncf %sum : f64 to f32
        affine.store %r, %c[%z, %i, %j] : memref<?x?x?xf32>
      }
    }
  }
  return
}"""

GROUPED = """
// Rows belong to groups of sizes[g] rows, one after another, and each group has its own weights. A tile of rows ends
// where the group ends; the rows that no group has stay as they are.
func.func @grouped(
    %sizes: memref<?xi32> {tile.shape = "G", tile.init = "integers(0,80)"},
    %a: memref<?x?xf16> {tile.shape = "TxK", tile.init = "integers(-8,8)"},
    %b: memref<?x?x?xf16> {tile.shape = "GxKxN", tile.init = "integers(-8,8)"},
    %c: memref<?x?xf32> {tile.shape = "TxN", tile.init = "zeros", tile.result})
    attributes {tile.reference = @grouped_reference, tile.atol = 0.0, tile.rtol = 0.0,
                tile.cases = ["G=5 T=400 N=70 K=97", "G=1 T=80 N=64 K=32", "G=3 T=240 N=5 K=0"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %groups = memref.dim %sizes, %c0 : memref<?xi32>
  %n = memref.dim %c, %c1 : memref<?x?xf32>
  %k = memref.dim %a, %c1 : memref<?x?xf16>
  %cols = affine.apply affine_map<(n) -> (n ceildiv 64)>(%n)
  %steps = affine.apply affine_map<(k) -> (k ceildiv 32)>(%k)
  tile.kernel (%bx, %g) in (%cols, %groups) threads(128) {
    %as = tile.alloc : memref<64x32xf16, #tile.shared>
    %bs = tile.alloc : memref<32x64xf16, #tile.shared>
    %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
    %first = scf.for %h = %c0 to %g step %c1 iter_args(%sum = %c0) -> index {
      %size = memref.load %sizes[%h] : memref<?xi32>
      %rows = arith.index_cast %size : i32 to index
      %next = arith.addi %sum, %rows : index
      scf.yield %next : index
    }
    %size = memref.load %sizes[%g] : memref<?xi32>
    %count = arith.index_cast %size : i32 to index
    %c64 = arith.constant 64 : index
    scf.for %row = %c0 to %count step %c64 {
      tile.fill %acc, %zero : memref<64x64xf32, #tile.fragment>
      tile.pipelined %s = 0 to %steps stages(2) {
        tile.copy %a[%first + %row, %s * 32], %as : memref<?x?xf16>, memref<64x32xf16, #tile.shared>
        tile.copy %b[%g, %s * 32, %bx * 64], %bs : memref<?x?x?xf16>, memref<32x64xf16, #tile.shared>
        tile.gemm %as, %bs, %acc
            : memref<64x32xf16, #tile.shared>, memref<32x64xf16, #tile.shared>, memref<64x64xf32, #tile.fragment>
      }
      tile.parallel (%i, %j) in (64, 64) {
        %r = arith.addi %row, %i : index
        %inside = arith.cmpi slt, %r, %count : index
        scf.if %inside {
          %at = arith.addi %first, %r : index
          %col = affine.apply affine_map<(bx, j) -> (bx * 64 + j)>(%bx, %j)
          %x = memref.load %acc[%i, %j] : memref<64x64xf32, #tile.fragment>
          memref.store %x, %c[%at, %col] : memref<?x?xf32>
        }
      }
    }
  }
  return
}
func.func @grouped_reference(%sizes: memref<?xi32>, %a: memref<?x?xf16>, %b: memref<?x?x?xf16>, %c: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %groups = memref.dim %sizes, %c0 : memref<?xi32>
  %n = memref.dim %c, %c1 : memref<?x?xf32>
  %k = memref.dim %a, %c1 : memref<?x?xf16>
  %end = scf.for %g = %c0 to %groups step %c1 iter_args(%first = %c0) -> index {
    %size = memref.load %sizes[%g] : memref<?xi32>
    %count = arith.index_cast %size : i32 to index
    %last = arith.addi %first, %count : index
    scf.for %i = %first to %last step %c1 {
      scf.for %j = %c0 to %n step %c1 {
        %sum = scf.for %l = %c0 to %k step %c1 iter_args(%old = %zero) -> f64 {
          %x = memref.load %a[%i, %l] : memref<?x?xf16>
          %y = memref.load %b[%g, %l, %j] : memref<?x?x?xf16>
          %xw = arith.extf %x : f16 to f64
          %yw = arith.extf %y : f16 to f64
          %p = arith.mulf %xw, %yw : f64
          %next = arith.addf %old, %p : f64
          scf.yield %next : f64
        }
        %r = arith.truncf %sum : f64 to f32
        memref.store %r, %c[%i, %j] : memref<?x?xf32>
      }
    }
    scf.yield %last : index
  }
  return
}"""


def groups():
    return [BATCHED, GROUPED]


if __name__ == "__main__":
    print("\n".join({"types": types, "tiles": tiles, "groups": groups, "results": results}[sys.argv[1]]()))
