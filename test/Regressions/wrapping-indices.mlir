// Indices of integers that wrap: neighbours of an iteration are not neighbours in memory where the period is shorter than a vector. No test
// had an index whose products leave 32 bits on purpose, and the analysis took integers for numbers without an end.

// REQUIRES: tile-run, nvidia, amd
// RUN: tile-run %s | FileCheck %s
// RUN: tile-run --target=cuda --device=model --chip=sm_90a %s | FileCheck %s
// RUN: tile-run --target=hip --device=model --chip=gfx942 %s | FileCheck %s
// CHECK: {{^}}2 passed, 0 failed{{$}}

// The last two bits, by shifts.
func.func @shifts(%x: memref<1024xf16>, %y: memref<1024xf16> {tile.result}) attributes {tile.reference = @shifts_reference} {
  tile.kernel (%b) in (1) threads(32) {
    tile.parallel (%i) in (1024) {
      %c30 = arith.constant 30 : i32
      %a = arith.index_cast %i : index to i32
      %l = arith.shli %a, %c30 : i32
      %r = arith.shrui %l, %c30 : i32
      %k = arith.index_castui %r : i32 to index
      %v = memref.load %x[%k] : memref<1024xf16>
      memref.store %v, %y[%i] : memref<1024xf16>
    }
  }
  return
}

func.func private @shifts_reference(%x: memref<1024xf16>, %y: memref<1024xf16>) {
  affine.for %i = 0 to 1024 {
    %v = affine.load %x[%i mod 4] : memref<1024xf16>
    affine.store %v, %y[%i] : memref<1024xf16>
  }
  return
}

// The last bit, by a cast.
func.func @parity(%x: memref<1024xf16>, %y: memref<1024xf16> {tile.result}) attributes {tile.reference = @parity_reference} {
  tile.kernel (%b) in (1) threads(32) {
    tile.parallel (%i) in (1024) {
      %a = arith.index_cast %i : index to i1
      %k = arith.index_castui %a : i1 to index
      %v = memref.load %x[%k] : memref<1024xf16>
      memref.store %v, %y[%i] : memref<1024xf16>
    }
  }
  return
}

func.func private @parity_reference(%x: memref<1024xf16>, %y: memref<1024xf16>) {
  affine.for %i = 0 to 1024 {
    %v = affine.load %x[%i mod 2] : memref<1024xf16>
    affine.store %v, %y[%i] : memref<1024xf16>
  }
  return
}
