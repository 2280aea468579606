#!/usr/bin/env python3
"""Writes a kernel whose time is that of its bytes: plain tile, nothing in it is meant for one chip.

    memory_kernels.py KIND TYPE M N ROWS THREADS [PART | dynamic]    x: MxN of TYPE; a block does ROWS rows

KIND is transpose, of tiles of ROWS x ROWS, or a key of BODIES. Sums and functions are computed in f32. With PART, a block of gelu
or act_quant does so many elements of its rows, and cumsum so many at a time. With `dynamic`, softmax, the norms and gelu are for
any number of rows of at most N elements: the tile has N, what lies beyond the row is padding.
"""
import sys

OPEN = """!x = memref<{rows_of_x}x{type}>
!y = memref<{y}>
!w = memref<{row}x{type}>
!tile = memref<{rows}x{n}x{type}, #tile.fragment>
!wide = memref<{rows}x{n}xf32, #tile.fragment>
!column = memref<{rows}xf32, #tile.fragment>
func.func @{kind}({arguments}) {{
  %one = arith.constant 1.0 : f32
  %eps = arith.constant 1.0e-5 : f32
{count}  tile.kernel ({part}%b) in ({parts}{blocks}) threads({threads}) {{
"""
COUNT = "  %n = arith.constant {n}.0 : f32\n"
ANY_COUNT = """  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %x, %c0 : !x
  %length = memref.dim %x, %c1 : !x
  %wide_length = arith.index_cast %length : index to i32
  %n = arith.sitofp %wide_length : i32 to f32
  %blocks = affine.apply affine_map<(m) -> (m ceildiv {rows})>(%m)
"""
LOAD = """{padding}    %in = tile.alloc : !tile
    %v = tile.alloc : !wide
    tile.copy %x[%b * {rows}, {column}], %in : !x, !tile
    tile.copy %in, %v : !tile, !wide
"""
STORE = """    tile.copy %v, %in : !wide, !tile
    tile.copy %in, %y[%b * {rows}, {column}] : !tile, !y
"""


def each(text):
    """A loop over the elements %a of %v."""
    lines = ["%a = memref.load %v[%i, %j] : !wide"] + text.strip().split("\n")
    return "    tile.parallel (%i, %j) in ({rows}, {n}) {{\n" + "".join(f"      {s}\n" for s in lines) + "    }}\n"


def reduced(kind, source, target):
    return f"    %{target} = tile.alloc : !column\n    tile.reduce {kind} %{source}, %{target} dim(1) : !wide, !column\n"


ROOT = """%l = memref.load %squares[%i] : !column
%mean = arith.divf %l, %n fastmath<afn> : f32
%shifted = arith.addf %mean, %eps : f32
%r = math.rsqrt %shifted fastmath<afn> : f32
%normed = arith.mulf %a, %r : f32
%g = memref.load %w[%j] : !w
{extend}
%out = arith.mulf %normed, {weight} : f32
memref.store %out, %v[%i, %j] : !wide"""
DIFFERENCE = "%d = arith.subf %a, %mean : f32"
INSIDE = """%from_mean = arith.subf %a, %mean : f32
      %inside = arith.cmpi slt, %j, %length : index
      %zero = arith.constant 0.0 : f32
      %d = arith.select %inside, %from_mean, %zero : f32"""
