// REQUIRES: tile-run
// RUN: sed -e 's/TYPE/f32/g; s/INIT/normal/g' %s > %t.f32.mlir
// RUN: tile-run --target=ascend %t.f32.mlir | FileCheck %s
// RUN: sed -e 's/TYPE/f16/g; s/INIT/normal/g' %s > %t.f16.mlir
// RUN: tile-run --target=ascend %t.f16.mlir | FileCheck %s
// RUN: sed -e 's/TYPE/bf16/g; s/INIT/normal/g' %s > %t.bf16.mlir
// RUN: tile-run --target=ascend %t.bf16.mlir | FileCheck %s
// RUN: sed -e 's/TYPE/i32/g; s/INIT/integers(-2147483648,2147483647)/g' %s > %t.i32.mlir
// RUN: tile-run --target=ascend %t.i32.mlir | FileCheck %s
// RUN: sed -e 's/TYPE/i8/g; s/INIT/integers(-128,127)/g' %s > %t.i8.mlir
// RUN: tile-run --target=ascend %t.i8.mlir | FileCheck %s

// Elements of tiles that no row and no column holds, on the Ascend model: strides, offsets that are not aligned, quotients and
// remainders, reversed and transposed accesses, one column, one element; and elements of global buffers at a stride. Nothing
// is computed, so that everything is exact.

// CHECK-NOT: FAIL
// CHECK: {{^}}13 passed, 0 failed

!matrix = memref<?x?xTYPE>
!tile = memref<12x40xTYPE, #tile.shared>
!wide = memref<12x80xTYPE, #tile.shared>
!tall = memref<40x12xTYPE, #tile.shared>

// Even columns from the first half, odd columns from the second half backwards.
func.func @interleave(%x: !matrix {tile.shape = "MxN", tile.init = "INIT"}, %y: !matrix {tile.shape = "MxN", tile.result})
    attributes {tile.reference = @interleave_reference, tile.atol = 0.0, tile.rtol = 0.0,
                tile.cases = ["M=12 N=80", "M=25 N=80", "M=1 N=80"]} {
  %c0 = arith.constant 0 : index
  %m = memref.dim %x, %c0 : !matrix
  %blocks = affine.apply affine_map<(m) -> (m ceildiv 12)>(%m)
  tile.kernel (%b) in (%blocks) {
    %xs = tile.alloc : !wide
    %ys = tile.alloc : !wide
    tile.copy %x[%b * 12, 0], %xs : !matrix, !wide
    tile.parallel (%i, %j) in (12, 40) {
      %even = affine.apply affine_map<(j) -> (j * 2)>(%j)
      %odd = affine.apply affine_map<(j) -> (j * 2 + 1)>(%j)
      %back = affine.apply affine_map<(j) -> (79 - j)>(%j)
      %u = memref.load %xs[%i, %j] : !wide
      %v = memref.load %xs[%i, %back] : !wide
      memref.store %u, %ys[%i, %even] : !wide
      memref.store %v, %ys[%i, %odd] : !wide
    }
    tile.copy %ys, %y[%b * 12, 0] : !wide, !matrix
  }
  return
}

func.func @interleave_reference(%x: !matrix, %y: !matrix) {
  %c0 = arith.constant 0 : index
  %m = memref.dim %x, %c0 : !matrix
  affine.for %i = 0 to %m {
    affine.for %j = 0 to 40 {
      %u = affine.load %x[%i, %j] : !matrix
      %v = affine.load %x[%i, 79 - %j] : !matrix
      affine.store %u, %y[%i, 2 * %j] : !matrix
      affine.store %v, %y[%i, 2 * %j + 1] : !matrix
    }
  }
  return
}

// A function of the column, the first element of a row, and an element for all.
func.func @quotient(%x: !matrix {tile.shape = "MxN", tile.init = "INIT"}, %y: !matrix {tile.shape = "MxN", tile.result})
    attributes {tile.reference = @quotient_reference, tile.atol = 0.0, tile.rtol = 0.0,
                tile.cases = ["M=12 N=40", "M=36 N=40"]} {
  %c0 = arith.constant 0 : index
  %m = memref.dim %x, %c0 : !matrix
  %blocks = affine.apply affine_map<(m) -> (m ceildiv 12)>(%m)
  tile.kernel (%b) in (%blocks) {
    %xs = tile.alloc : !tile
    %ys = tile.alloc : !tile
    tile.copy %x[%b * 12, 0], %xs : !matrix, !tile
    tile.parallel (%i, %j) in (12, 40) {
      %third = affine.apply affine_map<(j) -> ((j floordiv 3) + 2)>(%j)
      %u = memref.load %xs[%i, %third] : !tile
      memref.store %u, %ys[%i, %j] : !tile
    }
    tile.copy %ys, %y[%b * 12, 0] : !tile, !matrix
  }
  return
}

