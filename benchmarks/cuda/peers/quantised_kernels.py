#!/usr/bin/env python3
"""Writes C = A * W^T with bf16 activations A (MxK) and weights W (NxK) of 4 bits, which are packed two to a byte along K
and have one f32 scale for each 128 of a row: plain tile, nothing in it is meant for one chip.

    quantised_kernels.py TYPE M N K ROWS COLUMNS THREADS SPLIT STAGES [FAMILY [SPACE [dynamic|GROUPS|GROUPSt [UNROLL]]]]

TYPE is i4 or f4E2M1FN. The weights are the rows of the product, so that few activations are a narrow tile: a block has ROWS
weights' rows and COLUMNS activations' rows. SPLIT blocks share K; a second kernel adds their sums. SPACE is where converted
weights lie, `fragment` or `shared`, and the sums of each 128 of K are scaled; with `scaled` they lie in a fragment and are
scaled there, in bf16; with `packed` so are codes in the order in which the lanes of an instruction take them, and with `tiles`
what a copy brings of these lies in one piece, group by group of 128 of K. With `dynamic`, M, N and K are unknown to the compiler. An
iteration has GROUPS parts of 128 of K, whose codes one copy brings together with GROUPSt; scaled ones for `mma` are added to two
sums in turns. UNROLL iterations become one.
"""
import sys


DYNAMIC_SIZES = """  %m = memref.dim %a, %c0 : !a
  %n = memref.dim %q, %c0 : !q
  %k = memref.dim %a, %c1 : !a
  %steps = affine.apply affine_map<(k) -> (k ceildiv {share})>(%k)
  %down = affine.apply affine_map<(m) -> (m ceildiv {columns})>(%m)
  %across = affine.apply affine_map<(n) -> (n ceildiv {rows})>(%n)
  %parts_across = affine.apply affine_map<(n) -> (n ceildiv 512)>(%n)
"""
DYNAMIC_GROUP = """%first = arith.muli %z, %steps : index
      %g{g} = arith.addi %first, %t : index"""
DYNAMIC_FITS = """%fits_m = arith.cmpi slt, %row, %m : index
      %fits_n = arith.cmpi slt, %column, %n : index
      %inside = arith.andi %fits_m, %fits_n : i1"""
SCALE_SUMS = """tile.gemm %w{g}, %as{g}, %part{g}{prefer} {{clear, transpose_b}} : !w_tile, !a_tile, !acc
      tile.parallel (%i, %j) in ({rows}, {columns}) {{
        %p = memref.load %part{g}[%i, %j] : !acc
        %before = memref.load %sum[%i, %j] : !acc
        %scale = memref.load %ss{g}[%i] : !s_tile
        %next = math.fma %p, %scale, %before : f32
        memref.store %next, %sum[%i, %j] : !acc
      }}"""
SCALE_WEIGHTS = """tile.parallel (%i, %j) in ({rows}, 128) {{
        %v = memref.load %w{g}[%i, %j] : !w_tile
        %scale = memref.load %ss{g}[%i] : !s_tile
        %narrow = arith.truncf %scale : f32 to bf16
        %next = arith.mulf %v, %narrow fastmath<reassoc> : bf16
        memref.store %next, %w{g}[%i, %j] : !w_tile
      }}
      tile.gemm %w{g}, %as{g}, %{sum}{prefer} {{transpose_b}} : !w_tile, !a_tile, !acc"""
# Column k of 128 lies at this place: 32 of each of four lanes, and of a word the pairs half a word apart.
PACKED = "j mod 8 floordiv 2 * 32 + j floordiv 32 * 8 + j mod 2 * 4 + j mod 32 floordiv 8"
CONVERT = """tile.copy %codes{g}{at}, %w{g} : !codes, !w_tile"""
CONVERT_PACKED = """tile.parallel (%i, %j) in ({rows}, 128) {{
        %place = affine.apply affine_map<(j) -> ({packed} + {first})>(%j)
        %row = affine.apply affine_map<(i) -> (i + {first_row})>(%i)
        %code = memref.load %codes{g}[%row, %place] : !codes
        %v = arith.{cast} %code : {type} to bf16
        memref.store %v, %w{g}[%i, %j] : !w_tile
      }}"""
