// A function that a kernel calls was refused.
//
// REQUIRES: tile-run
// RUN: tile-run --no-notes --target=cuda --chip=sm_90a --device=model %s | FileCheck %s --check-prefix=RIGHT
// RUN: tile-run --no-notes --target=hip --chip=gfx942 --device=model %s | FileCheck %s --check-prefix=RIGHT
// RUN: tile-run --no-notes --target=ascend %s | FileCheck %s --check-prefix=RIGHT

// RIGHT: 1 passed, 0 failed

func.func private @twice(%x: f32) -> f32 {
  %r = arith.addf %x, %x : f32
  return %r : f32
}
func.func @call(%a: memref<256xf32>, %b: memref<256xf32> {tile.result}) attributes {tile.reference = @ref} {
  tile.kernel (%p) in (1) threads(128) {
    tile.parallel (%i) in (256) {
      %v = memref.load %a[%i] : memref<256xf32>
      %r = func.call @twice(%v) : (f32) -> f32
      memref.store %r, %b[%i] : memref<256xf32>
    }
  }
  return
}
func.func private @ref(%a: memref<256xf32>, %b: memref<256xf32>) {
  linalg.add ins(%a, %a : memref<256xf32>, memref<256xf32>) outs(%b : memref<256xf32>)
  return
}
