#!/usr/bin/env python3
# Products of every element type and storage order, with references that the
# CPU computes, on standard output:
#   ascend_products.py M,N,K TYPE[:ORDERS][,TYPE...] CASE...
# M, N and K are those of a block, ORDERS letters n or t of A and B, as in
# f32:nt:tt, by default all; a case is a string as in tile.cases.
import sys

def buffer(extents, element, space=""):
    shape = "".join(f"{extent}x" for extent in extents)
    return f"memref<{shape}{element}" + (f", #tile.{space}>" if space else ">")


def product(element, ta, tb, m, n, k, cases):
    """C = A B, where `ta` says that A is stored as K x M, `tb` B as N x K."""
    name = f"gemm_{element}_{'t' if ta else 'n'}{'t' if tb else 'n'}"
    exact = element == "i8"
    total, wide = ("i32", "i32") if exact else ("f32", "f64")
    zero = "0" if exact else "0.0"
    tolerance = "" if exact else "tile.atol = 1.0e-4, tile.rtol = 1.0e-4,"
    whole, whole_c = buffer("??", element), buffer("??", total)
    a = buffer((k, m) if ta else (m, k), element, "shared")
    b = buffer((n, k) if tb else (k, n), element, "shared")
    c = buffer((m, n), total, "fragment")
    flags = [flag for flag, on in (("transpose_a", ta), ("transpose_b", tb)) if on]
    a_at = f"%s * {k}, %by * {m}" if ta else f"%by * {m}, %s * {k}"
    b_at = f"%bx * {n}, %s * {k}" if tb else f"%s * {k}, %bx * {n}"
    sizes = f"""
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %a, %c{int(ta)} : {whole}
  %k = memref.dim %a, %c{int(not ta)} : {whole}
  %n = memref.dim %b, %c{int(not tb)} : {whole}"""
    widen, multiply, add = ("extsi", "muli", "addi") if exact else ("extf", "mulf", "addf")
    narrow = "" if exact else f"""
      %r = arith.truncf %sum : {wide} to {total}"""
    result = "%sum" if exact else "%r"
    quoted = ", ".join(f'"{case}"' for case in cases)
    return f"""
func.func @{name}(
    %a: {whole} {{tile.shape = "{'KxM' if ta else 'MxK'}"}}, %b: {whole} {{tile.shape = "{'NxK' if tb else 'KxN'}"}},
    %c: {whole_c} {{tile.shape = "MxN", tile.result}})
    attributes {{tile.reference = @{name}_reference, {tolerance} tile.cases = [{quoted}]}} {{{sizes}
  %zero = arith.constant {zero} : {total}
  %rows = affine.apply affine_map<(n) -> (n ceildiv {m})>(%m)
  %columns = affine.apply affine_map<(n) -> (n ceildiv {n})>(%n)
  %steps = affine.apply affine_map<(n) -> (n ceildiv {k})>(%k)
  tile.kernel (%bx, %by) in (%columns, %rows) {{
    %as = tile.alloc : {a}
    %bs = tile.alloc : {b}
    %acc = tile.alloc : {c}
    tile.fill %acc, %zero : {c}
    tile.pipelined %s = 0 to %steps stages(2) {{
      tile.copy %a[{a_at}], %as : {whole}, {a}
      tile.copy %b[{b_at}], %bs : {whole}, {b}
      tile.gemm %as, %bs, %acc {{{', '.join(flags)}}} : {a}, {b}, {c}
    }}
    tile.copy %acc, %c[%by * {m}, %bx * {n}] : {c}, {whole_c}
  }}
  return
}}

func.func @{name}_reference(%a: {whole}, %b: {whole}, %c: {whole_c}) {{{sizes}
  %zero = arith.constant {zero} : {wide}
  affine.for %i = 0 to %m {{
    affine.for %j = 0 to %n {{
      %sum = affine.for %l = 0 to %k iter_args(%old = %zero) -> {wide} {{
        %x = affine.load %a[{'%l, %i' if ta else '%i, %l'}] : {whole}
        %y = affine.load %b[{'%j, %l' if tb else '%l, %j'}] : {whole}
        %xw = arith.{widen} %x : {element} to {wide}
        %yw = arith.{widen} %y : {element} to {wide}
        %p = arith.{multiply} %xw, %yw : {wide}
        %next = arith.{add} %old, %p : {wide}
        affine.yield %next : {wide}
      }}{narrow}
      affine.store {result}, %c[%i, %j] : {whole_c}
    }}
  }}
  return
}}"""


block = [int(extent) for extent in sys.argv[1].split(",")]
for element, *orders in (choice.split(":") for choice in sys.argv[2].split(",")):
    for order in orders or ("nn", "nt", "tn", "tt"):
        print(product(element, order[0] == "t", order[1] == "t", *block, sys.argv[3:]))
