// REQUIRES: tile-run
// RUN: tile-run --target=ascend %s | FileCheck %s

// Signs of numbers, zeros and infinities among them, and of a scalar, on rows that no vector divides.

// CHECK-NOT: FAIL
// CHECK: {{^}}1 passed, 0 failed

!tile = memref<3x33xf32, #tile.shared>
!matrix = memref<3x33xf32>
func.func @signs(%x: !matrix, %y: !matrix, %r: !matrix {tile.result}, %s: !matrix {tile.result})
    attributes {tile.reference = @signs_reference} {
  %minus = arith.constant -0.0 : f32
  %infinity = arith.constant 0xFF800000 : f32
  tile.kernel (%b) in (1) {
    %p = tile.alloc : !tile
    %q = tile.alloc : !tile
    %c = tile.alloc : !tile
    tile.copy %x, %p : !matrix, !tile
    tile.copy %y, %q : !matrix, !tile
    tile.parallel (%i, %j) in (3, 33) {
      %u = memref.load %p[%i, %j] : !tile
      %v = memref.load %q[%i, %j] : !tile
      %zero = arith.mulf %v, %minus : f32
      %big = arith.divf %v, %zero : f32
      %a = math.copysign %u, %v : f32
      %d = math.copysign %a, %zero : f32
      memref.store %d, %c[%i, %j] : !tile
      %e = math.copysign %u, %minus : f32
      %f = math.copysign %e, %big : f32
      memref.store %f, %p[%i, %j] : !tile
    }
    tile.copy %c, %r : !tile, !matrix
    tile.copy %p, %s : !tile, !matrix
  }
  return
}

func.func @signs_reference(%x: !matrix, %y: !matrix, %r: !matrix, %s: !matrix) {
  %minus = arith.constant -1.0 : f32
  affine.for %i = 0 to 3 {
    affine.for %j = 0 to 33 {
      %u = affine.load %x[%i, %j] : !matrix
      %v = affine.load %y[%i, %j] : !matrix
      %w = arith.mulf %v, %minus : f32
      %a = math.copysign %u, %w : f32
      affine.store %a, %r[%i, %j] : !matrix
      %m = math.absf %u : f32
      %n = arith.mulf %m, %minus : f32
      affine.store %n, %s[%i, %j] : !matrix
    }
  }
  return
}
