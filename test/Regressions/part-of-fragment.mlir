// A part of a fragment as the source of a copy was refused.
//
// REQUIRES: tile-run
// RUN: tile-run --no-notes --target=cuda --chip=sm_90a --device=model %s | FileCheck %s --check-prefix=RIGHT
// RUN: tile-run --no-notes --target=hip --chip=gfx942 --device=model %s | FileCheck %s --check-prefix=RIGHT
// RUN: tile-run --no-notes --target=ascend %s | FileCheck %s --check-prefix=RIGHT

// RIGHT: 1 passed, 0 failed

func.func @p3(%a: memref<32x64xf32>, %y: memref<32x32xf32> {tile.result}) {
  tile.kernel (%b) in (1) threads(128) {
    %f = tile.alloc : memref<32x64xf32, #tile.fragment>
    tile.copy %a, %f : memref<32x64xf32>, memref<32x64xf32, #tile.fragment>
    tile.copy %f[0, 32] [32, 32], %y : memref<32x64xf32, #tile.fragment>, memref<32x32xf32>
  }
  return
}
