// CUDA's grids have at most 65535 blocks along y and z, and HIP's may have more. A larger grid of constant extents is launched along x;
// one whose extents only the launch knows is refused there.
//
// REQUIRES: tile-run, nvidia, amd
// RUN: tile-run %s N=65536 | FileCheck %s --check-prefix=BOTH
// RUN: tile-run --target=cuda --chip=sm_80 --device=model --func=rows %s | FileCheck %s
// RUN: not tile-run --target=cuda --chip=sm_80 --device=model --func=dynamic %s N=65536 | FileCheck %s --check-prefix=TOO-MANY
// RUN: tile-run --target=hip --chip=gfx942 --device=model %s N=65536 | FileCheck %s --check-prefix=BOTH
// CHECK: {{^}}1 passed, 0 failed{{$}}
// BOTH: {{^}}2 passed, 0 failed{{$}}
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

func.func @dynamic(%y: memref<?xi32> {tile.shape = "N", tile.result}) attributes {tile.reference = @dynamic_reference} {
  %c0 = arith.constant 0 : index
  %n = memref.dim %y, %c0 : memref<?xi32>
  tile.kernel (%b, %c) in (1, %n) threads(64) {
    tile.parallel (%i) in (1) do %y[%c] = 7
  }
  return
}
func.func private @dynamic_reference(%y: memref<?xi32>) {
  %c7 = arith.constant 7 : i32
  linalg.fill ins(%c7 : i32) outs(%y : memref<?xi32>)
  return
}
