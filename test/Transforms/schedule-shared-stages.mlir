// Stages of a loop and tiles that live before or behind it share memory, so these do not cost stages.

// RUN: tile-opt %s --tile-set-target=chip=sm_80 --tile-select-instructions --tile-infer-layout --tile-schedule --tile-insert-barriers --tile-plan-shared | FileCheck %s

// Two stages of 64 KiB, and 64 KiB of `result` behind the loop: an A100 has 163 KiB for a block.
// CHECK-LABEL: func @behind(
// CHECK: tile.kernel {{.*}}shared_bytes = 131072
// CHECK: tile.alloc {{.*}}: memref<2x64x512xf16, #tile.shared>
func.func @behind(%a: memref<256x512xf16>, %o: memref<64x512xf16>) {
  tile.kernel (%b) in (1) threads(128) {
    %t = tile.alloc : memref<64x512xf16, #tile.shared>
    %sum = tile.alloc : memref<512xf16, #tile.fragment>
    %result = tile.alloc : memref<64x512xf16, #tile.shared>
    tile.fill %sum, 0.0
    tile.pipelined %k = 0 to 4 stages(2) {
      tile.copy %a[%k * 64, 0], %t
      tile.reduce max %t, %sum dim(0) {combine}
    }
    tile.parallel (%i, %j) in (64, 512) {
      %v = memref.load %sum[%j] : memref<512xf16, #tile.fragment>
      memref.store %v, %result[%i, %j] : memref<64x512xf16, #tile.shared>
    }
    tile.copy %result, %o
  }
  return
}

// A tile that the loop reads has its own bytes, and one stage is left.
// CHECK-LABEL: func @across(
// CHECK: tile.kernel {{.*}}shared_bytes = 131072
// CHECK-NOT: memref<2x64x512xf16
// CHECK: return
func.func @across(%a: memref<256x512xf16>, %o: memref<64x512xf16>) {
  tile.kernel (%b) in (1) threads(128) {
    %t = tile.alloc : memref<64x512xf16, #tile.shared>
    %result = tile.alloc : memref<64x512xf16, #tile.shared>
    tile.fill %result, 0.0
    tile.pipelined %k = 0 to 4 stages(2) {
      tile.copy %a[%k * 64, 0], %t
      tile.parallel (%i, %j) in (64, 512) {
        %v = memref.load %t[%i, %j] : memref<64x512xf16, #tile.shared>
        %w = memref.load %result[%i, %j] : memref<64x512xf16, #tile.shared>
        %x = arith.maximumf %v, %w : f16
        memref.store %x, %result[%i, %j] : memref<64x512xf16, #tile.shared>
      }
    }
    tile.copy %result, %o
  }
  return
}
