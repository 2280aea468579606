// RUN: tile-opt %s --ascend-plan-memory --split-input-file | FileCheck %s

!tile = memref<16x64xf32, #tile.ub>

// %x is dead when %z begins; %y lives until the end.
// CHECK-LABEL: func.func @reuse
func.func @reuse(%a: memref<16x64xf32>) {
  tile.kernel (%b) in (1) {
    // CHECK: tile.alloc {ascend.address = 0 : i64}
    // CHECK: tile.alloc {ascend.address = 4096 : i64}
    // CHECK: tile.alloc {ascend.address = 0 : i64}
    %x = tile.alloc : !tile
    %y = tile.alloc : !tile
    %z = tile.alloc : !tile
    ascend.copy_gm_to_ub %x, %a : !tile, memref<16x64xf32>
    ascend.unary exp %y, %x : !tile, !tile
    ascend.unary abs %z, %y : !tile, !tile
    ascend.binary add %y, %y, %z : !tile, !tile, !tile
    ascend.copy_ub_to_gm %a, %y : memref<16x64xf32>, !tile
  }
  return
}

// -----

!tile = memref<16x64xf32, #tile.ub>

// %x is read in the next iteration before it is written: it lives throughout the loop, and %y does not share its bytes.
// %z is written first.
// CHECK-LABEL: func.func @carried
func.func @carried(%a: memref<16x64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.kernel (%b) in (1) {
    // CHECK: tile.alloc {ascend.address = 0 : i64}
    // CHECK: tile.alloc {ascend.address = 4096 : i64}
    // CHECK: tile.alloc {ascend.address = 4096 : i64}
    %x = tile.alloc : !tile
    %y = tile.alloc : !tile
    %z = tile.alloc : !tile
    ascend.copy_gm_to_ub %x, %a : !tile, memref<16x64xf32>
    scf.for %i = %c0 to %n step %c1 {
      ascend.unary exp %y, %x : !tile, !tile
      ascend.copy_ub_to_gm %a, %y : memref<16x64xf32>, !tile
      ascend.unary abs %z, %x : !tile, !tile
      ascend.unary exp %x, %z : !tile, !tile
    }
  }
  return
}

// -----

// An address that is given stays, and the end of UB stays free for selections.
// CHECK-LABEL: func.func @given
func.func @given(%a: f32) {
  tile.kernel (%b) in (1) {
    // CHECK: tile.alloc {ascend.address = 0 : i64} : memref<64xf32
    // CHECK: tile.alloc {ascend.address = 256 : i64} : memref<8xi8
    %x = tile.alloc {ascend.address = 0 : i64} : memref<64xf32, #tile.ub>
    %m = tile.alloc : memref<8xi8, #tile.ub>
    ascend.compare lt %m, %x, %a : memref<8xi8, #tile.ub>, memref<64xf32, #tile.ub>, f32
    ascend.select %x, %m, %x, %x
      : memref<64xf32, #tile.ub>, memref<8xi8, #tile.ub>, memref<64xf32, #tile.ub>, memref<64xf32, #tile.ub>
  }
  return
}
