// Copies of a pipelined loop that no producer can do are asynchronous copies of threads, and run ahead.

// RUN: tile-opt %s --tile-set-target=chip=sm_90a --tile-select-instructions --tile-infer-layout --tile-schedule --remarks-filter=tile-schedule -o %t 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: FileCheck %s --input-file=%t

// REMARK: TensorCopy {{.*}}1024 threads leave no room for a producer
// REMARK: Groups {{.*}}stages=2
// CHECK-LABEL: func @many(
// CHECK: tile.copy {{.*}}#tile.transfer<cp_async, bytes = 16>
// CHECK: tile.async_commit
// CHECK: tile.pipelined
// CHECK: tile.copy {{.*}}#tile.transfer<cp_async, bytes = 16>
// CHECK: tile.async_commit
func.func @many(%a: memref<256x128xf16>, %o: memref<128xf16>) {
  tile.kernel (%b) in (1) threads(1024) {
    %t = tile.alloc : memref<64x128xf16, #tile.shared>
    %m = tile.alloc : memref<128xf16, #tile.fragment>
    tile.fill %m, 0.0
    tile.pipelined %k = 0 to 4 stages(2) {
      tile.copy %a[%k * 64, 0], %t
      tile.reduce max %t, %m dim(0) {combine}
    }
    tile.copy %m, %o
  }
  return
}
