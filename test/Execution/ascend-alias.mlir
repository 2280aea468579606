// REQUIRES: tile-run
// RUN: tile-run --target=ascend --func=alias --func=loaded %s | FileCheck %s

// A value keeps what it was when the tile that it was stored to, or loaded from, is
// written again.

// CHECK: {{^}}2 passed, 0 failed

!t = memref<40xf32, #tile.shared>
func.func @alias(%a: memref<40xf32>, %b: memref<40xf32> {tile.result}, %c: memref<40xf32> {tile.result}) {
  %one = arith.constant 1.0 : f32
  tile.kernel (%x) in (1) {
    %A = tile.alloc : !t
    %T = tile.alloc : !t
    %U = tile.alloc : !t
    tile.copy %a, %A : memref<40xf32>, !t
    tile.parallel (%i) in (40) {
      %v = memref.load %A[%i] : !t
      %y = arith.addf %v, %one : f32
      memref.store %y, %T[%i] : !t
      %z = arith.mulf %y, %y : f32
      memref.store %z, %T[%i] : !t
      %u = arith.addf %y, %z : f32
      memref.store %u, %U[%i] : !t
    }
    tile.copy %T, %b : !t, memref<40xf32>
    tile.copy %U, %c : !t, memref<40xf32>
  }
  return
}
func.func @loaded(%a: memref<40xf32>, %b: memref<40xf32> {tile.result}, %c: memref<40xf32> {tile.result}) {
  %one = arith.constant 1.0 : f32
  tile.kernel (%x) in (1) {
    %A = tile.alloc : !t
    %U = tile.alloc : !t
    tile.copy %a, %A : memref<40xf32>, !t
    tile.parallel (%i) in (40) {
      %v = memref.load %A[%i] : !t
      %y = arith.addf %v, %one : f32
      memref.store %y, %A[%i] : !t
      %u = arith.addf %y, %v : f32
      memref.store %u, %U[%i] : !t
      memref.store %v, %A[%i] : !t
    }
    tile.copy %A, %b : !t, memref<40xf32>
    tile.copy %U, %c : !t, memref<40xf32>
  }
  return
}