func.func @quotient_reference(%x: !matrix, %y: !matrix) {
  %c0 = arith.constant 0 : index
  %m = memref.dim %x, %c0 : !matrix
  affine.for %i = 0 to %m {
    affine.for %j = 0 to 40 {
      %u = affine.load %x[%i, %j floordiv 3 + 2] : !matrix
      affine.store %u, %y[%i, %j] : !matrix
    }
  }
  return
}

// Rows by columns, from a place that the kernel knows as it runs.
func.func @turn(%x: !matrix {tile.shape = "MxN", tile.init = "INIT"}, %y: !matrix {tile.shape = "MxN", tile.result})
    attributes {tile.reference = @turn_reference, tile.atol = 0.0, tile.rtol = 0.0,
                tile.cases = ["M=12 N=40", "M=36 N=40"]} {
  %c0 = arith.constant 0 : index
  %m = memref.dim %x, %c0 : !matrix
  %blocks = affine.apply affine_map<(m) -> (m ceildiv 12)>(%m)
  tile.kernel (%b) in (%blocks) {
    %xs = tile.alloc : !tile
    %ys = tile.alloc : !tile
    tile.copy %x[%b * 12, 0], %xs : !matrix, !tile
    tile.parallel (%i, %j) in (12, 40) {
      %rest = affine.apply affine_map<(j) -> (j mod 12)>(%j)
      %shifted = affine.apply affine_map<(i, b) -> (i + b * 3 + 1)>(%i, %b)
      %v = memref.load %xs[%rest, %shifted] : !tile
      memref.store %v, %ys[%i, %j] : !tile
    }
    tile.copy %ys, %y[%b * 12, 0] : !tile, !matrix
  }
  return
}

func.func @turn_reference(%x: !matrix, %y: !matrix) {
  %c0 = arith.constant 0 : index
  %m = memref.dim %x, %c0 : !matrix
  affine.for %i = 0 to %m {
    affine.for %j = 0 to 40 {
      %v = affine.load %x[(%i floordiv 12) * 12 + %j mod 12, %i mod 12 + (%i floordiv 12) * 3 + 1] : !matrix
      affine.store %v, %y[%i, %j] : !matrix
    }
  }
  return
}

// No sum of a part for the row and one for the column: element by element. Where columns are written by others, too.
func.func @scalar(%x: !matrix {tile.shape = "MxN", tile.init = "INIT"}, %y: !matrix {tile.shape = "MxN", tile.result})
    attributes {tile.reference = @scalar_reference, tile.atol = 0.0, tile.rtol = 0.0,
                tile.cases = ["M=12 N=40", "M=36 N=40"]} {
  %c0 = arith.constant 0 : index
  %m = memref.dim %x, %c0 : !matrix
  %blocks = affine.apply affine_map<(m) -> (m ceildiv 12)>(%m)
  tile.kernel (%b) in (%blocks) {
    %xs = tile.alloc : !tile
    %ys = tile.alloc : !tile
    tile.copy %x[%b * 12, 0], %xs : !matrix, !tile
    tile.parallel (%i, %j) in (12, 40) {
      %mixed = affine.apply affine_map<(i, j) -> ((i * 3 + j) floordiv 2)>(%i, %j)
      %row = affine.apply affine_map<(i) -> (11 - i)>(%i)
      %to = affine.apply affine_map<(i, j) -> ((i + j) mod 40)>(%i, %j)
      %v = memref.load %xs[%row, %mixed] : !tile
      memref.store %v, %ys[%i, %to] : !tile
    }
    tile.copy %ys, %y[%b * 12, 0] : !tile, !matrix
  }
  return
}

func.func @scalar_reference(%x: !matrix, %y: !matrix) {
  %c0 = arith.constant 0 : index
  %m = memref.dim %x, %c0 : !matrix
  affine.for %i = 0 to %m {
    affine.for %j = 0 to 40 {
      %v = affine.load %x[(%i floordiv 12) * 12 + 11 - %i mod 12, ((%i mod 12) * 3 + %j) floordiv 2] : !matrix
      affine.store %v, %y[%i, (%i mod 12 + %j) mod 40] : !matrix
    }
  }
  return
}

