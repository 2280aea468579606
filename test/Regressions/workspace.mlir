// A buffer that a function allocates for its kernels was refused.
//
// REQUIRES: tile-run
// RUN: tile-run --no-notes --target=cuda --chip=sm_90a --device=model %s | FileCheck %s --check-prefix=RIGHT
// RUN: tile-run --no-notes --target=hip --chip=gfx942 --device=model %s | FileCheck %s --check-prefix=RIGHT
// RUN: tile-run --no-notes --target=ascend %s | FileCheck %s --check-prefix=RIGHT

// RIGHT: 1 passed, 0 failed

func.func @ws(%a: memref<?xf32> {tile.shape = "N"}, %b: memref<?xf32> {tile.shape = "N", tile.result}) attributes {tile.reference = @ref, tile.cases = ["N=200"]} {
  %w = tile.alloc : memref<256xf32>
  tile.kernel (%p) in (1) threads(128) {
    tile.parallel (%i) in (256) {
      %v = memref.load %a[%i] : memref<?xf32>
      %r = arith.addf %v, %v : f32
      memref.store %r, %w[%i] : memref<256xf32>
    }
  }
  tile.kernel (%p) in (1) threads(128) {
    tile.parallel (%i) in (256) {
      %v = memref.load %w[%i] : memref<256xf32>
      memref.store %v, %b[%i] : memref<?xf32>
    }
  }
  return
}
func.func private @ref(%a: memref<?xf32>, %b: memref<?xf32>) {
  linalg.add ins(%a, %a : memref<?xf32>, memref<?xf32>) outs(%b : memref<?xf32>)
  return
}
