// A subview of an argument, made before the kernel, was refused.
//
// REQUIRES: tile-run
// RUN: tile-run --no-notes --target=cuda --chip=sm_90a --device=model %s | FileCheck %s --check-prefix=RIGHT
// RUN: tile-run --no-notes --target=hip --chip=gfx942 --device=model %s | FileCheck %s --check-prefix=RIGHT
// RUN: tile-run --no-notes --target=ascend %s | FileCheck %s --check-prefix=RIGHT

// RIGHT: 1 passed, 0 failed

func.func @p15(%a: memref<64x192xf16>, %y: memref<64x64xf16> {tile.result}) {
  %k = memref.subview %a[0, 64] [64, 64] [1, 1] : memref<64x192xf16> to memref<64x64xf16, strided<[192, 1], offset: 64>>
  tile.kernel (%b) in (2) threads(128) {
    %t = tile.alloc : memref<32x64xf16, #tile.shared>
    tile.copy %k[%b * 32, 0], %t : memref<64x64xf16, strided<[192, 1], offset: 64>>, memref<32x64xf16, #tile.shared>
    tile.copy %t, %y[%b * 32, 0] : memref<32x64xf16, #tile.shared>, memref<64x64xf16>
  }
  return
}
