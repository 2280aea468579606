# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes reductions, scans, transpositions and votes of tiles, with their references.

    rows.py reductions | scans | tiles | topk

Widths are those that 128 threads share unevenly. Floats are small integers, so that sums are exact in any order.
"""
import sys

# Element type, rows and columns of a tile, and threads.
REDUCTIONS = [
    ("f32", 5, 229, 128), ("f32", 3, 1000, 128), ("f16", 16, 192, 128), ("bf16", 7, 257, 96), ("i32", 5, 229, 160),
    ("i32", 64, 33, 128), ("f32", 1, 1, 32), ("f32", 130, 17, 256), ("i8", 4, 100, 128), ("f64", 4, 65, 128),
]
SCANS = [("f32", 5, 229, 128), ("f32", 3, 1000, 128), ("i32", 33, 17, 96), ("f16", 4, 64, 128), ("bf16", 9, 40, 160),
         ("f32", 1, 4096, 256), ("i32", 2, 3000, 224), ("f32", 40, 300, 64), ("i32", 130, 6, 128)]
# Element type, rows, length of a part, how many are taken, threads, where they are kept, and parts.
TOPK = [
    ("f32", 1, 300, 8, 128, "shared", 1), ("f16", 4, 33, 33, 96, "fragment", 1), ("bf16", 3, 64, 5, 160, "shared", 3),
    ("f32", 2, 129, 64, 32, "fragment", 2), ("f32", 70, 1, 1, 128, "fragment", 1),
    # Long rows: few candidates of a part, more equal ones than can be ranked, two rows, copies of elements.
    ("f32", 1, 1000, 8, 128, "shared", 3), ("f32", 1, 6000, 200, 64, "shared", 1),
    ("bf16", 2, 700, 30, 96, "fragment", 2), ("f16", 3, 600, 5, 64, "fragment", 2, "fragment"),
    # Many candidates, of few numbers and of many.
    ("f32", 1, 1100, 260, 128, "shared", 2, "shared", 30000),
    ("bf16", 1, 1500, 300, 96, "fragment", 1, "shared", 9),
]
TRANSPOSED = [("f16", 64, 32, 128), ("f32", 33, 229, 128), ("i8", 17, 100, 96), ("bf16", 1, 257, 128),
              ("bf16", 64, 64, 256), ("f32", 128, 64, 128), ("i8", 64, 128, 128)]


def is_float(element):
    return element[0] in "bf"


def wide(element):
    """The type in which the reference computes."""
    return "f64" if is_float(element) else element


def extend(name, value, element):
    if element == "f64" or not is_float(element):
        return f"%{name} = arith.addf {value}, %zero : f64" if element == "f64" else \
            f"%{name} = arith.addi {value}, %zero : {element}"
    return f"%{name} = arith.extf {value} : {element} to f64"


def shorten(name, value, element):
    if element == "f64" or not is_float(element):
        return extend(name, value, element)
    return f"%{name} = arith.truncf {value} : f64 to {element}"


def fold(kind, element, x, y):
    """%next = x combined with y."""
    t = wide(element)
    absolute = ""
    if kind.startswith("abs"):
        absolute = f"%abs = math.abs{'f' if is_float(element) else 'i'} {y} : {t}\n"
        y = "%abs"
    suffix = "f" if is_float(element) else "i"
    op = {"sum": "add" + suffix, "abssum": "add" + suffix, "and": "andi", "or": "ori", "xor": "xori"}.get(kind)
    if not op:
        op = ("min" if kind == "min" else "max") + ("numf" if is_float(element) else "si")
    return f"{absolute}%next = arith.{op} {x}, {y} : {t}"


def bounds(element, width):
    """No sum leaves the integers that the type has."""
    return {"bf16": 1, "f16": 8, "i8": 127}.get(element, 1000)


def reductions_of(element, rows, columns, threads):
    kinds = ["sum", "max", "min", "abssum", "absmax"] + ([] if is_float(element) else ["and", "or", "xor"])
    tile, global_ = f"memref<{rows}x{columns}x{element}, #tile.fragment>", f"memref<{rows}x{columns}x{element}>"
    shared = tile.replace("fragment", "shared")
    bound = bounds(element, columns)
    init = f"integers({-bound},{bound})"
    for dim, space in ((1, "fragment"), (0, "fragment"), (1, "shared"), (0, "shared")):
        name = f"reduce_{element}_{rows}x{columns}_{space}_d{dim}"
        kept = rows if dim == 1 else columns
        result, line = f"memref<{len(kinds)}x{kept}x{element}>", f"memref<{kept}x{element}, #tile.fragment>"
        source = tile if space == "fragment" else shared
        steps = "\n    ".join(f"""tile.fill %r, %three : {line}
    tile.reduce {kind} %x, %r dim({dim}) {"{combine} " * (i % 2)}: {source}, {line}
    tile.copy %r, %out[{i}, 0] [1, {kept}] : {line}, {result}""" for i, kind in enumerate(kinds))
        folds = []
        for i, kind in enumerate(kinds):
            if i % 2:
                start, first = "%first = arith.addf %w3, %zero : f64" if is_float(element) else \
                    f"%first = arith.addi %w3, %zero : {element}", 0
            else:
                at = "%i, %c0" if dim == 1 else "%c0, %i"
                value = f"%v0 = memref.load %a[{at}] : {global_}\n      {extend('f0', '%v0', element)}\n      "
                if kind.startswith("abs"):
                    start = value + f"%first = math.abs{'f' if is_float(element) else 'i'} %f0 : {wide(element)}"
                else:
                    start = value + f"%first = {'arith.addf' if is_float(element) else 'arith.addi'} %f0, %zero : " \
                        f"{wide(element)}"
                first = 1
            folds.append(f"""affine.for %i = 0 to {kept} {{
      {start}
      %sum = affine.for %j = {first} to {columns if dim == 1 else rows} iter_args(%old = %first) -> {wide(element)} {{
        %v = affine.load %a[{"%i, %j" if dim == 1 else "%j, %i"}] : {global_}
        {extend("x", "%v", element)}
        {fold(kind, element, "%old", "%x")}
        affine.yield %next : {wide(element)}
      }}
      {shorten("s", "%sum", element)}
      affine.store %s, %out[{i}, %i] : {result}
    }}""")
        body = "\n    ".join(folds)
        yield f"""
