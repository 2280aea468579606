// REQUIRES: nvidia
// RUN: tile-opt %s --tile-to-gpu-pipeline=chip=sm_90a | FileCheck %s

// Registers are kept for A of the first gemm. The others read one A from shared memory: LLVM would keep all its addresses from one
// to the other, and ptxas spill them, so that each computes its own.

!a = memref<64x512xf16, #tile.shared>
!b = memref<128x512xf16, #tile.shared>
!c = memref<64x128xf32, #tile.fragment>

// CHECK-LABEL: gpu.func @kept
// CHECK-COUNT-2: "", "=l,0"
// CHECK-NOT: "=l,0"
func.func @kept(%x: memref<64x64xf16>, %y: memref<64x512xf16>, %z: memref<4096x512xf16>, %r: memref<128x128xf32>) {
  tile.kernel (%i) in (1) threads(128) {
    %f = tile.alloc : memref<64x64xf16, #tile.fragment>
    %a = tile.alloc : !a
    %b = tile.alloc : !b
    %e = tile.alloc : memref<128x64xf16, #tile.shared>
    %c = tile.alloc : !c
    %d = tile.alloc : !c
    tile.fill %c, 0.0
    tile.fill %d, 0.0
    tile.copy %x, %f
    tile.copy %y, %a
    tile.pipelined %k = 0 to 32 {
      tile.copy %z[%k * 128, 0], %b
      tile.copy %z[%k * 128, 0], %e
      tile.gemm %f, %e, %c {transpose_b}
      tile.gemm %a, %b, %c {transpose_b}
      tile.gemm %a, %b, %d {transpose_b}
    }
    tile.copy %c, %r[0, 0]
    tile.copy %d, %r[64, 0]
  }
  return
}

// Nothing is kept.
// CHECK-LABEL: gpu.func @not_kept
// CHECK-NOT: "=l,0"
func.func @not_kept(%y: memref<64x512xf16>, %z: memref<4096x512xf16>, %r: memref<128x128xf32>) {
  tile.kernel (%i) in (1) threads(128) {
    %a = tile.alloc : !a
    %b = tile.alloc : !b
    %c = tile.alloc : !c
    %d = tile.alloc : !c
    tile.fill %c, 0.0
    tile.fill %d, 0.0
    tile.copy %y, %a
    tile.pipelined %k = 0 to 32 {
      tile.copy %z[%k * 128, 0], %b
      tile.gemm %a, %b, %c {transpose_b}
      tile.gemm %a, %b, %d {transpose_b}
    }
    tile.copy %c, %r[0, 0]
    tile.copy %d, %r[64, 0]
  }
  return
}
