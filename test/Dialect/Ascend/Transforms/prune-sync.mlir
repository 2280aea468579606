// RUN: tile-opt %s --ascend-prune-sync | FileCheck %s

!tile = memref<64xf32, #tile.ub>
!gm = memref<64xf32>

// The second flag says what the first one does; the barrier by hand stays.
// CHECK-LABEL: func.func @prune
func.func @prune(%a: !gm) {
  tile.kernel (%b) in (1) {
    %x = tile.alloc {ascend.address = 0 : i64} : !tile
    // CHECK:      ascend.copy_gm_to_ub
    // CHECK-NEXT: ascend.set_flag mte2 to v id(1)
    // CHECK-NEXT: ascend.wait_flag mte2 to v id(1)
    // CHECK-NEXT: ascend.pipe_barrier v
    // CHECK-NEXT: ascend.unary
    ascend.copy_gm_to_ub %x, %a : !tile, !gm
    ascend.set_flag mte2 to v id(0) {ascend.group = 0}
    ascend.set_flag mte2 to v id(1) {ascend.group = 1}
    ascend.wait_flag mte2 to v id(0) {ascend.group = 0}
    ascend.wait_flag mte2 to v id(1) {ascend.group = 1}
    ascend.pipe_barrier mte2 {ascend.group = 2}
    ascend.pipe_barrier v
    ascend.unary exp %x, %x : !tile, !tile
  }
  return
}

// The first flag is redundant, and so is the one in the other direction, which only keeps the id from being set twice.
// CHECK-LABEL: func.func @set_twice
func.func @set_twice(%a: !gm) {
  tile.kernel (%b) in (1) {
    %x = tile.alloc {ascend.address = 0 : i64} : !tile
    // CHECK:      ascend.copy_gm_to_ub
    // CHECK-NEXT: ascend.set_flag mte2 to v id(0) {ascend.group = 2 : i64}
    // CHECK-NEXT: ascend.wait_flag mte2 to v id(0) {ascend.group = 2 : i64}
    // CHECK-NEXT: ascend.unary
    ascend.copy_gm_to_ub %x, %a : !tile, !gm
    ascend.set_flag mte2 to v id(0) {ascend.group = 1}
    ascend.wait_flag mte2 to v id(0) {ascend.group = 1}
    ascend.set_flag v to mte2 id(0) {ascend.group = 0}
    ascend.wait_flag v to mte2 id(0) {ascend.group = 0}
    ascend.set_flag mte2 to v id(0) {ascend.group = 2}
    ascend.wait_flag mte2 to v id(0) {ascend.group = 2}
    ascend.unary exp %x, %x : !tile, !tile
  }
  return
}

// Where the id is set again, it stays.
// CHECK-LABEL: func.func @set_again
func.func @set_again(%a: !gm) {
  tile.kernel (%b) in (1) {
    %x = tile.alloc {ascend.address = 0 : i64} : !tile
    %y = tile.alloc {ascend.address = 256 : i64} : !tile
    // CHECK-COUNT-3: ascend.set_flag
    ascend.copy_gm_to_ub %x, %a : !tile, !gm
    ascend.set_flag mte2 to v id(0) {ascend.group = 1}
    ascend.wait_flag mte2 to v id(0) {ascend.group = 1}
    ascend.unary exp %x, %x : !tile, !tile
    ascend.set_flag v to mte2 id(0) {ascend.group = 0}
    ascend.wait_flag v to mte2 id(0) {ascend.group = 0}
    ascend.copy_gm_to_ub %y, %a : !tile, !gm
    ascend.set_flag mte2 to v id(0) {ascend.group = 2}
    ascend.wait_flag mte2 to v id(0) {ascend.group = 2}
    ascend.unary exp %y, %y : !tile, !tile
  }
  return
}

// A loop whose steps have parts of several iterations also runs where there is none: the flag in it orders what comes before and behind it.
// CHECK-LABEL: func.func @runs_always
func.func @runs_always(%a: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %dim = memref.dim %a, %c0 : memref<?xf32>
  %steps = affine.apply affine_map<()[s0] -> (s0 ceildiv 64 + 1)>()[%dim]
  tile.kernel (%b) in (1) {
    %x = tile.alloc {ascend.address = 0 : i64} : !tile
    ascend.unary exp %x, %x : !tile, !tile
    // CHECK:     scf.for
    // CHECK:       ascend.set_flag v to mte3 id(0)
    // CHECK:       ascend.wait_flag v to mte3 id(0)
    // CHECK-NOT: ascend.set_flag v to mte3
    // CHECK:     ascend.copy_ub_to_gm
    scf.for %i = %c0 to %steps step %c2 {
      ascend.set_flag v to mte3 id(0) {ascend.group = 1}
      ascend.wait_flag v to mte3 id(0) {ascend.group = 1}
      ascend.set_flag mte3 to v id(0)
      ascend.wait_flag mte3 to v id(0)
    }
    ascend.set_flag v to mte3 id(1) {ascend.group = 0}
    ascend.wait_flag v to mte3 id(1) {ascend.group = 0}
    %out = memref.reinterpret_cast %a to offset: [0], sizes: [64], strides: [1] : memref<?xf32> to !gm
    ascend.copy_ub_to_gm %out, %x : !gm, !tile
  }
  return
}

// One that may run no time does not.
// CHECK-LABEL: func.func @may_not_run
func.func @may_not_run(%a: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %dim = memref.dim %a, %c0 : memref<?xf32>
  %steps = affine.apply affine_map<()[s0] -> (s0 ceildiv 64)>()[%dim]
  tile.kernel (%b) in (1) {
    %x = tile.alloc {ascend.address = 0 : i64} : !tile
    ascend.unary exp %x, %x : !tile, !tile
    // CHECK:     scf.for
    // CHECK:     }
    // CHECK-NEXT: ascend.set_flag v to mte3 id(1)
    // CHECK-NEXT: ascend.wait_flag v to mte3 id(1)
    scf.for %i = %c0 to %steps step %c2 {
      ascend.set_flag v to mte3 id(0)
      ascend.wait_flag v to mte3 id(0)
      ascend.set_flag mte3 to v id(0)
      ascend.wait_flag mte3 to v id(0)
    }
    ascend.set_flag v to mte3 id(1) {ascend.group = 0}
    ascend.wait_flag v to mte3 id(1) {ascend.group = 0}
    %out = memref.reinterpret_cast %a to offset: [0], sizes: [64], strides: [1] : memref<?xf32> to !gm
    ascend.copy_ub_to_gm %out, %x : !gm, !tile
  }
  return
}
