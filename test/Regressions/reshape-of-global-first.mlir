// A reshaped global buffer as the source of copies was refused.
//
// REQUIRES: tile-run
// RUN: tile-run --no-notes --target=cuda --chip=sm_90a --device=model %s | FileCheck %s --check-prefix=RIGHT
// RUN: tile-run --no-notes --target=hip --chip=gfx942 --device=model %s | FileCheck %s --check-prefix=RIGHT
// RUN: tile-run --no-notes --target=ascend %s | FileCheck %s --check-prefix=RIGHT

// RIGHT: 1 passed, 0 failed

func.func @f(%a: memref<64x1024xf16>, %b: memref<4x256x128xf16>, %c: memref<64x128xf32>)
    attributes {tile.atol = 1.0e-3} { // sums of 1024 products, in another order
  %z = arith.constant 0.0 : f32
  %r = tile.reshape %b : memref<4x256x128xf16> to memref<1024x128xf16>
  tile.kernel (%x) in (1) threads(128) {

    %as = tile.alloc : memref<64x64xf16, #tile.shared>
    %bs = tile.alloc : memref<64x128xf16, #tile.shared>
    %acc = tile.alloc : memref<64x128xf32, #tile.fragment>
    tile.fill %acc, %z : memref<64x128xf32, #tile.fragment>
    tile.pipelined %k = 0 to 16 stages(2) {
      tile.copy %a[0, %k * 64], %as : memref<64x1024xf16>, memref<64x64xf16, #tile.shared>
      tile.copy %r[%k * 64, 0], %bs : memref<1024x128xf16>, memref<64x128xf16, #tile.shared>
      tile.gemm %as, %bs, %acc : memref<64x64xf16, #tile.shared>, memref<64x128xf16, #tile.shared>, memref<64x128xf32, #tile.fragment>
    }
    tile.copy %acc, %c : memref<64x128xf32, #tile.fragment>, memref<64x128xf32>
  }
  return
}
