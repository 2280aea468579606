"""Writes kernels of one tile.gemm and their references: all element types, transpositions and ways to start the accumulator.

The operands are small integers, so that every sum is exact in f32 and one rounding to the type of c remains: results are
compared for equality. Extents lie next to those of a register block, whatever the machine's registers are.
"""
import itertools

FLOAT8 = [("f8E4M3FN", "f8E4M3FN"), ("f8E5M2", "f8E4M3FN"), ("f8E4M3FNUZ", "f8E5M2FNUZ"), ("f8E5M2FNUZ", "f8E4M3FNUZ"),
          ("f8E4M3FN", "f8E5M2")]
# Types of a, b and c, flags, and the bound of the operands.
ROWS = [
    ("f16", "f16", "f32", "", 8), ("f16", "f16", "f16", "", 60), ("bf16", "bf16", "f32", "", 8),
    ("bf16", "bf16", "bf16", "", 60), ("f32", "f32", "f32", "", 100), ("f64", "f64", "f64", "", 1000),
    ("i8", "i8", "i32", "", 127), ("i8", "i8", "i32", "a_unsigned", 127), ("i8", "i8", "i32", "b_unsigned", 127),
    ("i8", "i8", "i32", "a_unsigned, b_unsigned", 127), ("i4", "i4", "i32", "", 7),
    ("i4", "i4", "i32", "a_unsigned", 7), ("i4", "i4", "i32", "a_unsigned, b_unsigned", 7),
] + [(a, b, c, "", 8) for (a, b), c in zip(FLOAT8, itertools.cycle(["f32", "f16"]))]
SIZES = [(1, 1, 1), (5, 33, 7), (33, 5, 33), (13, 65, 16), (12, 32, 1), (25, 31, 5), (1, 100, 3), (49, 1, 2)]
STARTS = ["accumulate", "clear", "clear_if", "keep_if"]


def widen(name, value, element, unsigned):
    """Loads of the reference: to f64, or to i32."""
    if element.startswith("i"):
        return f"%{name} = arith.ext{'u' if unsigned else 's'}i {value} : {element} to i32"
    return f"%{name} = arith.extf {value} : {element} to f64" if element != "f64" else \
        f"%{name} = arith.addf {value}, %zero : f64"


def even(n, element):
    """tile-run wants whole bytes in a row."""
    return n + n % 2 if element == "i4" else n


def kernel(name, row, transposed, size, start):
    a, b, c, flags, bound = row
    m, n, k = size
    ta, tb = transposed
    shapes = [(k, m) if ta else (m, k), (n, k) if tb else (k, n), (m, n)]
    tiles = [f"memref<{s[0]}x{s[1]}x{e}, #tile.shared>" for s, e in zip(shapes, (a, b, c))]
    args = [f"memref<{s[0]}x{even(s[1], e)}x{e}>" for s, e in zip(shapes, (a, b, c))]
    low = -bound - 1 if a.startswith("i") else -bound
    options = [flag for flag in (flags, "transpose_a" * ta, "transpose_b" * tb, "clear" * (start == "clear")) if flag]
    clause = {"clear_if": "clear_if(%true)", "keep_if": "clear_if(%false)"}.get(start, "")
    wide = "i32" if c == "i32" else "f64"
    cleared = start in ("clear", "clear_if")
    # The reference, and its way back to the type of c.
    narrow = "" if wide == c else f"%r = arith.truncf %sum : f64 to {c}"
    first = "%start = arith.addi %zero, %zero : i32" if wide == "i32" else "%start = arith.addf %zero, %zero : f64"
    if not cleared:
        first = "%start = memref.load %c[%i, %j] : " + args[2]
        if wide != c:
            first = f"%old = memref.load %c[%i, %j] : {args[2]}\n%start = arith.extf %old : {c} to f64"
    suffix = "i" if wide == "i32" else "f"
    return f"""
func.func @{name}(%a: {args[0]} {{tile.init = "integers({low},{bound})"}},
    %b: {args[1]} {{tile.init = "integers({low},{bound})"}},
    %c: {args[2]} {{tile.init = "integers(-100,100)", tile.result}})
    attributes {{tile.reference = @{name}_reference, tile.atol = 0.0, tile.rtol = 0.0}} {{
  %true = arith.constant true
  %false = arith.constant false
  tile.kernel (%block) in (1) {{
    %as = tile.alloc : {tiles[0]}
    %bs = tile.alloc : {tiles[1]}
    %cs = tile.alloc : {tiles[2]}
    tile.copy %a[0, 0], %as : {args[0]}, {tiles[0]}
    tile.copy %b[0, 0], %bs : {args[1]}, {tiles[1]}
    tile.copy %c, %cs : {args[2]}, {tiles[2]}
    tile.gemm %as, %bs, %cs {clause} {{{", ".join(options)}}} : {tiles[0]}, {tiles[1]}, {tiles[2]}
    tile.copy %cs, %c : {tiles[2]}, {args[2]}
  }}
  return
}}
func.func @{name}_reference(%a: {args[0]}, %b: {args[1]}, %c: {args[2]}) {{
  %zero = arith.constant {"0 : i32" if wide == "i32" else "0.0 : f64"}
  affine.for %i = 0 to {m} {{
    affine.for %j = 0 to {n} {{
      {first}
      %sum = affine.for %l = 0 to {k} iter_args(%acc = %start) -> {wide} {{
        %x = memref.load %a[{"%l, %i" if ta else "%i, %l"}] : {args[0]}
        %y = memref.load %b[{"%j, %l" if tb else "%l, %j"}] : {args[1]}
        {widen("xw", "%x", a, "a_unsigned" in flags)}
        {widen("yw", "%y", b, "b_unsigned" in flags)}
        %p = arith.mul{suffix} %xw, %yw : {wide}
        %next = arith.add{suffix} %acc, %p : {wide}
        affine.yield %next : {wide}
      }}
      {narrow}
      memref.store {"%r" if narrow else "%sum"}, %c[%i, %j] : {args[2]}
    }}
  }}
  return
}}"""


def main():
    transpositions = list(itertools.product([False, True], repeat=2))
    for i, row in enumerate(ROWS):
        # All transpositions; all sizes and starts over the rows.
        for j, transposed in enumerate(transpositions):
            size, start = SIZES[(3 * i + j) % len(SIZES)], STARTS[(i + j) % len(STARTS)]
            print(kernel(f"gemm_{i}_{j}", row, transposed, size, start))
    # All sizes and starts for one row.
    for i, (size, start) in enumerate(itertools.product(SIZES, STARTS[:2])):
        print(kernel(f"sizes_{i}", ROWS[i % 2], transpositions[i % 4], size, start))


main()
