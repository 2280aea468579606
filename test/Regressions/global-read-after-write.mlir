// A block reads what it has written to a global buffer: nothing ordered the two.
//
// REQUIRES: tile-run
// RUN: tile-run --no-notes --target=cuda --chip=sm_90a --device=model %s | FileCheck %s --check-prefix=RIGHT
// RUN: tile-run --no-notes --target=hip --chip=gfx942 --device=model %s | FileCheck %s --check-prefix=RIGHT
// RUN: not tile-run --no-notes --target=ascend %s 2>&1 | FileCheck %s --check-prefix=ERROR

// RIGHT: 1 passed, 0 failed
// ERROR: error: on Ascend, elements of a global buffer that the kernel also writes are not neighbours; read them before, or copy them to a tile

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