PADDING = """    %lowest = arith.constant 0xFF{bits} : {type}
    tile.padding_value %x, %lowest : !x
"""
SQUARE = "    %square = tile.alloc : !wide\n"
GROUPS = "memref<{rows}x{groups}xf32, #tile.fragment>"
GROUPED = "memref<{rows}x{groups}x128xf32, #tile.fragment>"
CODES = "memref<{rows}x{groups}x128xf8E4M3FN, #tile.fragment>"
BODIES = {
    "softmax": LOAD + reduced("max", "v", "max") + each("""%log2e = arith.constant 1.44269504 : f32
%top = memref.load %max[%i] : !column
%d = arith.subf %a, %top : f32
%d2 = arith.mulf %d, %log2e : f32
%e = math.exp2 %d2 fastmath<afn> : f32
memref.store %e, %v[%i, %j] : !wide""") + reduced("sum", "v", "sum") + each("""%l = memref.load %sum[%i] : !column
%inverse = arith.divf %one, %l fastmath<afn> : f32
%q = arith.mulf %a, %inverse : f32
memref.store %q, %v[%i, %j] : !wide""") + STORE,
    "rms_norm": LOAD + SQUARE + each("""%s = arith.mulf %a, %a : f32
memref.store %s, %square[%i, %j] : !wide""") + reduced("sum", "square", "squares") + each(ROOT) + STORE,
    "layer_norm": LOAD + SQUARE + reduced("sum", "v", "total") + each("""%t = memref.load %total[%i] : !column
%mean = arith.divf %t, %n fastmath<afn> : f32
{difference}
%s = arith.mulf %d, %d : f32
memref.store %d, %v[%i, %j] : !wide
memref.store %s, %square[%i, %j] : !wide""") + reduced("sum", "square", "squares") + each(ROOT) + STORE,
    "gelu": LOAD + each("""%half = arith.constant 0.5 : f32
%c = arith.constant 0.70710678 : f32
%t = arith.mulf %a, %c : f32
%e = math.erf %t fastmath<afn> : f32
%h = arith.mulf %a, %half : f32
%g = math.fma %h, %e, %h : f32
memref.store %g, %v[%i, %j] : !wide""") + STORE,
    "row_sum": LOAD + reduced("sum", "v", "total") + "    tile.copy %total, %y[%b * {rows}] : !column, !y\n",
    "cumsum": LOAD + "    tile.scan sum %v, %v dim(1) : !wide, !wide\n" + STORE,
    "act_quant": LOAD + f"""    %g = tile.reshape %v : !wide to {GROUPED}
    %top = tile.alloc : {GROUPS}
    %q = tile.alloc : {CODES}
    tile.reduce absmax %g, %top dim(2) : {GROUPED}, {GROUPS}
    tile.parallel (%i, %j) in ({{rows}}, {{groups}}) {{{{
      %t = memref.load %top[%i, %j] : {GROUPS}
      %least = arith.constant 1.0e-4 : f32
      %inverse = arith.constant 2.232142857e-3 : f32
      %u = arith.maximumf %t, %least : f32
      %s = arith.mulf %u, %inverse : f32
      memref.store %s, %top[%i, %j] : {GROUPS}
    }}}}
    tile.parallel (%i, %j, %k) in ({{rows}}, {{groups}}, 128) {{{{
      %a = memref.load %g[%i, %j, %k] : {GROUPED}
      %s = memref.load %top[%i, %j] : {GROUPS}
      %d = arith.divf %a, %s fastmath<afn> : f32
      %r = arith.truncf %d : f32 to f8E4M3FN
      memref.store %r, %q[%i, %j, %k] : {CODES}
    }}}}
    tile.copy %q, %y[%b * {{rows}}, {{group}}, 0] : {CODES}, !y
    tile.copy %top, %scales[%b * {{rows}}, {{group}}] : {GROUPS}, memref<{{m}}x{{all_groups}}xf32>
""",
}
# In parts, of which each begins with the sum of those before.
SCAN = """!x = memref<{m}x{n}x{type}>
!part = memref<1x{width}x{type}, #tile.shared>
!out = memref<1x{width}x{type}, #tile.fragment>
!wide = memref<1x{width}xf32, #tile.fragment>
!column = memref<1xf32, #tile.fragment>
func.func @cumsum(%x: !x, %y: !x {{tile.result}}) {{
  tile.kernel (%b) in ({m}) threads({threads}) {{
    %part = tile.alloc : !part
    %v = tile.alloc : !wide
    %out = tile.alloc : !out
    %total = tile.alloc : !column
    %before = tile.alloc : !column
    tile.fill %before, 0.0 : !column
    tile.pipelined %p = 0 to {parts} stages(3) {{
      tile.copy %x[%b, %p * {width}], %part : !x, !part
      tile.copy %part, %v : !part, !wide
      tile.reduce sum %v, %total dim(1) : !wide, !column
      tile.scan sum %v, %v dim(1) : !wide, !wide
      tile.parallel (%i, %j) in (1, {width}) do %out[%i, %j] = {round}(%v[%i, %j] + %before[%i])
      tile.copy %out, %y[%b, %p * {width}] : !out, !x
      tile.parallel (%i) in (1) do %before[%i] = %before[%i] + %total[%i]
    }}
  }}
  return
}}"""
TRANSPOSE = """!x = memref<{m}x{n}x{type}>
!y = memref<{n}x{m}x{type}>
!s = memref<{rows}x{rows}x{type}, #tile.shared>
!t = memref<{rows}x{rows}x{type}, #tile.fragment>
func.func @transpose(%x: !x, %y: !y {{tile.result}}) {{
  tile.kernel (%i, %j) in ({across}, {down}) threads({threads}) {{
    %s = tile.alloc : !s
    %t = tile.alloc : !t
    tile.copy %x[%j * {rows}, %i * {rows}], %s : !x, !s
    tile.transpose %s, %t : !s, !t
    tile.copy %t, %y[%i * {rows}, %j * {rows}] : !t, !y
  }}
  return
}}"""


