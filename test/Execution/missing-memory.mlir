// Buffers for which there is no memory end in an error of the launch: nothing is written through null pointers, whatever the
// product of the extents overflows to. A buffer that fits is used.

// REQUIRES: tile-run
// RUN: tile-run %s --func=workspace N=1000 --arg=1:1000 | FileCheck %s --check-prefix=RIGHT
// RIGHT: 1 passed, 0 failed
// RUN: not tile-run %s --func=workspace N=4 --arg=1:70368744177664 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: not tile-run %s --func=workspace N=4 --arg=1:70368744177664 --threads=1 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: expected 18014398509481984 bytes of memory for a thread, got none; some blocks did not run
// RUN: not tile-run %s --func=workspace N=4 --arg=1:72057594037927937 2>&1 | FileCheck %s --check-prefix=HUGE
// RUN: not tile-run %s --func=workspace N=4 --arg=1:-1 2>&1 | FileCheck %s --check-prefix=HUGE
// HUGE: expected buffers of less than 2^62 bytes, got a larger one; some blocks did not run
// RUN: not tile-run %s --func=tile N=4 2>&1 | FileCheck %s --check-prefix=TILE
// TILE: expected 1125899906842624 bytes of memory for a thread, got none; some blocks did not run

func.func @twice(%x: memref<?xf32>, %n: index, %y: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %size = memref.dim %x, %c0 : memref<?xf32>
  scf.for %i = %c0 to %size step %c1 {
    %v = memref.load %x[%i] : memref<?xf32>
    %w = arith.addf %v, %v : f32
    memref.store %w, %y[%i] : memref<?xf32>
  }
  return
}

func.func @workspace(%x: memref<?xf32> {tile.shape = "N"}, %n: index, %y: memref<?xf32> {tile.shape = "N"})
    attributes {tile.reference = @twice} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %size = memref.dim %x, %c0 : memref<?xf32>
  %blocks = arith.ceildivui %size, %c64 : index
  %w = tile.alloc (%n) : memref<?x64xf32>
  tile.kernel (%b) in (%blocks) {
    %t = tile.alloc : memref<64xf32, #tile.fragment>
    tile.copy %x[%b * 64], %t
    tile.copy %t, %w[%b, 0]
  }
  tile.kernel (%b) in (%blocks) {
    %t = tile.alloc : memref<64xf32, #tile.fragment>
    tile.copy %w[%b, 0], %t
    tile.parallel (%i) in (64) {
      %v = memref.load %t[%i] : memref<64xf32, #tile.fragment>
      %u = arith.addf %v, %v : f32
      memref.store %u, %t[%i] : memref<64xf32, #tile.fragment>
    }
    tile.copy %t, %y[%b * 64]
  }
  return
}

func.func @tile(%x: memref<?xf32> {tile.shape = "N"}) {
  tile.kernel (%b) in (8) {
    %t = tile.alloc : memref<16777216x16777216xf32, #tile.shared>
    tile.copy %x[%b * 64], %t[%b, 0] [1, 64] : memref<?xf32>, memref<16777216x16777216xf32, #tile.shared>
    tile.copy %t[%b, 0] [1, 64], %x[%b * 64] : memref<16777216x16777216xf32, #tile.shared>, memref<?xf32>
  }
  return
}
