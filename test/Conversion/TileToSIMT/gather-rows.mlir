// Lanes that fill a row of banks share an entry of the list and move all of its row: one address, to which each vector adds a
// constant.

// RUN: tile-opt %s --tile-to-gpu-pipeline=chip=sm_90a | FileCheck %s

// 128 threads, 8 of them for a row of 64, four rows each: the entries first, then the vectors of each row behind one condition.
// CHECK-LABEL: gpu.func @rows
// CHECK: %[[OWN:.*]] = arith.index_castui %{{.*}} : i32 to index
// CHECK-COUNT-4: llvm.load %{{.*}} : !llvm.ptr<1> -> i32
// CHECK: scf.if
// CHECK: arith.addi %[[OWN]], %[[ROW:.*]] : index
// CHECK: nvvm.cp.async.shared.global {{.*}}, 16,
// CHECK: %[[NEXT:.*]] = arith.addi %[[OWN]], %c64 : index
// CHECK: arith.addi %[[NEXT]], %[[ROW]] : index
// CHECK-COUNT-3: nvvm.cp.async.shared.global {{.*}}, 16,
// CHECK-NOT: nvvm.cp.async
// CHECK: } else {
// CHECK-COUNT-4: llvm.store {{.*}} : vector<8xf16>, !llvm.ptr<3>
// CHECK: scf.if
func.func @rows(%a: memref<?x256xf16>, %list: memref<?xi32>, %o: memref<64x256xf16>) {
  tile.kernel (%b) in (1) threads(128) {
    %t = tile.alloc : memref<64x256xf16, #tile.shared>
    %m = tile.alloc : memref<256xf16, #tile.fragment>
    tile.fill %m, 0.0
    tile.pipelined %k = 0 to 4 stages(2) {
      tile.gather %a[0, 0] by %list[%k * 64], %t
      tile.reduce max %t, %m dim(0) {combine}
    }
    tile.copy %m, %o[0, 0]
  }
  return
}
