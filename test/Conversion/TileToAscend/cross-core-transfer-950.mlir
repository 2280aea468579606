// RUN: tile-opt %s --ascend-infer-memory --ascend-tile-sub-blocks --convert-tile-to-ascend --split-input-file | FileCheck %s
// RUN: tile-opt %s --ascend-infer-memory --ascend-tile-sub-blocks --convert-tile-to-ascend --split-input-file -o /dev/null \
// RUN:     --remarks-filter=convert-tile-to-ascend 2>&1 | FileCheck %s --check-prefix=REMARK

// Where the chip has the path, tiles go from core to core directly; otherwise through a workspace.

// REMARK: CrossCoreTransfer {{.*}}way=direct
// REMARK: CrossCoreTransfer {{.*}}way=direct
// REMARK: CrossCoreTransfer {{.*}}way=direct
// REMARK: CrossCoreTransfer {{.*}}way=global
// REMARK: CrossCoreTransfer {{.*}}way=global
// REMARK: CrossCoreTransfer {{.*}}way=global

!gm = memref<32x32xf32>
!op = memref<32x32xf16, #tile.l1>
!acc = memref<32x32xf32, #tile.l0c>
!x = memref<32x32xf32, #tile.ub>
!p = memref<32x32xf16, #tile.ub>

module attributes {tile.target = #tile.target<"950">} {
  // CHECK-LABEL: func @halves
  // CHECK-NOT: memref.alloc(
  // The vector cores say at first that the landing is free; the cube, that L1 is.
  // CHECK-DAG: ascend.cross_core_set_flag{{ +}}v id(1) {ascend.core = #ascend<core vector>, ascend.cross_core_transfer = 0 : i64}
  // CHECK-DAG: ascend.cross_core_set_flag{{ +}}mte1 id(3) {ascend.core = #ascend<core cube>, ascend.cross_core_transfer = 1 : i64}
  // CHECK: ascend.cross_core_wait_flag id(1) on {{ *}}fix {ascend.core = #ascend<core cube>
  // CHECK-NEXT: ascend.fixpipe %[[LANDING:.*]], %{{.*}} {halves}
  // CHECK-NEXT: ascend.cross_core_set_flag{{ +}}fix id(0) {ascend.core = #ascend<core cube>
  // CHECK-NEXT: ascend.cross_core_wait_flag id(0) on {{ *}}v {ascend.core = #ascend<core vector>
  // CHECK-NEXT: ascend.copy_ub %[[X:.*]], %[[LANDING]]
  // CHECK-NEXT: ascend.cross_core_set_flag{{ +}}v id(1) {ascend.core = #ascend<core vector>
  // CHECK: ascend.cast
  // CHECK: ascend.cross_core_wait_flag id(3) on {{ *}}mte3 {ascend.core = #ascend<core vector>
  // CHECK-NEXT: ascend.copy_ub_to_l1 %[[P:.*]], %{{.*}} {halves}
  // CHECK-NEXT: ascend.cross_core_set_flag{{ +}}mte3 id(2) {ascend.core = #ascend<core vector>
  // CHECK-NEXT: ascend.cross_core_wait_flag id(2) on {{ *}}mte1 {ascend.core = #ascend<core cube>
  // Behind the product, L1 is free.
  // CHECK: ascend.load_l0a %{{.*}}, %[[P]]
  // CHECK: ascend.mmad
  // CHECK: ascend.cross_core_set_flag{{ +}}mte1 id(3) {ascend.core = #ascend<core cube>
  func.func @halves(%o: !gm) {
    tile.kernel (%b) in (1) {
      %a = tile.alloc : !op
      %w = tile.alloc : !op
      %acc = tile.alloc : !acc
      %x = tile.alloc : !x
      %y = tile.alloc : !p
      %p = tile.alloc : !op
      %d = tile.alloc : !acc
      tile.gemm %a, %w, %acc {clear} : !op, !op, !acc
      tile.copy %acc, %x : !acc, !x
      tile.copy %x, %y : !x, !p
      tile.copy %y, %p : !p, !op
      tile.gemm %p, %w, %d {clear} : !op, !op, !acc
      tile.copy %d, %o : !acc, !gm
    }
    return
  }

