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
