#!/usr/bin/env python3
# Products of tiles with a long K, each element type of a matrix instruction, sizes that no tile divides.
#
# usage: amd_products.py SIDE DEPTH TYPE...        tiles of SIDE x SIDE x DEPTH; TYPE is one of A,B,C
import sys

KERNEL = """
func.func @{name}(
    %a: memref<?x?x{a}> {{tile.shape = "MxK", tile.init = "integers({low},{high})"}},
    %b: memref<?x?x{b}> {{tile.shape = "NxK", tile.init = "integers({low},{high})"}},
    %c: memref<?x?x{c}> {{tile.shape = "MxN", tile.result}})
    attributes {{tile.reference = @{name}_reference, tile.atol = 0.0, tile.rtol = 0.0,
                tile.cases = ["M={rows} N={columns} K={depths}", "M=1 N={side} K=0"]}} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant {zero} : {c}
  %m = memref.dim %c, %c0 : memref<?x?x{c}>
  %n = memref.dim %c, %c1 : memref<?x?x{c}>
  %k = memref.dim %a, %c1 : memref<?x?x{a}>
  %rows = affine.apply affine_map<(m) -> (m ceildiv {side})>(%m)
  %columns = affine.apply affine_map<(n) -> (n ceildiv {side})>(%n)
  %steps = affine.apply affine_map<(k) -> (k ceildiv {depth})>(%k)
  tile.kernel (%x, %y) in (%columns, %rows) threads({threads}) {{
    %as = tile.alloc : memref<{side}x{depth}x{a}, #tile.shared>
    %bs = tile.alloc : memref<{side}x{depth}x{b}, #tile.shared>
    %acc = tile.alloc : memref<{side}x{side}x{c}, #tile.fragment>
    tile.fill %acc, %zero : memref<{side}x{side}x{c}, #tile.fragment>
    tile.pipelined %s = 0 to %steps stages(2) {{
      tile.copy %a[%y * {side}, %s * {depth}], %as : memref<?x?x{a}>, memref<{side}x{depth}x{a}, #tile.shared>
      tile.copy %b[%x * {side}, %s * {depth}], %bs : memref<?x?x{b}>, memref<{side}x{depth}x{b}, #tile.shared>
      tile.gemm %as, %bs, %acc {{transpose_b}} : memref<{side}x{depth}x{a}, #tile.shared>, memref<{side}x{depth}x{b}, #tile.shared>, memref<{side}x{side}x{c}, #tile.fragment>
    }}
    tile.copy %acc, %c[%y * {side}, %x * {side}] : memref<{side}x{side}x{c}, #tile.fragment>, memref<?x?x{c}>
  }}
  return
}}
func.func @{name}_reference(%a: memref<?x?x{a}>, %b: memref<?x?x{b}>, %c: memref<?x?x{c}>) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant {zero} : {c}
  %m = memref.dim %c, %c0 : memref<?x?x{c}>
  %n = memref.dim %c, %c1 : memref<?x?x{c}>
  %k = memref.dim %a, %c1 : memref<?x?x{a}>
  affine.for %i = 0 to %m {{
    affine.for %j = 0 to %n {{
      %sum = affine.for %d = 0 to %k iter_args(%old = %zero) -> ({c}) {{
        %x = affine.load %a[%i, %d] : memref<?x?x{a}>
        %y = affine.load %b[%j, %d] : memref<?x?x{b}>
{widen}        %p = arith.mul{kind} %{x}, %{y} : {c}
        %new = arith.add{kind} %old, %p : {c}
        affine.yield %new : {c}
      }}
      affine.store %sum, %c[%i, %j] : memref<?x?x{c}>
    }}
  }}
  return
}}"""

WIDEN = """        %xw = arith.{extend} %x : {a} to {c}
        %yw = arith.{extend} %y : {b} to {c}
"""


def main():
    side, depth = int(sys.argv[1]), int(sys.argv[2])
    for types in sys.argv[3:]:
        a, b, c = types.split(",")
        integers, same = c == "i32", a == c
        extend = "extsi" if integers else "extf"
        print(KERNEL.format(
            name=f"{a}_{b}_{side}x{depth}", a=a, b=b, c=c, side=side, depth=depth, threads=256 if side > 32 else 64,
            low=-100 if integers else -4, high=100 if integers else 4, zero="0" if integers else "0.0",
            rows=side + side // 2 + 1, columns=side - 3, depths=2 * depth + depth // 2 + 3,
            kind="i" if integers else "f", widen="" if same else WIDEN.format(extend=extend, a=a, b=b, c=c),
            x="x" if same else "xw", y="y" if same else "yw"))


if __name__ == "__main__":
    main()
