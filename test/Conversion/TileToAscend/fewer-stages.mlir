// RUN: tile-opt %s --split-input-file --ascend-pipeline-loops --canonicalize --cse | FileCheck %s
// RUN: tile-opt %s --split-input-file --ascend-pipeline-loops --remarks-filter='ascend-pipeline-loops' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK

// Two tiles come and one goes, far from each other: with eight stages, flags of different stages would share ids. Where they are next
// to each other, they may.

!gm = memref<?xf32>
!piece = memref<64xf32, strided<[1], offset: ?>>
!ub = memref<64xf32, #tile.ub>

// CHECK-LABEL: func.func @far
// CHECK-COUNT-6: tile.alloc {ascend.multi_buffer = 6 : i64}
// CHECK-NOT:     ascend.multi_buffer = 8
// REMARK: [Missed] FewerStages {{.*}}of 8 stages: all event ids from {{[a-z0-9]+}} to {{[a-z0-9]+}} are in use
// REMARK: [Passed] PipelinedLoop {{.*}}parts=1, stages=6
func.func @far(%a: !gm, %o: !gm, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  tile.kernel (%b) in (1) {
    %x = tile.alloc : !ub
    %y = tile.alloc : !ub
    scf.for %i = %c0 to %n step %c1 {
      %at = arith.muli %i, %c64 : index
      %from = memref.subview %a[%at] [64] [1] : !gm to !piece
      %to = memref.subview %o[%at] [64] [1] : !gm to !piece
      ascend.copy_gm_to_ub %x, %from : !ub, !piece
      ascend.unary exp %x, %x : !ub, !ub
      ascend.unary exp %x, %x : !ub, !ub
      ascend.unary exp %x, %x : !ub, !ub
      ascend.unary exp %x, %x : !ub, !ub
      ascend.unary exp %x, %x : !ub, !ub
      ascend.unary exp %y, %x : !ub, !ub
      ascend.copy_ub_to_gm %to, %y : !piece, !ub
    } {ascend.stages = 8 : i64}
  }
  return
}
