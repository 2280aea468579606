// REQUIRES: tile-run
// RUN: tile-run --target=ascend %s | FileCheck %s

// Copies of tiles of three and four dimensions, with tails in each of them, and of buffers whose last extents are 1.

// CHECK-NOT: FAIL
// CHECK: {{^}}6 passed, 0 failed

!deep = memref<?x?x?xf32>
!tile = memref<3x5x20xf32, #tile.shared>
func.func @deep(%x: !deep {tile.shape = "AxBxC"}, %y: !deep {tile.shape = "AxBxC", tile.result})
    attributes {tile.reference = @deep_reference, tile.cases = ["A=3 B=5 C=20", "A=7 B=6 C=41", "A=1 B=1 C=1"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %a = memref.dim %x, %c0 : !deep
  %b = memref.dim %x, %c1 : !deep
  %c = memref.dim %x, %c2 : !deep
  %na = affine.apply affine_map<(n) -> (n ceildiv 3)>(%a)
  %nb = affine.apply affine_map<(n) -> (n ceildiv 5)>(%b)
  %nc = affine.apply affine_map<(n) -> (n ceildiv 20)>(%c)
  tile.kernel (%i, %j, %k) in (%nc, %nb, %na) {
    %t = tile.alloc : !tile
    tile.copy %x[%k * 3, %j * 5, %i * 20], %t : !deep, !tile
    tile.parallel (%p, %q, %r) in (3, 5, 20) {
      %v = memref.load %t[%p, %q, %r] : !tile
      %w = arith.addf %v, %v : f32
      memref.store %w, %t[%p, %q, %r] : !tile
    }
    tile.copy %t, %y[%k * 3, %j * 5, %i * 20] : !tile, !deep
  }
  return
}
func.func @deep_reference(%x: !deep, %y: !deep) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %a = memref.dim %x, %c0 : !deep
  %b = memref.dim %x, %c1 : !deep
  %c = memref.dim %x, %c2 : !deep
  affine.for %i = 0 to %a {
    affine.for %j = 0 to %b {
      affine.for %k = 0 to %c {
        %v = affine.load %x[%i, %j, %k] : !deep
        %w = arith.addf %v, %v : f32
        affine.store %w, %y[%i, %j, %k] : !deep
      }
    }
  }
  return
}

// Tiles of half precision from floats, of four dimensions.
func.func @four(%x: memref<2x3x4x9xf32>, %y: memref<2x3x4x9xf16> {tile.result})
    attributes {tile.reference = @four_reference} {
  tile.kernel (%b) in (1) {
    %t = tile.alloc : memref<2x3x4x9xf16, #tile.shared>
    tile.copy %x, %t : memref<2x3x4x9xf32>, memref<2x3x4x9xf16, #tile.shared>
    tile.copy %t, %y : memref<2x3x4x9xf16, #tile.shared>, memref<2x3x4x9xf16>
  }
  return
}
func.func @four_reference(%x: memref<2x3x4x9xf32>, %y: memref<2x3x4x9xf16>) {
  affine.for %i = 0 to 2 {
    affine.for %j = 0 to 3 {
      affine.for %k = 0 to 4 {
        affine.for %l = 0 to 9 {
          %v = affine.load %x[%i, %j, %k, %l] : memref<2x3x4x9xf32>
          %w = arith.truncf %v : f32 to f16
          affine.store %w, %y[%i, %j, %k, %l] : memref<2x3x4x9xf16>
        }
      }
    }
  }
  return
}

// Sums of all blocks, added to what is there.
func.func @add(%x: memref<2x3x10xf32>, %y: memref<2x3x10xf32> {tile.result})
    attributes {tile.reference = @add_reference} {
  %zero = arith.constant 0.0 : f32
  tile.kernel (%b) in (1) {
    %z = tile.alloc : memref<2x3x10xf32, #tile.shared>
    tile.fill %z, %zero : memref<2x3x10xf32, #tile.shared>
    tile.copy %z, %y : memref<2x3x10xf32, #tile.shared>, memref<2x3x10xf32>
  }
  tile.kernel (%b) in (3) {
    %t = tile.alloc : memref<2x3x10xf32, #tile.shared>
    tile.copy %x, %t : memref<2x3x10xf32>, memref<2x3x10xf32, #tile.shared>
    tile.atomic add %t, %y[0, 0, 0] : memref<2x3x10xf32, #tile.shared>, memref<2x3x10xf32>
  }
  return
}
func.func @add_reference(%x: memref<2x3x10xf32>, %y: memref<2x3x10xf32>) {
  %three = arith.constant 3.0 : f32
  affine.for %i = 0 to 2 {
    affine.for %j = 0 to 3 {
      affine.for %k = 0 to 10 {
        %v = affine.load %x[%i, %j, %k] : memref<2x3x10xf32>
        %w = arith.mulf %v, %three : f32
        affine.store %w, %y[%i, %j, %k] : memref<2x3x10xf32>
      }
    }
  }
  return
}

func.func @units(%x: memref<7x1xf32>, %y: memref<7x1xf32> {tile.result}, %z: memref<4x9x1x1xf16>,
                 %w: memref<4x9x1x1xf16> {tile.result})
    attributes {tile.reference = @units_reference} {
  tile.kernel (%b) in (1) {
    %t = tile.alloc : memref<7x1xf32, #tile.shared>
    %s = tile.alloc : memref<4x9x1x1xf16, #tile.shared>
    tile.copy %x, %t : memref<7x1xf32>, memref<7x1xf32, #tile.shared>
    tile.copy %t, %y : memref<7x1xf32, #tile.shared>, memref<7x1xf32>
    tile.copy %z, %s : memref<4x9x1x1xf16>, memref<4x9x1x1xf16, #tile.shared>
    tile.copy %s, %w : memref<4x9x1x1xf16, #tile.shared>, memref<4x9x1x1xf16>
  }
  return
}
func.func @units_reference(%x: memref<7x1xf32>, %y: memref<7x1xf32>, %z: memref<4x9x1x1xf16>,
                           %w: memref<4x9x1x1xf16>) {
  memref.copy %x, %y : memref<7x1xf32> to memref<7x1xf32>
  memref.copy %z, %w : memref<4x9x1x1xf16> to memref<4x9x1x1xf16>
  return
}
