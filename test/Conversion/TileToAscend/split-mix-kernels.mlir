// RUN: tile-opt %s --ascend-split-mix-kernels | FileCheck %s

// CHECK-LABEL: func.func @split
func.func @split(%a: memref<16x16xf16>, %x: memref<64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.kernel (%b) in (1) {
    // CHECK:      tile.alloc
    // CHECK-NEXT: tile.alloc
    // CHECK-NEXT: ascend.section{{ +}}cube {
    // CHECK-NEXT:   scf.for
    // CHECK-NEXT:     ascend.copy_gm_to_l1
    // CHECK-NEXT:     ascend.cross_core_set_flag{{.*}}
    // CHECK-NOT:      ascend
    // CHECK:      ascend.section{{ +}}vector {
    // CHECK-NEXT:   scf.for
    // CHECK-NEXT:     ascend.cross_core_wait_flag id(0) {ascend.cross_core_transfer = 0 : i64}
    // CHECK-NEXT:     ascend.copy_gm_to_ub{{.*}}
    // CHECK-NOT:      ascend
    %l = tile.alloc : memref<16x16xf16, #tile.l1>
    %u = tile.alloc : memref<64xf32, #tile.ub>
    scf.for %i = %c0 to %n step %c1 {
      ascend.copy_gm_to_l1 %l, %a : memref<16x16xf16, #tile.l1>, memref<16x16xf16>
      ascend.cross_core_set_flag mte2 id(0) {ascend.core = #ascend<core cube>, ascend.cross_core_transfer = 0}
      ascend.cross_core_wait_flag id(0) {ascend.core = #ascend<core vector>, ascend.cross_core_transfer = 0}
      ascend.copy_gm_to_ub %u, %x : memref<64xf32, #tile.ub>, memref<64xf32>
    }
  }
  return
}

// Both vector cores share the rows, though nothing is left for the cube core: its section is empty.
// CHECK-LABEL: func.func @folded
func.func @folded(%x: memref<64xf32>) {
  // CHECK-NEXT: tile.kernel (%{{.*}}) in (1) {
  tile.kernel (%b) in (1) attributes {ascend.sub_block_tiled} {
    // CHECK:      ascend.section{{ +}}cube {
    // CHECK-NEXT: }
    // CHECK-NEXT: ascend.section{{ +}}vector {
    // CHECK-NEXT:   ascend.copy_gm_to_ub
    %u = tile.alloc : memref<64xf32, #tile.ub>
    ascend.copy_gm_to_ub %u, %x : memref<64xf32, #tile.ub>, memref<64xf32>
  }
  return
}

// CHECK-LABEL: func.func @vector
// CHECK-NOT:   ascend.section
func.func @vector(%x: memref<64xf32>) {
  tile.kernel (%b) in (1) {
    %u = tile.alloc : memref<64xf32, #tile.ub>
    ascend.copy_gm_to_ub %u, %x : memref<64xf32, #tile.ub>, memref<64xf32>
  }
  return
}
