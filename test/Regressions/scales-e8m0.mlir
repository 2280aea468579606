// Scales of f8E8M0FNU were refused.
//
// REQUIRES: tile-run
// RUN: tile-run --no-notes --target=cuda --chip=sm_90a --device=model %s | FileCheck %s --check-prefix=RIGHT
// RUN: tile-run --no-notes --target=hip --chip=gfx942 --device=model %s | FileCheck %s --check-prefix=RIGHT
// RUN: not tile-run --no-notes --target=ascend %s 2>&1 | FileCheck %s --check-prefix=ERROR

// RIGHT: 1 passed, 0 failed
// ERROR: error: 910B has no conversion from 'f8E8M0FNU' to 'f32'

func.func @e8m0(%a: memref<256xf8E8M0FNU>, %b: memref<256xf32> {tile.result}) attributes {tile.reference = @ref} {
  tile.kernel (%p) in (1) threads(128) {
    tile.parallel (%i) in (256) {
      %v = memref.load %a[%i] : memref<256xf8E8M0FNU>
      %r = arith.extf %v : f8E8M0FNU to f32
      memref.store %r, %b[%i] : memref<256xf32>
    }
  }
  return
}
func.func private @ref(%a: memref<256xf8E8M0FNU>, %b: memref<256xf32>) {
  affine.for %i = 0 to 256 {
      %v = memref.load %a[%i] : memref<256xf8E8M0FNU>
      %r = arith.extf %v : f8E8M0FNU to f32
      memref.store %r, %b[%i] : memref<256xf32>
  }
  return
}
