// A convolution by 'tile.im2col' in a loop of two stages: flags between the loads of its rows and the gemm were missing.
//
// REQUIRES: tile-run
// RUN: tile-run --no-notes --target=ascend %s | FileCheck %s --check-prefix=RIGHT
// RUN: tile-run --no-notes --target=cuda --chip=sm_80 --device=model %s | FileCheck %s --check-prefix=RIGHT

// RIGHT: 1 passed, 0 failed

func.func @im2col_gemm(%x: memref<1x8x8x32xf16>, %w: memref<288x64xf16>, %y: memref<64x64xf32> {tile.result})
    attributes {tile.atol = 1.0e-3} { // sums of 288 products, in another order
  %zero = arith.constant 0.0 : f32
  tile.kernel (%b) in (1) threads(128) {
    %a = tile.alloc : memref<64x32xf16, #tile.shared>
    %bs = tile.alloc : memref<32x64xf16, #tile.shared>
    %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
    tile.fill %acc, %zero : memref<64x64xf32, #tile.fragment>
    tile.pipelined %t = 0 to 9 stages(2) {
      tile.im2col %x[0, %t * 32], %a kernel(3, 3) pad(1) : memref<1x8x8x32xf16>, memref<64x32xf16, #tile.shared>
      tile.copy %w[%t * 32, 0], %bs : memref<288x64xf16>, memref<32x64xf16, #tile.shared>
      tile.gemm %a, %bs, %acc : memref<64x32xf16, #tile.shared>, memref<32x64xf16, #tile.shared>, memref<64x64xf32, #tile.fragment>
    }
    tile.copy %acc, %y : memref<64x64xf32, #tile.fragment>, memref<64x64xf32>
  }
  return
}
