// The maximum of a NaN and a number outside of 'tile.parallel' is the NaN.
//
// REQUIRES: tile-run
// RUN: tile-run --no-notes --target=cuda --chip=sm_90a --device=model --arg=2:nan --arg=3:1 %s | FileCheck %s --check-prefix=RIGHT
// RUN: tile-run --no-notes --target=hip --chip=gfx942 --device=model --arg=2:nan --arg=3:1 %s | FileCheck %s --check-prefix=RIGHT
// RUN: tile-run --no-notes --target=ascend --arg=2:nan --arg=3:1 %s | FileCheck %s --check-prefix=RIGHT

// RIGHT: 1 passed, 0 failed

func.func @f(%a: memref<64xf32>, %o: memref<64xf32>, %s: f32, %t: f32) {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<64xf32, #tile.shared>
    %m = arith.maximumf %s, %t : f32
    tile.fill %x, %m : memref<64xf32, #tile.shared>
    tile.copy %x, %o : memref<64xf32, #tile.shared>, memref<64xf32>
  }
  return
}
