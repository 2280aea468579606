// Elements of a fragment that other threads own were refused as a source.
//
// REQUIRES: tile-run
// RUN: tile-run --no-notes --target=cuda --chip=sm_90a --device=model %s | FileCheck %s --check-prefix=RIGHT
// RUN: tile-run --no-notes --target=hip --chip=gfx942 --device=model %s | FileCheck %s --check-prefix=RIGHT
// RUN: tile-run --no-notes --target=ascend %s | FileCheck %s --check-prefix=RIGHT

// RIGHT: 1 passed, 0 failed

func.func @p2(%a: memref<32x64xf32>, %y: memref<32x64xf32> {tile.result}) {
  tile.kernel (%b) in (1) threads(128) {
    %f = tile.alloc : memref<32x64xf32, #tile.fragment>
    tile.copy %a, %f : memref<32x64xf32>, memref<32x64xf32, #tile.fragment>
    tile.parallel (%i, %j) in (32, 64) {
      %k = affine.apply affine_map<(j) -> (63 - j)>(%j)
      %v = memref.load %f[%i, %k] : memref<32x64xf32, #tile.fragment>
      memref.store %v, %y[%i, %j] : memref<32x64xf32>
    }
  }
  return
}
