// A tensor copy of a tile of three dimensions was chosen and then refused.
//
// REQUIRES: tile-run
// RUN: tile-run --no-notes --target=cuda --chip=sm_90a --device=model %s | FileCheck %s --check-prefix=RIGHT
// RUN: tile-run --no-notes --target=hip --chip=gfx942 --device=model %s | FileCheck %s --check-prefix=RIGHT
// RUN: tile-run --no-notes --target=ascend %s | FileCheck %s --check-prefix=RIGHT

// RIGHT: 1 passed, 0 failed

func.func @tma3d(%x: memref<2x16x16x32xf16>, %y: memref<2x16x16x32xf16> {tile.result}) {
  tile.kernel (%b, %i) in (4, 2) threads(128) {
    %p = tile.alloc : memref<4x16x32xf16, #tile.shared>
    tile.pipelined %t = 0 to 2 stages(2) {
      tile.copy %x[%i, %b * 4, %t * 8, 0] [1, 4, 16, 32], %p : memref<2x16x16x32xf16>, memref<4x16x32xf16, #tile.shared>
      tile.copy %p, %y[%i, %b * 4, %t * 8, 0] [1, 4, 16, 32] : memref<4x16x32xf16, #tile.shared>, memref<2x16x16x32xf16>
    }
  }
  return
}
