// RUN: tile-opt %s --ascend-pipeline-loops | FileCheck %s

// Tiles that vector cores write to L1 on the 950: of two buffers, one is full for the reader, which is a step behind, and one
// is free, before the loop.

!l1 = memref<32x64xf16, #tile.l1>
!l0 = memref<32x64xf16, #tile.l0a>
!ub = memref<32x64xf16, #tile.ub>
!x = memref<?x32x64xf16>
!part = memref<32x64xf16, strided<[64, 1], offset: ?>>

module attributes {tile.target = #tile.target<"950">} {
  // The first vector core writes all of the tile: each iteration can have its own.
  // CHECK-LABEL: func.func @first_core
  // CHECK-COUNT-2: tile.alloc {ascend.multi_buffer = 2 : i64} : memref<32x64xf16, #tile.l1>
  // CHECK:         ascend.cross_core_set_flag{{ +}}mte3 id(0)
  // CHECK-NEXT:    ascend.cross_core_set_flag{{ +}}mte1 id(1)
  // CHECK-NEXT:    scf.for
  func.func @first_core(%x: !x, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    tile.kernel (%b) in (1) {
      %p = tile.alloc : !ub
      %t = tile.alloc : !l1
      %a = tile.alloc : !l0
      ascend.cross_core_set_flag mte1 id(1) {ascend.core = #ascend<core cube>, ascend.cross_core_transfer = 0}
      scf.for %i = %c0 to %n step %c1 {
        %v = memref.subview %x[%i, 0, 0] [1, 32, 64] [1, 1, 1] : !x to !part
        ascend.copy_gm_to_ub %p, %v : !ub, !part
        ascend.cross_core_wait_flag id(1) on mte3 {ascend.core = #ascend<core vector>, ascend.cross_core_transfer = 0}
        %sub = ascend.sub_block
        %first = arith.cmpi eq, %sub, %c0 : index
        scf.if %first {
          ascend.copy_ub_to_l1 %t, %p : !l1, !ub
        }
        ascend.cross_core_set_flag mte3 id(0) {ascend.core = #ascend<core vector>, ascend.cross_core_transfer = 0}
        ascend.cross_core_wait_flag id(0) on mte1 {ascend.core = #ascend<core cube>, ascend.cross_core_transfer = 0}
        ascend.load_l0a %a, %t : !l0, !l1
        ascend.cross_core_set_flag mte1 id(1) {ascend.core = #ascend<core cube>, ascend.cross_core_transfer = 0}
      } {ascend.stages = 2 : i64}
      ascend.cross_core_wait_flag id(1) on mte3 {ascend.core = #ascend<core vector>, ascend.cross_core_transfer = 0}
    }
    return
  }

  // The tile is read behind the loop: it stays one, and so does its flag.
  // CHECK-LABEL: func.func @one_tile
  // CHECK:         tile.alloc : memref<32x64xf16, #tile.l1>
  // CHECK-COUNT-1: ascend.cross_core_set_flag{{ +}}mte1 id(1)
  // CHECK-NEXT:    scf.for
  func.func @one_tile(%x: !x, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    tile.kernel (%b) in (1) {
      %p = tile.alloc : !ub
      %t = tile.alloc : !l1
      %a = tile.alloc : !l0
      ascend.cross_core_set_flag mte1 id(1) {ascend.core = #ascend<core cube>, ascend.cross_core_transfer = 0}
      scf.for %i = %c0 to %n step %c1 {
        %v = memref.subview %x[%i, 0, 0] [1, 32, 64] [1, 1, 1] : !x to !part
        ascend.copy_gm_to_ub %p, %v : !ub, !part
        ascend.cross_core_wait_flag id(1) on mte3 {ascend.core = #ascend<core vector>, ascend.cross_core_transfer = 0}
        ascend.copy_ub_to_l1 %t, %p : !l1, !ub
        ascend.cross_core_set_flag mte3 id(0) {ascend.core = #ascend<core vector>, ascend.cross_core_transfer = 0}
        ascend.cross_core_wait_flag id(0) on mte1 {ascend.core = #ascend<core cube>, ascend.cross_core_transfer = 0}
        ascend.load_l0a %a, %t : !l0, !l1
        ascend.cross_core_set_flag mte1 id(1) {ascend.core = #ascend<core cube>, ascend.cross_core_transfer = 0}
      } {ascend.stages = 2 : i64}
      ascend.cross_core_wait_flag id(1) on mte3 {ascend.core = #ascend<core vector>, ascend.cross_core_transfer = 0}
      ascend.load_l0a %a, %t : !l0, !l1
    }
    return
  }
}
