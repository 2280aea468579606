// Gathers run ahead by asynchronous copies where the list is global and the kernel writes neither it nor the source.

// RUN: tile-opt %s --tile-set-target=chip=sm_80 --tile-select-instructions --tile-infer-layout --tile-schedule | FileCheck %s
// RUN: tile-opt %s --tile-set-target=chip=gfx942 --tile-select-instructions --tile-infer-layout --tile-schedule | FileCheck %s --check-prefix=SYNC

// CHECK-LABEL: func @ahead(
// SYNC-LABEL: func @ahead(
func.func @ahead(%a: memref<?x64xf16>, %list: memref<?xi32>, %o: memref<64xf16>, %n: index) {
  tile.kernel (%b) in (1) threads(128) {
    %t = tile.alloc : memref<32x64xf16, #tile.shared>
    %m = tile.alloc : memref<64xf16, #tile.fragment>
    tile.fill %m, 0.0
    // CHECK: tile.gather %{{.*}} {instruction = #tile.transfer<cp_async, bytes = 16>}
    // CHECK: tile.async_commit
    // CHECK: tile.pipelined %[[K:.*]] =
    // CHECK: tile.async_wait pending(0)
    // CHECK: tile.barrier
    // CHECK: %[[NEXT:.*]] = arith.addi %[[K]]
    // CHECK: tile.gather %{{.*}}[0, 0] by %{{.*}}[%[[NEXT]] * 32], %{{.*}} {instruction = #tile.transfer<cp_async, bytes = 16>}
    // CHECK: tile.async_commit
    // SYNC: tile.pipelined
    // SYNC: tile.gather %{{.*}}[0, 0] by %{{.*}}[%{{.*}} * 32], %{{.*}} : memref
    tile.pipelined %k = 0 to %n stages(2) {
      tile.gather %a[0, 0] by %list[%k * 32], %t
      tile.reduce max %t, %m dim(0) {combine}
    }
    tile.copy %m, %o
  }
  return
}

// A list that the block makes is there in its own step alone.
// CHECK-LABEL: func @made(
func.func @made(%a: memref<?x64xf16>, %list: memref<?xi32>, %o: memref<64xf16>, %n: index) {
  tile.kernel (%b) in (1) threads(128) {
    %t = tile.alloc : memref<32x64xf16, #tile.shared>
    %at = tile.alloc : memref<32xi32, #tile.shared>
    %m = tile.alloc : memref<64xf16, #tile.fragment>
    tile.fill %m, 0.0
    // CHECK: tile.pipelined %[[K:.*]] =
    // CHECK: tile.gather %{{.*}}[0, 0] by %{{.*}}[0]
    tile.pipelined %k = 0 to %n stages(2) {
      tile.fill %at, 7
      tile.gather %a[0, 0] by %at[0], %t
      tile.reduce max %t, %m dim(0) {combine}
    }
    tile.copy %m, %o
  }
  return
}

// Elements of 2 bytes are no asynchronous copies.
// CHECK-LABEL: func @columns(
func.func @columns(%a: memref<64x?xf16>, %list: memref<?xi32>, %o: memref<64xf16>, %n: index) {
  tile.kernel (%b) in (1) threads(128) {
    %t = tile.alloc : memref<64x32xf16, #tile.shared>
    %m = tile.alloc : memref<64xf16, #tile.fragment>
    tile.fill %m, 0.0
    // CHECK-NOT: cp_async
    tile.pipelined %k = 0 to %n stages(2) {
      tile.gather %a[0, 0] by %list[%k * 32] dim(1), %t
      tile.reduce max %t, %m dim(1) {combine}
    }
    tile.copy %m, %o
  }
  return
}
