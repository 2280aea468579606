// RUN: tile-opt %s --ascend-pipeline-loops --canonicalize --cse | FileCheck %s
// RUN: tile-opt %s --ascend-pipeline-loops --remarks-filter='ascend-pipeline-loops' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK

!acc = memref<32x64xf32, #tile.l0c>
!ub = memref<32x64xf32, #tile.ub>
!half = memref<32x64xf16, #tile.ub>
!space = memref<?x32x64xf32>
!stage = memref<32x64xf32, strided<[64, 1], offset: ?>>

// The cube fills two stages, then the vector core takes both. The sum is put off to the part that needs it; the free
// stages are counted around the loop.
// CHECK-LABEL: func.func @cores
// CHECK:         memref.alloc() : memref<2x32x64xf32>
// CHECK:         tile.kernel
// CHECK-NOT:       ascend.cross_core_{{set|wait}}
// CHECK:           ascend.cross_core_set_flag{{ +}}mte2 id(1) {{.*}}ascend.cross_core_transfer = 0 : i64
// CHECK-NEXT:      ascend.cross_core_set_flag{{ +}}mte2 id(1)
// CHECK-NEXT:      scf.for
// CHECK:             ascend.cross_core_wait_flag id(1)
// CHECK:             ascend.fixpipe
// CHECK:             ascend.cross_core_set_flag{{ +}}fix id(0)
// CHECK:             ascend.cross_core_wait_flag id(1)
// CHECK:             ascend.fixpipe
// CHECK:             ascend.cross_core_set_flag{{ +}}fix id(0)
// CHECK:             ascend.cross_core_wait_flag id(0)
// CHECK:             ascend.copy_gm_to_ub
// CHECK:             ascend.cross_core_set_flag{{ +}}mte2 id(1)
// CHECK:             ascend.binary{{ +}}add
// CHECK:             ascend.cross_core_wait_flag id(0)
// CHECK:             ascend.copy_gm_to_ub
// CHECK:             ascend.cross_core_set_flag{{ +}}mte2 id(1)
// CHECK:             ascend.binary{{ +}}add
// CHECK:           scf.if
// CHECK:             ascend.fixpipe
// CHECK:             ascend.copy_gm_to_ub
// CHECK:             ascend.binary{{ +}}add
// CHECK-NEXT:      }
// CHECK-NEXT:      ascend.cross_core_wait_flag id(1)
// CHECK-NEXT:      ascend.cross_core_wait_flag id(1)
// CHECK-NOT:       ascend.cross_core_{{set|wait}}
// REMARK: [Passed] PipelinedLoop {{.*}}parts=2, stages=2, workspaces=1
func.func @cores(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %space = memref.alloc(%c1) {ascend.cross_core_transfer = 0} : !space
  tile.kernel (%b) in (1) {
    %acc = tile.alloc : !acc
    %t = tile.alloc : !ub
    %sum = tile.alloc : !ub
    ascend.cross_core_set_flag mte2 id(1) {ascend.core = #ascend<core vector>, ascend.cross_core_transfer = 0}
    scf.for %i = %c0 to %n step %c1 {
      %stage = memref.subview %space[%b, 0, 0] [1, 32, 64] [1, 1, 1] : !space to !stage
      ascend.cross_core_wait_flag id(1) {ascend.core = #ascend<core cube>, ascend.cross_core_transfer = 0}
      ascend.fixpipe %stage, %acc : !stage, !acc
      ascend.cross_core_set_flag fix id(0) {ascend.core = #ascend<core cube>, ascend.cross_core_transfer = 0}
      ascend.cross_core_wait_flag id(0) {ascend.core = #ascend<core vector>, ascend.cross_core_transfer = 0}
      ascend.copy_gm_to_ub %t, %stage : !ub, !stage
      ascend.cross_core_set_flag mte2 id(1) {ascend.core = #ascend<core vector>, ascend.cross_core_transfer = 0}
      ascend.binary add %sum, %sum, %t : !ub, !ub, !ub
    } {ascend.stages = 2 : i64}
    ascend.cross_core_wait_flag id(1) {ascend.core = #ascend<core cube>, ascend.cross_core_transfer = 0}
  }
  memref.dealloc %space : !space
  return
}

// Tiles that go from core to core in a branch stay in order.
// CHECK-LABEL: func.func @branch
// CHECK-NOT:     ascend.multi_buffer
// REMARK: [Missed] SerialLoop {{.*}}tiles go from core to core in a loop or branch inside
func.func @branch(%n: index, %c: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.kernel (%b) in (1) {
    %acc = tile.alloc : !acc
    scf.for %i = %c0 to %n step %c1 {
      scf.if %c {
        ascend.cross_core_wait_flag id(1) {ascend.core = #ascend<core cube>, ascend.cross_core_transfer = 0}
      }
    } {ascend.stages = 2 : i64}
  }
  return
}