func.func @{name}(%a: {global_} {{tile.init = "{init}"}}, %out: {result} {{tile.result}})
    attributes {{tile.reference = @{name}_reference, tile.atol = 0.0, tile.rtol = 0.0}} {{
  %three = arith.constant {"3.0" if is_float(element) else "3"} : {element}
  tile.kernel (%b) in (1) threads({threads}) {{
    %x = tile.alloc : {source}
    %r = tile.alloc : {line}
    tile.copy %a, %x : {global_}, {source}
    {steps}
  }}
  return
}}
func.func @{name}_reference(%a: {global_}, %out: {result}) {{
    %c0 = arith.constant 0 : index
    %zero = arith.constant {"0.0" if is_float(element) else "0"} : {wide(element)}
    %w3 = arith.constant {"3.0" if is_float(element) else "3"} : {wide(element)}
    {body}
    return
}}"""


def scans_of(element, rows, columns, threads):
    global_, bound = f"memref<{rows}x{columns}x{element}>", bounds(element, columns)
    for dim, space in ((1, "shared"), (0, "fragment"), (1, "fragment"), (0, "shared")):
        tile = f"memref<{rows}x{columns}x{element}, #tile.{space}>"
        name = f"scan_{element}_{rows}x{columns}_{space}_d{dim}"
        variants = [(kind, reverse) for kind in ("sum", "max") for reverse in (False, True)]
        outs = [f"%o{i}" for i in range(len(variants))]
        steps = "\n    ".join(f"""tile.scan {kind} %x, %y dim({dim}) {"{reverse} " * reverse}: {tile}, {tile}
    tile.copy %y, {o} : {tile}, {global_}""" for (kind, reverse), o in zip(variants, outs))
        lines, extent = (rows, columns) if dim == 1 else (columns, rows)
        folds = []
        for (kind, reverse), o in zip(variants, outs):
            at = f"{extent - 1} - %k" if reverse else "%k"
            index = f"%i, {at}" if dim == 1 else f"{at}, %i"
            start = f"{extent - 1}" if reverse else "0"
            first = f"%i, {start}" if dim == 1 else f"{start}, %i"
            folds.append(f"""affine.for %i = 0 to {lines} {{
      %v0 = affine.load %a[{first}] : {global_}
      affine.store %v0, {o}[{first}] : {global_}
      {extend("first", "%v0", element)}
      %sum = affine.for %k = 1 to {extent} iter_args(%old = %first) -> {wide(element)} {{
        %v = affine.load %a[{index}] : {global_}
        {extend("x", "%v", element)}
        {fold(kind, element, "%old", "%x")}
        {shorten("s", "%next", element)}
        affine.store %s, {o}[{index}] : {global_}
        affine.yield %next : {wide(element)}
      }}
    }}""")
        results = ", ".join(f"{o}: {global_} {{tile.result}}" for o in outs)
        plain = ", ".join(f"{o}: {global_}" for o in outs)
        body = "\n    ".join(folds)
        yield f"""