  // A tile that both vector cores have whole: each gets it all, and one of them gives it back.
  // CHECK-LABEL: func @whole
  // CHECK: ascend.fixpipe %{{.*}}, %{{.*}} : memref<32x32xf32, #tile.ub>
  // CHECK: ascend.cross_core_wait_flag id(3) on {{ *}}mte3
  // CHECK: scf.if
  // CHECK-NEXT: ascend.copy_ub_to_l1 %{{.*}}, %{{.*}} : memref<32x32xf32, #tile.l1>
  // CHECK: ascend.cross_core_set_flag mte3
  func.func @whole(%o: !gm, %s: memref<32xf32>) {
    tile.kernel (%b) in (1) {
      %acc = tile.alloc : !acc
      %x = tile.alloc : !x
      %sum = tile.alloc : memref<32xf32, #tile.ub>
      %p = tile.alloc : memref<32x32xf32, #tile.l1>
      %w = tile.alloc : memref<32x32xf32, #tile.l1>
      %d = tile.alloc : !acc
      tile.copy %acc, %x : !acc, !x
      tile.reduce sum %x, %sum dim(0) : !x, memref<32xf32, #tile.ub>
      tile.copy %sum, %s : memref<32xf32, #tile.ub>, memref<32xf32>
      tile.copy %x, %p : !x, memref<32x32xf32, #tile.l1>
      tile.gemm %p, %w, %d {clear, transpose_b} : memref<32x32xf32, #tile.l1>, memref<32x32xf32, #tile.l1>, !acc
      tile.copy %d, %o : !acc, !gm
    }
    return
  }

  // Rows that are no whole blocks go through GM.
  // CHECK-LABEL: func @short_rows
  // CHECK: memref.alloc(
  // CHECK: ascend.cross_core_wait_flag id(1) on {{ *}}fix
  // CHECK-NEXT: ascend.fixpipe %{{.*}} : memref<32x20xf32, strided<[20, 1], offset: ?>>
  // CHECK-NEXT: ascend.cross_core_set_flag{{ +}}fix id(0)
  // CHECK-NEXT: ascend.cross_core_wait_flag id(0) on {{ *}}mte2
  // CHECK-NEXT: ascend.copy_gm_to_ub
  // CHECK-NEXT: ascend.cross_core_set_flag{{ +}}mte2 id(1)
  func.func @short_rows(%o: memref<32x20xf32>) {
    tile.kernel (%b) in (1) {
      %acc = tile.alloc : memref<32x20xf32, #tile.l0c>
      %x = tile.alloc : memref<32x20xf32, #tile.ub>
      tile.copy %acc, %x : memref<32x20xf32, #tile.l0c>, memref<32x20xf32, #tile.ub>
      tile.copy %x, %o : memref<32x20xf32, #tile.ub>, memref<32x20xf32>
    }
    return
  }

  // No place behind the last product says that L1 is free.
  // CHECK-LABEL: func @elsewhere
  // CHECK: memref.alloc(
  // CHECK: scf.if
  // CHECK: ascend.copy_ub_to_gm
  // CHECK: ascend.copy_gm_to_l1
  func.func @elsewhere(%o: !gm, %t: i1) {
    tile.kernel (%b) in (1) {
      %y = tile.alloc : !p
      %p = tile.alloc : !op
      %w = tile.alloc : !op
      %d = tile.alloc : !acc
      scf.if %t {
        tile.copy %y, %p : !p, !op
      }
      tile.gemm %p, %w, %d {clear} : !op, !op, !acc
      tile.copy %d, %o : !acc, !gm
    }
    return
  }

  // Nothing multiplies the tile.
  // CHECK-LABEL: func @unused
  // CHECK: ascend.copy_ub_to_gm
  // CHECK: ascend.copy_gm_to_l1
  func.func @unused() {
    tile.kernel (%b) in (1) {
      %y = tile.alloc : !p
      %p = tile.alloc : !op
      tile.copy %y, %p : !p, !op
    }
    return
  }
}
