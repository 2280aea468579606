"""Sources that the tests compile."""

ADD = """
func.func @add(%x: memref<?xf32> {tile.shape = "N"}, %y: memref<?xf32> {tile.shape = "N"},
               %z: memref<?xf32> {tile.shape = "N"}) {
  tile.kernel (%b) in (ceildiv(dim(%x, 0), 64)) threads(64) {
    tile.parallel (%i) in (64) do %z[%b * 64 + %i] = %x[%b * 64 + %i] + %y[%b * 64 + %i]
  }
  return
}
"""

# Each sum of two neighbours, of which the last one may be alone.
PAIRS = """
func.func @pairs(%x: memref<?xf32> {tile.shape = "N"}, %y: memref<?xf32> {tile.shape = "ceildiv(N, 2)"}) {
  tile.kernel (%b) in (ceildiv(dim(%y, 0), 64)) threads(64) {
    tile.parallel (%i) in (64) do %y[%b * 64 + %i] = %x[%b * 128 + %i * 2] + %x[%b * 128 + %i * 2 + 1]
  }
  return
}
"""

# A scalar of each kind goes into a buffer.
SCALARS = """
func.func @scalars(%h: f16, %f: f32, %d: f64, %b: i1, %c: i8, %s: i16, %i: i32, %l: i64,
                   %floats: memref<3xf64>, %integers: memref<5xi64>) {
  tile.kernel (%k) in (1) threads(32) {
    %h1 = arith.extf %h : f16 to f64
    %f1 = arith.extf %f : f32 to f64
    %b1 = arith.extui %b : i1 to i64
    %c1 = arith.extsi %c : i8 to i64
    %s1 = arith.extsi %s : i16 to i64
    %i1 = arith.extsi %i : i32 to i64
    tile.parallel (%n) in (1) {
      %c0 = arith.constant 0 : index
      %one = arith.constant 1 : index
      %two = arith.constant 2 : index
      %three = arith.constant 3 : index
      %four = arith.constant 4 : index
      memref.store %h1, %floats[%c0] : memref<3xf64>
      memref.store %f1, %floats[%one] : memref<3xf64>
      memref.store %d, %floats[%two] : memref<3xf64>
      memref.store %b1, %integers[%c0] : memref<5xi64>
      memref.store %c1, %integers[%one] : memref<5xi64>
      memref.store %s1, %integers[%two] : memref<5xi64>
      memref.store %i1, %integers[%three] : memref<5xi64>
      memref.store %l, %integers[%four] : memref<5xi64>
    }
  }
  return
}
"""

# Two kernels, of which the second reads what the first has written.
TWICE = """
func.func @twice(%x: memref<?xf32> {tile.shape = "N"}, %y: memref<?xf32> {tile.shape = "N"}) {
  tile.kernel (%b) in (ceildiv(dim(%x, 0), 64)) threads(64) {
    tile.parallel (%i) in (64) do %y[%b * 64 + %i] = %x[%b * 64 + %i] + %x[%b * 64 + %i]
  }
  tile.kernel (%b) in (ceildiv(dim(%x, 0), 64)) threads(64) {
    tile.parallel (%i) in (64) do %y[%b * 64 + %i] = %y[%b * 64 + %i] + 1.0
  }
  return
}
"""


def copy(dtype, rows=3, columns=8):
    """A copy of a matrix of a type."""
    memref = f"memref<{rows}x{columns}x{dtype}>"
    return f"""
func.func @copy(%x: {memref}, %y: {memref}) {{
  tile.kernel (%k) in (1) threads(32) {{
    %t = tile.alloc : memref<{rows}x{columns}x{dtype}, #tile.shared>
    tile.copy %x, %t
    tile.copy %t, %y
  }}
  return
}}
"""
