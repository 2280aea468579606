// RUN: tile-opt %s --ascend-order-vectors | FileCheck %s
// RUN: tile-opt %s --ascend-order-vectors --ascend-plan-memory --ascend-insert-sync | FileCheck %s --check-prefix=SYNC

!t = memref<64x64xf32, #tile.ub>
!v = memref<64xf32, #tile.ub>

// Two chains that do not depend on one another share their barriers: two where there would be three.
// CHECK-LABEL: func.func @chains
// CHECK:         ascend.unary{{ +}}exp
// CHECK-NEXT:    ascend.unary{{ +}}ln
// CHECK-NEXT:    ascend.unary{{ +}}abs
// CHECK-NEXT:    ascend.unary{{ +}}sqrt
// CHECK-NEXT:    ascend.binary{{ +}}add
// SYNC-LABEL:  func.func @chains
// SYNC-COUNT-2:  ascend.pipe_barrier
// SYNC-NOT:      ascend.pipe_barrier
func.func @chains() {
  tile.kernel (%b) in (1) {
    %a = tile.alloc : !t
    %c = tile.alloc : !t
    %u = tile.alloc : !v
    %w = tile.alloc : !v
    ascend.unary exp %c, %a : !t, !t
    ascend.unary abs %c, %c : !t, !t
    ascend.unary ln %w, %u : !v, !v
    ascend.unary sqrt %w, %w : !v, !v
    ascend.binary add %u, %w, %w : !v, !v, !v
    ascend.binary add %a, %a, %c : !t, !t, !t
  }
  return
}

// What reads a tile stays before what writes it, and a flag is not passed.
// CHECK-LABEL: func.func @kept
// CHECK:         ascend.unary{{ +}}exp
// CHECK-NEXT:    ascend.unary{{ +}}abs
// CHECK-NEXT:    ascend.unary{{ +}}ln
// CHECK-NEXT:    ascend.set_flag
// CHECK-NEXT:    ascend.unary{{ +}}sqrt
// SYNC-LABEL: func.func @kept
func.func @kept() {
  tile.kernel (%b) in (1) {
    %a = tile.alloc : !t
    %c = tile.alloc : !t
    %d = tile.alloc : !t
    ascend.unary exp %c, %a : !t, !t
    ascend.unary abs %d, %c : !t, !t
    ascend.unary ln %c, %a : !t, !t
    ascend.set_flag v to mte3 id(0)
    ascend.unary sqrt %a, %a : !t, !t
    ascend.wait_flag v to mte3 id(0)
  }
  return
}

module attributes {tile.target = #tile.target<"950">} {
  // No barriers, no reason.
  // CHECK-LABEL: func.func @ordered
  // CHECK:         ascend.unary{{ +}}exp
  // CHECK-NEXT:    ascend.unary{{ +}}abs
  // CHECK-NEXT:    ascend.unary{{ +}}ln
  func.func @ordered() {
    tile.kernel (%b) in (1) {
      %a = tile.alloc : !t
      %c = tile.alloc : !t
      %w = tile.alloc : !v
      ascend.unary exp %c, %a : !t, !t
      ascend.unary abs %c, %c : !t, !t
      ascend.unary ln %w, %w : !v, !v
    }
    return
  }
}
