// RUN: tile-opt %s --ascend-pipeline-loops --canonicalize --cse | FileCheck %s
// RUN: tile-opt %s --ascend-pipeline-loops --remarks-filter='ascend-pipeline-loops' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK

!gm = memref<?xf32>
!piece = memref<64xf32, strided<[1], offset: ?>>
!ub = memref<64xf32, #tile.ub>

// Two stages for what comes and goes, none for the sum that iterations share; one iteration may be left.
// CHECK-LABEL: func.func @stages
// CHECK-DAG:     %[[C2:.*]] = arith.constant 2 : index
// CHECK:         %[[X0:.*]] = tile.alloc {ascend.multi_buffer = 2 : i64} : memref<64xf32, #tile.ub>
// CHECK:         %[[X1:.*]] = tile.alloc {ascend.multi_buffer = 2 : i64} : memref<64xf32, #tile.ub>
// CHECK:         %[[SUM:.*]] = tile.alloc : memref<64xf32, #tile.ub>
// CHECK:         %[[GROUPS:.*]] = arith.divui %{{.*}}, %[[C2]]
// CHECK:         %[[WHOLE:.*]] = arith.muli %[[GROUPS]], %[[C2]]
// CHECK:         scf.for %{{.*}} = %{{.*}} to %[[WHOLE]] step %[[C2]] {
// CHECK:           ascend.copy_gm_to_ub %[[X0]]
// CHECK:           ascend.binary{{ +}}add %[[SUM]], %[[SUM]], %[[X0]]
// CHECK:           ascend.copy_gm_to_ub %[[X1]]
// CHECK:           ascend.binary{{ +}}add %[[SUM]], %[[SUM]], %[[X1]]
// CHECK:         %[[MORE:.*]] = arith.cmpi slt, %[[WHOLE]], %{{.*}}
// CHECK:         scf.if %[[MORE]] {
// CHECK:           ascend.copy_gm_to_ub %[[X0]]
// CHECK:           ascend.binary{{ +}}add %[[SUM]], %[[SUM]], %[[X0]]
// REMARK: [Passed] PipelinedLoop {{.*}}parts=1, stages=2
func.func @stages(%a: !gm, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  tile.kernel (%b) in (1) {
    %x = tile.alloc : !ub
    %sum = tile.alloc : !ub
    scf.for %i = %c0 to %n step %c1 {
      %at = arith.muli %i, %c64 : index
      %part = memref.subview %a[%at] [64] [1] : !gm to !piece
      ascend.copy_gm_to_ub %x, %part : !ub, !piece
      ascend.binary add %sum, %sum, %x : !ub, !ub, !ub
    } {ascend.stages = 2 : i64}
  }
  return
}

// Six iterations by three leave none; an only one needs nothing.
// CHECK-LABEL: func.func @known
// CHECK:         scf.for
// CHECK-NOT:       scf.if
// CHECK-COUNT-3:   ascend.copy_gm_to_ub
// CHECK-NOT:     ascend.multi_buffer
// CHECK:         return
// REMARK: [Passed] PipelinedLoop {{.*}}parts=1, stages=3
func.func @known(%a: !gm) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  %c64 = arith.constant 64 : index
  tile.kernel (%b) in (1) {
    %x = tile.alloc : !ub
    %sum = tile.alloc : !ub
    scf.for %i = %c0 to %c6 step %c1 {
      %at = arith.muli %i, %c64 : index
      %part = memref.subview %a[%at] [64] [1] : !gm to !piece
      ascend.copy_gm_to_ub %x, %part : !ub, !piece
      ascend.binary add %sum, %sum, %x : !ub, !ub, !ub
    } {ascend.stages = 3 : i64}
    scf.for %i = %c0 to %c1 step %c1 {
      %part = memref.subview %a[%i] [64] [1] : !gm to !piece
      ascend.copy_ub_to_gm %part, %sum : !piece, !ub
    } {ascend.stages = 3 : i64}
  }
  return
}

// Stages that do not fit UB: as many as do, here none.
// CHECK-LABEL: func.func @large
// CHECK-NOT:     ascend.multi_buffer
// REMARK: [Missed] SerialLoop {{.*}}two stages do not fit the memories
func.func @large(%a: memref<?x400xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<64x400xf32, #tile.ub>
    scf.for %i = %c0 to %n step %c1 {
      %at = arith.muli %i, %c64 : index
      %part = memref.subview %a[%at, 0] [64, 400] [1, 1]
        : memref<?x400xf32> to memref<64x400xf32, strided<[400, 1], offset: ?>>
      ascend.copy_gm_to_ub %x, %part : memref<64x400xf32, #tile.ub>, memref<64x400xf32, strided<[400, 1], offset: ?>>
      ascend.copy_ub_to_gm %part, %x : memref<64x400xf32, strided<[400, 1], offset: ?>>, memref<64x400xf32, #tile.ub>
    } {ascend.stages = 2 : i64}
  }
  return
}

// Flags by hand are left alone.
// CHECK-LABEL: func.func @flags
// CHECK-NOT:     ascend.multi_buffer
// REMARK: [Missed] SerialLoop {{.*}}the loop has flags of its own
func.func @flags(%a: !gm, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.kernel (%b) in (1) {
    %x = tile.alloc : !ub
    scf.for %i = %c0 to %n step %c1 {
      %part = memref.subview %a[%i] [64] [1] : !gm to !piece
      ascend.copy_gm_to_ub %x, %part : !ub, !piece
      ascend.set_flag mte2 to v id(0)
      ascend.wait_flag mte2 to v id(0)
      ascend.unary exp %x, %x : !ub, !ub
    } {ascend.stages = 2 : i64}
  }
  return
}
