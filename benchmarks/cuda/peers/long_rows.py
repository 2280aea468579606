#!/usr/bin/env python3
"""Writes a norm or a softmax of long rows, bf16, which lie in shared memory between its steps: plain tile, nothing in it is meant
for one chip.

    long_rows.py KIND M N THREADS    KIND: rms_norm, layer_norm or softmax; a block does one row
"""
import sys

CENTRE = """%t = memref.load %total[%i] : !column
        %m = arith.divf %t, %n fastmath<afn> : f32
        %a = arith.subf %wide, %m : f32
        """


EXPONENTIAL = """%x0 = memref.load %row[%i, %j] : !row
      %x1 = arith.extf %x0 : bf16 to f32
      %t = memref.load %top[%i] : !column
      %d = arith.subf %x1, %t : f32
      %d2 = arith.mulf %d, %log2e : f32
      %e = math.exp2 %d2 fastmath<afn> : f32
      """


def write_softmax(m, n, threads):
    """Numerators are computed twice, which takes less than to keep them."""
    return f"""!x = memref<{m}x{n}xbf16>
!row = memref<1x{n}xbf16, #tile.shared>
!wide = memref<1x{n}xf32, #tile.fragment>
!column = memref<1xf32, #tile.fragment>
func.func @softmax(%x: !x, %y: !x {{tile.result}}) {{
  %log2e = arith.constant 1.44269504 : f32
  %one = arith.constant 1.0 : f32
  tile.kernel (%b) in ({m}) threads({threads}) {{
    %row = tile.alloc : !row
    %wide = tile.alloc : !wide
    %numerators = tile.alloc : !wide
    %top = tile.alloc : !column
    %sum = tile.alloc : !column
    tile.copy %x[%b, 0], %row : !x, !row
    tile.parallel (%i, %j) in (1, {n}) {{
      %x0 = memref.load %row[%i, %j] : !row
      %x1 = arith.extf %x0 : bf16 to f32
      memref.store %x1, %wide[%i, %j] : !wide
    }}
    tile.reduce max %wide, %top dim(1) : !wide, !column
    tile.parallel (%i, %j) in (1, {n}) {{
      {EXPONENTIAL}memref.store %e, %numerators[%i, %j] : !wide
    }}
    tile.reduce sum %numerators, %sum dim(1) : !wide, !column
    tile.parallel (%i, %j) in (1, {n}) {{
      {EXPONENTIAL}%l = memref.load %sum[%i] : !column
      %inverse = arith.divf %one, %l fastmath<afn> : f32
      %q = arith.mulf %e, %inverse : f32
      %o = arith.truncf %q : f32 to bf16
      memref.store %o, %y[%b, %j] : !x
    }}
  }}
  return
}}"""


def write(kind, m, n, threads):
    if kind == "softmax":
        return write_softmax(m, n, threads)
    centred = kind == "layer_norm"
    total = """
    %total = tile.alloc : !column
    tile.reduce sum %row, %total dim(1) : !row, !column""" if centred else ""
    name = "%wide" if centred else "%a"
    value = f"""%x0 = memref.load %row[%i, %j] : !row
        {name} = arith.extf %x0 : bf16 to f32
        {CENTRE if centred else ""}"""
    return f"""!x = memref<{m}x{n}xbf16>
!w = memref<{n}xbf16>
!row = memref<1x{n}xbf16, #tile.shared>
!wide = memref<1x{n}xf32, #tile.fragment>
!column = memref<1xf32, #tile.fragment>
func.func @{kind}(%x: !x, %w: !w, %y: !x {{tile.result}}) {{
  %eps = arith.constant 1.0e-5 : f32
  %n = arith.constant {n}.0 : f32
  tile.kernel (%b) in ({m}) threads({threads}) {{
    %row = tile.alloc : !row
    %square = tile.alloc : !wide
    %squares = tile.alloc : !column
    tile.copy %x[%b, 0], %row : !x, !row{total}
    tile.parallel (%i, %j) in (1, {n}) {{
        {value}%s = arith.mulf %a, %a : f32
        memref.store %s, %square[%i, %j] : !wide
    }}
    tile.reduce sum %square, %squares dim(1) : !wide, !column
    tile.parallel (%i, %j) in (1, {n}) {{
        {value}%l = memref.load %squares[%i] : !column
        %mean = arith.divf %l, %n fastmath<afn> : f32
        %shifted = arith.addf %mean, %eps : f32
        %r = math.rsqrt %shifted fastmath<afn> : f32
        %normed = arith.mulf %a, %r : f32
        %g0 = memref.load %w[%j] : !w
        %g = arith.extf %g0 : bf16 to f32
        %out = arith.mulf %normed, %g : f32
        %o = arith.truncf %out : f32 to bf16
        memref.store %o, %y[%b, %j] : !x
    }}
  }}
  return
}}"""


if __name__ == "__main__":
    print(write(sys.argv[1], *map(int, sys.argv[2:])))
