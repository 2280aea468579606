// Parts of buffers whose dimension is divided by dynamic extents, and casts of parts: an offset is one in the memory.

// REQUIRES: tile-run, nvidia, amd, ascend
// RUN: tile-run %s | FileCheck %s
// RUN: tile-run %s --target=cuda --chip=sm_90a --device=model | FileCheck %s
// RUN: tile-run %s --target=hip --chip=gfx942 --device=model | FileCheck %s
// CHECK: {{^}}7 passed, 0 failed{{$}}

!d = memref<?x?xf32>
!o = memref<?xf32>
func.func @part(%x: !o {tile.shape = "H"}, %y: !d {tile.shape = "MxN", tile.result})
    attributes {tile.reference = @part_reference, tile.atol = 0.0, tile.rtol = 0.0, tile.cases = ["M=5 N=7 H=70", "M=0 N=7 H=0","M=40 N=3 H=240"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %y, %c0 : !d
  %n = memref.dim %y, %c1 : !d
  %mn = arith.muli %m, %n : index
  %s = memref.subview %x[%mn] [%mn] [1] : !o to memref<?xf32, strided<[1], offset: ?>>
  %e = memref.expand_shape %s [[0, 1]] output_shape [%m, %n] : memref<?xf32, strided<[1], offset: ?>> into memref<?x?xf32, strided<[?, 1], offset: ?>>
  tile.kernel (%i, %j) in (ceildiv(%n, 32), ceildiv(%m, 8)) threads(64) {
    %t = tile.alloc : memref<8x32xf32, #tile.shared>
    tile.copy %e[%j * 8, %i * 32], %t
    tile.copy %t, %y[%j * 8, %i * 32]
  }
  return
}
func.func @part_reference(%x: !o, %y: !d) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %y, %c0 : !d
  %n = memref.dim %y, %c1 : !d
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      %k = affine.apply affine_map<(i, j)[n, m] -> (i * n + j + m * n)>(%i, %j)[%n, %m]
      %v = memref.load %x[%k] : !o
      affine.store %v, %y[%i, %j] : !d
    }
  }
  return
}

// The type knows where the part begins.
func.func @known(%x: !o {tile.shape = "H"}, %y: !d {tile.shape = "MxN", tile.result})
    attributes {tile.reference = @known_reference, tile.atol = 0.0, tile.rtol = 0.0, tile.cases = ["M=5 N=7 H=39", "M=0 N=7 H=4","M=40 N=3 H=124"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %y, %c0 : !d
  %n = memref.dim %y, %c1 : !d
  %mn = arith.muli %m, %n : index
  %s = memref.subview %x[4] [%mn] [1] : !o to memref<?xf32, strided<[1], offset: 4>>
  %e = memref.expand_shape %s [[0, 1]] output_shape [%m, %n] : memref<?xf32, strided<[1], offset: 4>> into memref<?x?xf32, strided<[?, 1], offset: 4>>
  tile.kernel (%i, %j) in (ceildiv(%n, 32), ceildiv(%m, 8)) threads(64) {
    %t = tile.alloc : memref<8x32xf32, #tile.shared>
    tile.copy %e[%j * 8, %i * 32], %t
    tile.copy %t, %y[%j * 8, %i * 32]
  }
  return
}
func.func @known_reference(%x: !o, %y: !d) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %y, %c0 : !d
  %n = memref.dim %y, %c1 : !d
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      %k = affine.apply affine_map<(i, j)[n] -> (i * n + j + 4)>(%i, %j)[%n]
      %v = memref.load %x[%k] : !o
      affine.store %v, %y[%i, %j] : !d
    }
  }
  return
}

func.func @cast(%x: !o {tile.shape = "H"}, %y: !o {tile.shape = "M", tile.result})
    attributes {tile.reference = @cast_reference, tile.atol = 0.0, tile.rtol = 0.0, tile.cases = ["M=5 H=9"]} {
  %c0 = arith.constant 0 : index
  %m = memref.dim %y, %c0 : !o
  %s = memref.subview %x[4] [%m] [1] : !o to memref<?xf32, strided<[1], offset: 4>>
  tile.kernel (%i) in (ceildiv(%m, 32)) threads(64) {
    %e = memref.reinterpret_cast %s to offset: [4], sizes: [%m], strides: [1] : memref<?xf32, strided<[1], offset: 4>> to memref<?xf32, strided<[1], offset: 4>>
    %t = tile.alloc : memref<32xf32, #tile.shared>
    tile.copy %e[%i * 32], %t
    tile.copy %t, %y[%i * 32]
  }
  return
}
func.func @cast_reference(%x: !o, %y: !o) {
  %c0 = arith.constant 0 : index
  %m = memref.dim %y, %c0 : !o
  affine.for %i = 0 to %m {
    %v = affine.load %x[%i + 4] : !o
    affine.store %v, %y[%i] : !o
  }
  return
}