ADD_SUMS = """    tile.parallel (%i, %j) in ({rows}, {columns}) {{
      %e = memref.load %sum[%i, %j] : !acc
      %o = memref.load %odd[%i, %j] : !acc
      %both = arith.addf %e, %o : f32
      memref.store %both, %sum[%i, %j] : !acc
    }}
"""


def product(type, m, n, k, rows, columns, threads, split, stages, family="mma", space="fragment", mode="", unroll=1):
    if n % rows and mode != "dynamic":
        sys.exit(f"expected ROWS to divide N = {n}, got {rows}")
    is_tiled = space == "tiles"
    together, mode = mode.endswith("t"), mode.rstrip("t")
    groups_at_once = int(mode) if mode.isdigit() else 1
    in_copy = groups_at_once if together else 1
    steps = -(-k // (128 * split * groups_at_once))
    if is_tiled and (mode == "dynamic" or rows * in_copy % 4 or k % (128 * split * groups_at_once)):
        sys.exit(f"expected tiles of multiples of 4 rows and 128 * SPLIT * GROUPS to divide K = {k}, which is known")
    down, across, parts, packed, groups = -(-m // columns), n // rows, -(-n // 512), k // 2, k // 128
    n_groups = groups
    rows_of_c, shapes, extents = m, ["", "", "", ""], ""
    sizes = f"""  %m = arith.constant {m} : index
"""
    group = "%%g{g} = affine.apply affine_map<(t)[z] -> ((t + z * %d) * %d + {g})>(%%t)[%%z]" % (steps, groups_at_once)
    fits = "%inside = arith.cmpi slt, %row, %m : index"
    if mode == "dynamic":
        sizes, fits = DYNAMIC_SIZES.format(share=128 * split, rows=rows, columns=columns), DYNAMIC_FITS
        down, across, parts, steps, rows_of_c, group = "%down", "%across", "%parts_across", "%steps", "%m", DYNAMIC_GROUP
        m = n = k = packed = groups = "?"
        extents = "(%m, %n) "
        shapes = [f'tile.shape = "{shape}"' for shape in ("MxK", "NxH", "GxN", "MxN")]
    prefer = f" prefer({family})" if family != "any" else ""
    is_packed, scaled = space in ("packed", "tiles"), space in ("scaled", "packed", "tiles")
    space = "fragment" if scaled else space
    convert, cast = CONVERT_PACKED if is_packed else CONVERT, "sitofp" if type == "i4" else "extf"
    compute = SCALE_WEIGHTS if scaled else SCALE_SUMS
    two_sums = scaled and family == "mma" and groups_at_once > 1
    odd = "    %odd = tile.alloc : !acc\n    tile.fill %odd, %zero : !acc\n" if two_sums else ""
    tiles = "".join(f"""    %as{g} = tile.alloc : !a_tile
{f"    %qs{g} = tile.alloc : !q_tile" if g % in_copy == 0 else ""}
    %ss{g} = tile.alloc : !s_tile
    %w{g} = tile.alloc : !w_tile
{"" if scaled else f"    %part{g} = tile.alloc : !acc"}
""" for g in range(groups_at_once))


    def copy_codes(g):
        if not is_tiled:
            return f"      tile.copy %q[%x * {rows}, %g{g} * 64], %qs{g} : !q, !q_tile"
        return f"""      %at{g} = affine.apply affine_map<(g)[x] -> (x * {n_groups * rows // 4} + g * {rows // 4})>(%g{g})[%x]
      tile.copy %q[%at{g}, 0], %qs{g} : !q, !q_tile"""

    copies = "".join(f"""      {group.format(g=g)}
      tile.copy %a[%y * {columns}, %g{g} * 128], %as{g} : !a, !a_tile
{copy_codes(g) if g % in_copy == 0 else ""}
      tile.copy %scales[%g{g}, %x * {rows}], %ss{g} : !scales, !s_tile
""" for g in range(groups_at_once))
    products = "".join(f"""      %codes{g} = tile.view %qs{g // in_copy * in_copy} : !q_tile to !codes
      {convert.format(g=g, at=f"[0, {g * 128}]" if together else "", rows=rows, packed=PACKED, cast=cast, type=type,
                      first=g * 128 if together and not is_tiled else 0, first_row=g * rows if together and is_tiled else 0)}
      {compute.format(g=g, prefer=prefer, rows=rows, columns=columns, sum='odd' if two_sums and g % 2 else 'sum')}
""" for g in range(groups_at_once))
    q_shape, q_tile, codes = f"{n}x{packed}", f"{rows}x{64 * in_copy}", f"{rows}x{128 * in_copy}"
    if is_tiled:
        q_shape, q_tile, codes = f"{n * k // 512}x256", f"{rows * in_copy // 4}x256", f"{rows * in_copy}x128"
    choice = f" attributes {{tile.unroll = {unroll}}}" if unroll > 1 else ""
    return f"""!a = memref<{m}x{k}xbf16>
!q = memref<{q_shape}xi8>
!scales = memref<{groups}x{n}xf32>
!parts = memref<{split}x{m}x{n}xf32>
!c = memref<{m}x{n}xbf16>
!a_tile = memref<{columns}x128xbf16, #tile.shared>
!q_tile = memref<{q_tile}xi8, #tile.shared>
!codes = memref<{codes}x{type}, #tile.shared>
!w_tile = memref<{rows}x128xbf16, #tile.{space}>
!s_tile = memref<{rows}xf32, #tile.shared>
!acc = memref<{rows}x{columns}xf32, #tile.fragment>
!all = memref<{split}x1x512xf32, #tile.fragment>
!row = memref<1x512xf32, #tile.fragment>
func.func @product(%a: !a {{{shapes[0]}}}, %q: !q {{{shapes[1]}}}, %scales: !scales {{{shapes[2]}}},
                   %c: !c {{{shapes[3] and shapes[3] + ", "}tile.result}}) {{
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
{sizes}  %parts = tile.alloc {extents}: !parts
  tile.kernel (%y, %x, %z) in ({down}, {across}, {split}) threads({threads}) {{
{tiles}    %sum = tile.alloc : !acc
    tile.fill %sum, %zero : !acc
{odd}    tile.pipelined %t = 0 to {steps} stages({stages}){choice} {{
{copies}{products}    }}
{ADD_SUMS.format(rows=rows, columns=columns) if two_sums else ""}    tile.parallel (%i, %j) in ({rows}, {columns}) {{
      %row = affine.apply affine_map<(j)[y] -> (y * {columns} + j)>(%j)[%y]
      %column = affine.apply affine_map<(i)[x] -> (x * {rows} + i)>(%i)[%x]
      %v = memref.load %sum[%i, %j] : !acc
      {fits}
      scf.if %inside {{
        memref.store %v, %parts[%z, %row, %column] : !parts
      }}
    }}
  }}
  tile.kernel (%x, %y) in ({parts}, {rows_of_c}) threads(128) {{
    %all = tile.alloc : !all
    %sum = tile.alloc : !row
    tile.copy %parts[0, %y, %x * 512], %all : !parts, !all
    tile.reduce sum %all, %sum dim(0) : !all, !row
    tile.copy %sum, %c[%y, %x * 512] : !row, !c
  }}
  return
}}"""


if __name__ == "__main__":
    print(product(sys.argv[1], *map(int, sys.argv[2:10]), *sys.argv[10:13], *map(int, sys.argv[13:])))