func.func @{name}(%a: {global_} {{tile.init = "integers({-bound},{bound})"}}, {results})
    attributes {{tile.reference = @{name}_reference, tile.atol = 0.0, tile.rtol = 0.0}} {{
  tile.kernel (%b) in (1) threads({threads}) {{
    %x = tile.alloc : {tile}
    %y = tile.alloc : {tile}
    tile.copy %a, %x : {global_}, {tile}
    {steps}
    tile.scan sum %x, %x dim({dim}) : {tile}, {tile}
  }}
  return
}}
func.func @{name}_reference(%a: {global_}, {plain}) {{
    %zero = arith.constant {"0.0" if is_float(element) else "0"} : {wide(element)}
    {body}
    return
}}"""


def transposed(element, rows, columns, threads):
    a, b = f"memref<{rows}x{columns}x{element}>", f"memref<{columns}x{rows}x{element}>"
    for source, target in (("shared", "shared"), ("fragment", "shared"), ("shared", "fragment"),
                           ("fragment", "fragment")):
        name = f"transpose_{element}_{rows}x{columns}_{source}_{target}"
        x, y = a[:-1] + f", #tile.{source}>", b[:-1] + f", #tile.{target}>"
        yield f"""
func.func @{name}(%a: {a} {{tile.init = "integers(-100,100)"}}, %b: {b} {{tile.result}})
    attributes {{tile.reference = @{name}_reference, tile.atol = 0.0, tile.rtol = 0.0}} {{
  tile.kernel (%k) in (1) threads({threads}) {{
    %x = tile.alloc : {x}
    %y = tile.alloc : {y}
    tile.copy %a, %x : {a}, {x}
    tile.transpose %x, %y : {x}, {y}
    tile.copy %y, %b : {y}, {b}
  }}
  return
}}
func.func @{name}_reference(%a: {a}, %b: {b}) {{
  affine.for %i = 0 to {rows} {{
    affine.for %j = 0 to {columns} {{
      %v = affine.load %a[%i, %j] : {a}
      affine.store %v, %b[%j, %i] : {b}
    }}
  }}
  return
}}"""


def votes(width, threads, space):
    name = f"votes_{width}_t{threads}_{space}"
    tile = f"memref<{width}xi32, #tile.{space}>"
    return f"""
