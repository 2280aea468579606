// CUDA's grids have at most 65535 blocks along y and z, and HIP's may have more.
//
// REQUIRES: tile-run, nvidia, amd
// RUN: tile-run %s | FileCheck %s
// RUN: not tile-run --target=cuda --chip=sm_80 --device=model %s | FileCheck %s --check-prefix=TOO-MANY
// RUN: tile-run --target=hip --chip=gfx942 --device=model %s | FileCheck %s
// CHECK: {{^}}1 passed, 0 failed{{$}}
// TOO-MANY: grid.y: expected at most 65535 blocks, got 65536; let the largest extent of the grid be the first, or let each block of a smaller grid do several, with tile.persistent
func.func @rows(%y: memref<65536xi32> {tile.result}) attributes {tile.reference = @reference} {
  tile.kernel (%b, %c) in (1, 65536) threads(64) {
    tile.parallel (%i) in (1) do %y[%c] = 7
  }
  return
}
func.func private @reference(%y: memref<65536xi32>) {
  %c7 = arith.constant 7 : i32
  linalg.fill ins(%c7 : i32) outs(%y : memref<65536xi32>)
  return
}
