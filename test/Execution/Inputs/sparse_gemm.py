"""Writes kernels of tile.sparse_gemm and their references: element types, words of metadata, transpositions, trip counts.

usage: sparse_gemm.py [N] [--ascend], for every N-th kernel, and those that an Ascend can do

Which elements of a group are stored is the number of a pair, 0 to 5, in an argument of its own: the kernel makes metadata of it, and
the reference adds the products of the stored elements at these places, one after the other. Operands are small integers, so that
every sum is exact and results are compared for equality. The last of some sizes are no multiples of the instruction's.
"""
import itertools
import sys

# Types of a, b and c, words of metadata, flags, and the bound of the operands.
ROWS = [
    ("f16", "f16", "f32", "i16", "", 8), ("bf16", "bf16", "f32", "i32", "", 8), ("f16", "f16", "f16", "i8", "", 8),
    ("f32", "f32", "f32", "i16", "tf32", 60), ("f32", "f32", "f32", "i32", "tf32", 60), ("f32", "f32", "f32", "i8", "", 60),
    ("i8", "i8", "i32", "i32", "", 127), ("i8", "i8", "i32", "i8", "a_unsigned", 127), ("i8", "i8", "i32", "i16", "b_unsigned", 127),
    ("f8E4M3FN", "f8E5M2", "f32", "i32", "", 4), ("f8E5M2", "f8E5M2", "f16", "i16", "", 4), ("bf16", "bf16", "bf16", "i16", "", 4),
]
# M, N, K of a tile, and how often.
SIZES = [(64, 64, 64, 2), (128, 16, 128, 1), (16, 8, 64, 3), (48, 40, 192, 1), (24, 12, 64, 2), (16, 8, 640, 1), (32, 32, 128, 0)]
PAIRS = 0xED9C84  # of pair p, the places in bits 4p to 4p + 3
HALVES = 0xE4  # likewise, of one of two


def widen(name, value, element, unsigned):
    if element == "i8":
        return f"%{name} = arith.ext{'u' if unsigned else 's'}i {value} : i8 to i32"
    return f"%{name} = arith.extf {value} : {element} to f64"