def write(kind, type, m, n, rows, threads, part=None, dynamic=False):
    narrow, width = type != "f32", part or n
    names = dict(kind=kind, type=type, m=m, n=width, rows=rows, threads=threads, blocks=m // rows, groups=width // 128,
                 all_groups=n // 128,                  across=n // rows, down=m // rows, row=n, rows_of_x=f"{m}x{n}", width=width,
                 part="%p, " if part else "", parts=f"{n // width}, " if part else "",
                 column=f"%p * {width}" if part else "0", group=f"%p * {width // 128}" if part else "0",
                 padding="", difference=DIFFERENCE, weight="%wide" if narrow else "%g",
                 extend=f"%wide = arith.extf %g : {type} to f32" if narrow else "// f32")
    if kind == "transpose":
        return TRANSPOSE.format(**dict(names, n=n))
    if kind == "cumsum" and part:
        return SCAN.format(**dict(names, n=n, parts=n // part, round=type if narrow else ""))
    names["count"] = COUNT.format(**names)
    if dynamic:
        names.update(row="?", rows_of_x="?x?", blocks="%blocks", difference=INSIDE, count=ANY_COUNT.format(**names))
        if kind == "softmax":
            names["padding"] = PADDING.format(type=type, bits="80" if narrow else "800000")
    names["y"] = {"row_sum": f"{m}xf32", "act_quant": f"{m}x{n // 128}x128xf8E4M3FN"}.get(kind, f"{names['rows_of_x']}x{type}")
    weight = "%w: !w, " if "norm" in kind else ""
    scales = f", %scales: memref<{m}x{n // 128}xf32> {{tile.result}}" if kind == "act_quant" else ""
    names["arguments"] = f"%x: !x, {weight}%y: !y {{tile.result}}{scales}"
    if dynamic:
        weight = '%w: !w {tile.shape = "N"}, ' if weight else ""
        names["arguments"] = '%x: !x {tile.shape = "MxN"}, ' + weight + '%y: !y {tile.shape = "MxN", tile.result}'
    body = BODIES[kind].format(**names)
    if not narrow:  # one tile is enough
        for conversion in ("    %in = tile.alloc : !tile\n", "    tile.copy %in, %v : !tile, !wide\n",
                           "    tile.copy %v, %in : !wide, !tile\n"):
            body = body.replace(conversion, "")
        body = body.replace("%in", "%v").replace("!tile", "!wide")
    return OPEN.format(**names) + body + "  }\n  return\n}"


if __name__ == "__main__":
    dynamic = sys.argv[7:] == ["dynamic"]
    print(write(*sys.argv[1:3], *map(int, sys.argv[3:7 if dynamic else 8]), dynamic=dynamic))
