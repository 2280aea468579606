// A block reads what it has written to a global buffer: nothing ordered the two.
//
// REQUIRES: tile-run
// RUN: tile-run --no-notes --target=cuda --chip=sm_90a --device=model %s | FileCheck %s --check-prefix=RIGHT
// RUN: tile-run --no-notes --target=hip --chip=gfx942 --device=model %s | FileCheck %s --check-prefix=RIGHT
// RUN: env TILE_ASCEND_ORDERS=10 tile-run --no-notes --target=ascend %s | FileCheck %s --check-prefix=RIGHT
// RUN: env TILE_ASCEND_ORDERS=10 tile-run --no-notes --target=ascend --chip=950 %s | FileCheck %s --check-prefix=RIGHT

// RIGHT: 1 passed, 0 failed

func.func @glob_raw(%x: memref<128xf32>, %y: memref<128xf32> {tile.result}, %z: memref<128xf32> {tile.result}) {
  tile.kernel (%b) in (1) threads(128) {
    tile.parallel (%i) in (128) {
      %v = memref.load %x[%i] : memref<128xf32>
      %w = arith.addf %v, %v : f32
      memref.store %w, %y[%i] : memref<128xf32>
    }
    tile.parallel (%i) in (128) {
      %j = affine.apply affine_map<(i) -> (127 - i)>(%i)
      %v = memref.load %y[%j] : memref<128xf32>
      memref.store %v, %z[%i] : memref<128xf32>
    }
  }
  return
}