// y[i, j] = x[j, i] of global buffers, x[i, 3] of a tile, and x[0, 2 j] of a global buffer, one after the other.
func.func @transposed(%x: !matrix {tile.shape = "NxM", tile.init = "INIT"}, %y: !matrix {tile.shape = "MxN", tile.result})
    attributes {tile.reference = @transposed_reference, tile.atol = 0.0, tile.rtol = 0.0,
                tile.cases = ["M=12 N=40", "M=13 N=9"]} {
  %c0 = arith.constant 0 : index
  %m = memref.dim %y, %c0 : !matrix
  %blocks = affine.apply affine_map<(m) -> (m ceildiv 12)>(%m)
  tile.kernel (%b) in (%blocks) {
    %xs = tile.alloc : !tall
    tile.copy %x[0, %b * 12], %xs : !matrix, !tall
    tile.parallel (%i, %j) in (12, 40) {
      %row = affine.apply affine_map<(i, b) -> (i + b * 12)>(%i, %b)
      %v = memref.load %xs[%j, %i] : !tall
      memref.store %v, %y[%row, %j] : !matrix
    }
  }
  return
}

func.func @transposed_reference(%x: !matrix, %y: !matrix) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %y, %c0 : !matrix
  %n = memref.dim %y, %c1 : !matrix
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      %v = affine.load %x[%j, %i] : !matrix
      affine.store %v, %y[%i, %j] : !matrix
    }
  }
  return
}

// One column, one element, and a stride of a global buffer: y[i, j] = x[i, 3] for even j, x[0, 0] or x[i, 2 j] for odd j.
func.func @places(%x: !matrix {tile.shape = "MxN", tile.init = "INIT"}, %y: !matrix {tile.shape = "MxN", tile.result})
    attributes {tile.reference = @places_reference, tile.atol = 0.0, tile.rtol = 0.0,
                tile.cases = ["M=12 N=40", "M=14 N=40"]} {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %m = memref.dim %x, %c0 : !matrix
  %blocks = affine.apply affine_map<(m) -> (m ceildiv 12)>(%m)
  tile.kernel (%b) in (%blocks) {
    %xs = tile.alloc : !tile
    %ys = tile.alloc : !tile
    tile.copy %x[%b * 12, 0], %xs : !matrix, !tile
    tile.parallel (%i, %j) in (12, 10) {
      %at = affine.apply affine_map<(i, j) -> (j * 4)>(%i, %j)
      %next = affine.apply affine_map<(j) -> (j * 4 + 1)>(%j)
      %third = affine.apply affine_map<(j) -> (j * 4 + 2)>(%j)
      %last = affine.apply affine_map<(j) -> (j * 4 + 3)>(%j)
      %row = affine.apply affine_map<(i, b) -> (i + b * 12)>(%i, %b)
      %twice = affine.apply affine_map<(j) -> (j * 2)>(%j)
      %u = memref.load %xs[%i, %c3] : !tile
      %v = memref.load %xs[%c0, %c0] : !tile
      %w = memref.load %x[%row, %twice] : !matrix
      %t = memref.load %x[%c0, %c3] : !matrix
      memref.store %u, %ys[%i, %at] : !tile
      memref.store %v, %ys[%i, %next] : !tile
      memref.store %w, %ys[%i, %third] : !tile
      memref.store %t, %ys[%i, %last] : !tile
    }
    tile.copy %ys, %y[%b * 12, 0] : !tile, !matrix
  }
  return
}

func.func @places_reference(%x: !matrix, %y: !matrix) {
  %c0 = arith.constant 0 : index
  %m = memref.dim %x, %c0 : !matrix
  affine.for %i = 0 to %m {
    affine.for %j = 0 to 10 {
      %u = affine.load %x[%i, 3] : !matrix
      %v = affine.load %x[(%i floordiv 12) * 12, 0] : !matrix
      %w = affine.load %x[%i, 2 * %j] : !matrix
      %t = affine.load %x[0, 3] : !matrix
      affine.store %u, %y[%i, 4 * %j] : !matrix
      affine.store %v, %y[%i, 4 * %j + 1] : !matrix
      affine.store %w, %y[%i, 4 * %j + 2] : !matrix
      affine.store %t, %y[%i, 4 * %j + 3] : !matrix
    }
  }
  return
}