// Rows of zeros and ones: none, some and all are set.
func.func @{name}(%a: memref<?x{width}xi32> {{tile.shape = "Rx{width}", tile.init = "integers(0,1)"}},
    %limits: memref<?xi32> {{tile.shape = "R", tile.init = "integers(0,2)"}}, %r: memref<?x2xi32> {{tile.shape = "Rx2", tile.result}})
    attributes {{tile.reference = @{name}_reference, tile.cases = ["R=40", "R=1"]}} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = memref.dim %a, %c0 : memref<?x{width}xi32>
  tile.kernel (%b) in (%rows) threads({threads}) {{
    %x = tile.alloc : {tile}
    %limit = memref.load %limits[%b] : memref<?xi32>
    tile.parallel (%i) in ({width}) {{
      %v = memref.load %a[%b, %i] : memref<?x{width}xi32>
      %is = arith.cmpi slt, %v, %limit : i32
      %bit = arith.extui %is : i1 to i32
      memref.store %bit, %x[%i] : {tile}
    }}
    %any = tile.any_of %x : {tile}
    %all = tile.all_of %x : {tile}
    tile.parallel (%i) in (1) {{
      %any32 = arith.extui %any : i1 to i32
      %all32 = arith.extui %all : i1 to i32
      memref.store %any32, %r[%b, %c0] : memref<?x2xi32>
      memref.store %all32, %r[%b, %c1] : memref<?x2xi32>
    }}
  }}
  return
}}
func.func @{name}_reference(%a: memref<?x{width}xi32>, %limits: memref<?xi32>, %r: memref<?x2xi32>) {{
  %c0 = arith.constant 0 : index
  %false = arith.constant false
  %true = arith.constant true
  %rows = memref.dim %a, %c0 : memref<?x{width}xi32>
  affine.for %b = 0 to %rows {{
    %limit = affine.load %limits[%b] : memref<?xi32>
    %any, %all = affine.for %i = 0 to {width} iter_args(%one = %false, %each = %true) -> (i1, i1) {{
      %v = affine.load %a[%b, %i] : memref<?x{width}xi32>
      %is = arith.cmpi slt, %v, %limit : i32
      %or = arith.ori %one, %is : i1
      %and = arith.andi %each, %is : i1
      affine.yield %or, %and : i1, i1
    }}
    %any32 = arith.extui %any : i1 to i32
    %all32 = arith.extui %all : i1 to i32
    affine.store %any32, %r[%b, 0] : memref<?x2xi32>
    affine.store %all32, %r[%b, 1] : memref<?x2xi32>
  }}
  return
}}"""


def reductions():
    for row in REDUCTIONS:
        yield from reductions_of(*row)


def scans():
    for row in SCANS:
        yield from scans_of(*row)


def tiles():
    for row in TRANSPOSED:
        yield from transposed(*row)
    yield votes(229, 128, "shared")
    yield votes(3, 96, "fragment")
    yield votes(1000, 160, "fragment")


def largest(element, rows, length, count, threads, space, parts, source="shared", bound=9):
    """The `count` largest of rows of integers, many of them equal, taken part by part."""
    name = f"topk_{element}_{rows}x{parts * length}_{count}_t{threads}_{space}{'_all' * (source == space == 'fragment')}"
    x = f"memref<{rows}x{parts * length}x{element}>"
    v, p = f"memref<{rows}x{count}x{element}>", f"memref<{rows}x{count}xi32>"
    part = f"memref<{rows}x{length}x{element}, #tile.{source}>"
    best, at = v[:-1] + f", #tile.{space}>", p[:-1] + f", #tile.{space}>"
    steps = "\n    ".join(
        f"%base{i} = arith.constant {i * length} : index\n"
        f"    tile.copy %x[0, {i * length}], %part : {x}, {part}\n"
        f"    tile.topk %part, %best, %at base(%base{i}){' {combine}' * (i > 0)} : {part}, {best}, {at}"
        for i in range(parts))
    return f"""
func.func @{name}(%x: {x} {{tile.init = "integers(-{bound},{bound})"}}, %v: {v} {{tile.result}}, %p: {p} {{tile.result}})
    attributes {{tile.reference = @{name}_reference, tile.atol = 0.0, tile.rtol = 0.0}} {{
  tile.kernel (%b) in (1) threads({threads}) {{
    %part = tile.alloc : {part}
    %best = tile.alloc : {best}
    %at = tile.alloc : {at}
    {steps}
    tile.copy %best, %v : {best}, {v}
    tile.copy %at, %p : {at}, {p}
  }}
  return
}}
// The place of an element is how many come before it.
func.func @{name}_reference(%x: {x}, %v: {v}, %p: {p}) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %count = arith.constant {count} : index
  affine.for %r = 0 to {rows} {{
    affine.for %i = 0 to {parts * length} {{
      %e = affine.load %x[%r, %i] : {x}
      %rank = affine.for %j = 0 to {parts * length} iter_args(%n = %c0) -> index {{
        %o = affine.load %x[%r, %j] : {x}
        %larger = arith.cmpf ogt, %o, %e : {element}
        %equal = arith.cmpf oeq, %o, %e : {element}
        %left = arith.cmpi ult, %j, %i : index
        %tie = arith.andi %equal, %left : i1
        %first = arith.ori %larger, %tie : i1
        %one = arith.select %first, %c1, %c0 : index
        %next = arith.addi %n, %one : index
        affine.yield %next : index
      }}
      %in = arith.cmpi ult, %rank, %count : index
      scf.if %in {{
        %place = arith.index_cast %i : index to i32
        memref.store %e, %v[%r, %rank] : {v}
        memref.store %place, %p[%r, %rank] : {p}
      }}
    }}
  }}
  return
}}"""


def topk():
    for row in TOPK:
        yield largest(*row)


if __name__ == "__main__":
    print("\n".join({"reductions": reductions, "scans": scans, "tiles": tiles, "topk": topk}[sys.argv[1]]()))
