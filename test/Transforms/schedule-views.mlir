// The producer makes the views anew that its sources are, where they are made in a loop around the copies.

// RUN: tile-opt %s --tile-set-target=chip=sm_90a --tile-select-instructions=async --tile-infer-layout --tile-schedule --tile-verify-schedule | FileCheck %s

// CHECK-LABEL: @bound(
// CHECK: tile.warp_specialize producer
// CHECK:   scf.for
// CHECK:     %[[VIEW:.*]] = memref.subview
// CHECK:     tile.pipelined
// CHECK:       tile.gather %[[VIEW]][0, 0] by
// CHECK: consumer
func.func @bound(%q: memref<64x64xf16>, %k: memref<?x64xf16>, %list: memref<4096xi32>, %o: memref<256x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  tile.kernel (%b) in (1) threads(128) {
    %qs = tile.alloc : memref<64x64xf16, #tile.shared>
    %ks = tile.alloc : memref<64x64xf16, #tile.shared>
    %s = tile.alloc : memref<64x64xf32, #tile.fragment>
    tile.copy %q, %qs : memref<64x64xf16>, memref<64x64xf16, #tile.shared>
    scf.for %j = %c0 to %c4 step %c1 {
      %view = memref.subview %k[0, 0] [%j, 64] [1, 1] : memref<?x64xf16> to memref<?x64xf16, strided<[64, 1]>>
      %zero = arith.constant 0.0 : f32
      tile.fill %s, %zero : memref<64x64xf32, #tile.fragment>
      tile.pipelined %i = 0 to 64 stages(3) {
        tile.gather %view[0, 0] by %list[%i * 64], %ks
            : memref<?x64xf16, strided<[64, 1]>>, memref<4096xi32>, memref<64x64xf16, #tile.shared>
        tile.gemm %qs, %ks, %s {transpose_b}
            : memref<64x64xf16, #tile.shared>, memref<64x64xf16, #tile.shared>, memref<64x64xf32, #tile.fragment>
      }
      tile.copy %s, %o[%j * 64, 0] : memref<64x64xf32, #tile.fragment>, memref<256x64xf32>
    }
  }
  return
}