def kernel(name, row, size, transposed, clear):
    a, b, c, word, flags, bound = row
    m, n, k, trips = size
    group = 2 if a == "f32" else 4
    k = k * group // 4
    groups, per_word = k // group, int(word[1:]) // 4
    ta, te, tb = transposed
    shapes = [(k // 2, m) if ta else (m, k // 2), (groups // per_word, m) if te else (m, groups // per_word),
              (n, k) if tb else (k, n), (m, n), (m, groups)]
    types = (a, word, b, c, "i32")
    tiles = [f"memref<{s[0]}x{s[1]}x{e}, #tile.shared>" for s, e in zip(shapes, types)]
    accumulator = tiles[3].replace("shared", "fragment")
    count = max(trips, 1)
    args = [f"memref<{count}x{s[0]}x{s[1]}x{e}>" for s, e in zip(shapes, types)]
    args[3] = f"memref<{m}x{n}x{c}>"
    low = -bound - 1 if a == "i8" else -bound
    tf32 = "precision(tf32)" if flags == "tf32" else ""
    options = [f for f in (flags.replace("tf32", ""), "transpose_a" * ta, "transpose_metadata" * te, "transpose_b" * tb,
                           "clear" * clear) if f]
    wide, suffix = ("i32", "i") if c == "i32" else ("f64", "f")
    pack = "".join(f"""
        %w{t} = affine.apply affine_map<(d) -> (d * {per_word} + {t})>(%w)
        %q{t} = memref.load %ps[%i, %w{t}] : {tiles[4]}
        %s{t} = arith.muli %q{t}, %four : i32
        %c{t} = arith.shrui %table, %s{t} : i32
        %n{t} = arith.andi %c{t}, %low : i32
        %l{t} = arith.constant {4 * t} : i32
        %m{t} = arith.shli %n{t}, %l{t} : i32
        %o{t + 1} = arith.ori %o{t}, %m{t} : i32""" for t in range(per_word))
    store = f"%o{per_word}"
    narrow = "" if word == "i32" else f"%word = arith.trunci {store} : i32 to {word}"
    body = f"""
      tile.copy %a[%t, 0, 0] [1, {shapes[0][0]}, {shapes[0][1]}], %as : {args[0]}, {tiles[0]}
      tile.copy %p[%t, 0, 0] [1, {shapes[4][0]}, {shapes[4][1]}], %ps : {args[4]}, {tiles[4]}
      tile.copy %b[%t, 0, 0] [1, {shapes[2][0]}, {shapes[2][1]}], %bs : {args[2]}, {tiles[2]}
      tile.parallel (%i, %w) in ({m}, {groups // per_word}) {{
        %o0 = arith.constant 0 : i32
        %four = arith.constant 4 : i32
        %low = arith.constant 15 : i32
        %table = arith.constant {HALVES if group == 2 else PAIRS} : i32
        {pack}
        {narrow}
        memref.store {"%word" if narrow else store}, %es[{"%w, %i" if te else "%i, %w"}] : {tiles[1]}
      }}
      tile.sparse_gemm %as by %es, %bs, %cs {tf32} {{{", ".join(options)}}}
          : {tiles[0]}, {tiles[1]}, {tiles[2]}, {accumulator}"""
    # The reference: of each group the places, and the products of what is stored.
    if group == 2:
        places = ["%first = arith.index_cast %pair : i32 to index"]
    else:
        places = [f"%k{v} = arith.constant {v} : i32" for v in range(6)] + [
            "%is5 = arith.cmpi eq, %pair, %k5 : i32", "%is1 = arith.cmpi eq, %pair, %k1 : i32",
            "%is0 = arith.cmpi eq, %pair, %k0 : i32", "%is3 = arith.cmpi eq, %pair, %k3 : i32",
            "%is2 = arith.cmpi eq, %pair, %k2 : i32",
            "%f0 = arith.cmpi slt, %pair, %k3 : i32",
            # 01, 02, 03, 12, 13, 23
            "%fa = arith.select %is5, %k2, %k1 : i32", "%fb = arith.select %f0, %k0, %fa : i32",
            "%sa = arith.ori %is1, %is3 : i1", "%sb = arith.select %sa, %k2, %k3 : i32",
            "%sc = arith.select %is0, %k1, %sb : i32",
            "%first = arith.index_cast %fb : i32 to index", "%second = arith.index_cast %sc : i32 to index"]
    terms, last = [], "%acc"
    for at, place in enumerate(["%first", "%second"][:group // 2]):
        terms.append(f"""%s{at} = affine.apply affine_map<(d) -> (d * {group // 2} + {at})>(%g)
            %d{at} = affine.apply affine_map<(d, e) -> (d * {group} + e)>(%g, {place})
            %x{at} = memref.load %a[%t, {f"%s{at}, %i" if ta else f"%i, %s{at}"}] : {args[0]}
            %y{at} = memref.load %b[%t, {f"%j, %d{at}" if tb else f"%d{at}, %j"}] : {args[2]}
            {widen(f"v{at}", f"%x{at}", a, "a_unsigned" in flags)}
            {widen(f"u{at}", f"%y{at}", b, "b_unsigned" in flags)}
            %p{at} = arith.mul{suffix} %v{at}, %u{at} : {wide}
            %r{at} = arith.add{suffix} {last}, %p{at} : {wide}""")
        last = f"%r{at}"
    old = f"%old = memref.load %c[%i, %j] : {args[3]}\n      "
    start = old + (f"%start = arith.extf %old : {c} to f64" if wide != c else "%start = arith.addi %old, %zero : i32")
    # With clear, the last product is all there is; without one, nothing is written.
    first = f"{trips - 1}" if clear and trips else "0"
    if clear and trips:
        start = f"%start = arith.add{suffix} %zero, %zero : {wide}"
    result = "" if wide == c else f"%r = arith.truncf %sum : f64 to {c}"
    return f"""
func.func @{name}(%a: {args[0]} {{tile.init = "integers({low},{bound})"}}, %p: {args[4]} {{tile.init = "integers(0,{1 if group == 2 else 5})"}},
    %b: {args[2]} {{tile.init = "integers({low},{bound})"}}, %c: {args[3]} {{tile.init = "integers(-100,100)", tile.result}})
    attributes {{tile.reference = @{name}_reference, tile.atol = 0.0, tile.rtol = 0.0}} {{
  tile.kernel (%block) in (1) threads({max(128, 2 * m)}) {{
    %as = tile.alloc : {tiles[0]}
    %es = tile.alloc : {tiles[1]}
    %bs = tile.alloc : {tiles[2]}
    %ps = tile.alloc : {tiles[4]}
    %cs = tile.alloc : {accumulator}
    tile.copy %c, %cs : {args[3]}, {accumulator}
    tile.pipelined %t = 0 to {trips} stages({min(2, count)}) {{{body}
    }}
    tile.copy %cs, %c : {accumulator}, {args[3]}
  }}
  return
}}
func.func @{name}_reference(%a: {args[0]}, %p: {args[4]}, %b: {args[2]}, %c: {args[3]}) {{
  %zero = arith.constant {"0 : i32" if wide == "i32" else "0.0 : f64"}
  affine.for %i = 0 to {m} {{
    affine.for %j = 0 to {n} {{
      {start}
      %sum = affine.for %t = {first} to {trips} iter_args(%outer = %start) -> {wide} {{
        %inner = affine.for %g = 0 to {groups} iter_args(%acc = %outer) -> {wide} {{
            %pair = memref.load %p[%t, %i, %g] : {args[4]}
            {(chr(10) + "            ").join(places)}
            {(chr(10) + "            ").join(terms)}
            affine.yield {last} : {wide}
        }}
        affine.yield %inner : {wide}
      }}
      {result}
      memref.store {"%r" if result else "%sum"}, %c[%i, %j] : {args[3]}
    }}
  }}
  return
}}"""


def main():
    # Of each row of types, every so many-th size; of all together each.
    part = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    transpositions = list(itertools.product([False, True], repeat=3))
    for i, row in enumerate(ROWS):
        # The cube has neither unsigned operands nor tf32, and no floats of 8 bits.
        if "--ascend" in sys.argv and (row[4] or row[0].startswith("f8")):
            continue
        for j in range(i % part, len(SIZES), part):
            print(kernel(f"sparse_{i}_{j}", row, SIZES[j], transpositions[(3 * i + j) % 8], (i + j) % 3 == 0))


main()
