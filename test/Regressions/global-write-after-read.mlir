// A block overwrites what it has read of a global buffer: nothing ordered the two.
//
// REQUIRES: tile-run
// RUN: tile-run --no-notes --target=cuda --chip=sm_90a --device=model %s | FileCheck %s --check-prefix=RIGHT
// RUN: tile-run --no-notes --target=hip --chip=gfx942 --device=model %s | FileCheck %s --check-prefix=RIGHT
// RUN: tile-run --no-notes --target=ascend %s | FileCheck %s --check-prefix=RIGHT

// RIGHT: 1 passed, 0 failed

func.func @glob_war(%x: memref<128xf32> {tile.init = "normal", tile.result}) {
  %c0 = arith.constant 0 : index
  tile.kernel (%b) in (1) threads(128) {
    %p = memref.load %x[%c0] : memref<128xf32>
    tile.parallel (%i) in (128) {
      %v = memref.load %x[%i] : memref<128xf32>
      %w = arith.subf %v, %p : f32
      memref.store %w, %x[%i] : memref<128xf32>
    }
  }
  return
}
