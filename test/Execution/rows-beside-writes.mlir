// Each block reads what it has written itself. Rows that begin anywhere are loaded in vectors that hold elements of other rows, too:
// not where other blocks may be writing these. A random kernel found it.

// REQUIRES: tile-run, nvidia, amd
// RUN: tile-run %s | FileCheck %s
// RUN: tile-run %s --target=cuda --chip=sm_80 --device=model | FileCheck %s
// RUN: tile-run %s --target=cuda --chip=sm_90a --device=model | FileCheck %s
// RUN: tile-run %s --target=hip --chip=gfx942 --device=model | FileCheck %s
// CHECK: 6 passed, 0 failed

func.func @double(%x: memref<?x?xf32> {tile.shape = "MxN"}, %y: memref<?x?xf32> {tile.shape = "MxN", tile.init = "zeros"},
                  %z: memref<?x?xf32> {tile.shape = "MxN", tile.result})
    attributes {tile.reference = @twice, tile.cases = ["M=128 N=128", "M=128 N=129", "M=64 N=127", "M=3 N=126", "M=1 N=1", "M=0 N=5"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %m = memref.dim %x, %c0 : memref<?x?xf32>
  %rows = arith.ceildivui %m, %c64 : index
  tile.kernel (%b) in (2) threads(128) {
    %t = tile.alloc : memref<64x128xf32, #tile.shared>
    scf.for %i = %c0 to %rows step %c1 {
      tile.copy %x[%i * 64, %b * 128], %t
      tile.copy %t, %y[%i * 64, %b * 128]
      tile.copy %y[%i * 64, %b * 128], %t
      tile.parallel (%r, %c) in (64, 128) do %t[%r, %c] = %t[%r, %c] + %t[%r, %c]
      tile.copy %t, %z[%i * 64, %b * 128]
    }
  }
  return
}
func.func @twice(%x: memref<?x?xf32>, %y: memref<?x?xf32>, %z: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %x, %c0 : memref<?x?xf32>
  %n = memref.dim %x, %c1 : memref<?x?xf32>
  memref.copy %x, %y : memref<?x?xf32> to memref<?x?xf32>
  scf.for %i = %c0 to %m step %c1 {
    scf.for %j = %c0 to %n step %c1 {
      %v = memref.load %x[%i, %j] : memref<?x?xf32>
      %w = arith.addf %v, %v : f32
      memref.store %w, %z[%i, %j] : memref<?x?xf32>
    }
  }
  return
}
