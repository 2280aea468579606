// RUN: tile-opt %s --ascend-pipeline-loops --canonicalize --cse | FileCheck %s
// RUN: tile-opt %s --ascend-pipeline-loops --remarks-filter='ascend-pipeline-loops' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK

!acc = memref<32x64xf32, #tile.l0c>
!ub = memref<32x64xf32, #tile.ub>
!half = memref<32x64xf16, #tile.ub>
!space = memref<?x32x64xf32>
!stage = memref<32x64xf32, strided<[64, 1], offset: ?>>

// The vector core takes a tile three steps after the cube core has made it: as many flags are set before the loop, and one
// for the tile of four that is free then. Flags between the cores are outside of the guards. The cube core takes no tile of the
// other one, so its part comes first. The sum is put off to the part that needs it.
// CHECK-LABEL: func.func @cores
// CHECK-SAME:    %[[N:.*]]: index
// CHECK:         %[[SPACE:.*]] = memref.alloc() : memref<4x32x64xf32>
// CHECK:         tile.kernel
// CHECK-COUNT-2:   tile.alloc {ascend.multi_buffer = 2 : i64} : memref<32x64xf32, #tile.ub>
// CHECK-NOT:       ascend.cross_core_{{set|wait}}
// CHECK:           %[[END:.*]] = affine.apply #{{.*}}()[%[[N]]]
// CHECK-COUNT-3:   ascend.cross_core_set_flag{{ +}}fix id(0) {{.*}}ascend.cross_core_transfer = 0 : i64
// CHECK-NEXT:      ascend.cross_core_set_flag{{ +}}mte2 id(1)
// CHECK-NEXT:      scf.for %[[I:.*]] = %{{.*}} to %[[END]] step %c4
// CHECK-NEXT:        ascend.cross_core_wait_flag id(1)
// CHECK-NEXT:        %[[INSIDE:.*]] = arith.cmpi slt, %[[I]], %[[N]]
// CHECK-NEXT:        scf.if %[[INSIDE]] {
// CHECK:               ascend.fixpipe
// CHECK-NEXT:        }
// CHECK-NEXT:        ascend.cross_core_set_flag{{ +}}fix id(0)
// CHECK-NEXT:        ascend.cross_core_wait_flag id(0)
// CHECK:             %[[LAST:.*]] = arith.cmpi slt, %[[J:.*]], %[[N]]
// CHECK:             %[[FIRST:.*]] = arith.cmpi sge, %[[J]], %c0
// CHECK:             %[[GUARD:.*]] = arith.andi %[[FIRST]], %[[LAST]]
// CHECK:             scf.if %[[GUARD]] {
// CHECK:               ascend.copy_gm_to_ub
// CHECK-NEXT:        }
// CHECK-NEXT:        ascend.cross_core_set_flag{{ +}}mte2 id(1)
// CHECK-NEXT:        scf.if %[[GUARD]] {
// CHECK-NEXT:          ascend.binary{{ +}}add
// CHECK-NEXT:        }
// CHECK-COUNT-3:     ascend.fixpipe
// CHECK-NOT:         ascend.fixpipe
// CHECK:             ascend.cross_core_set_flag{{ +}}mte2 id(1)
// CHECK:         ascend.cross_core_wait_flag id(1)
// CHECK-COUNT-3: ascend.cross_core_wait_flag id(0)
// CHECK-NOT:     ascend.cross_core_{{set|wait}}
// REMARK: [Passed] PipelinedLoop {{.*}}parts=3, stages=4, workspaces=1
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
