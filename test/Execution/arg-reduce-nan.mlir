// NaN loses against numbers; where there is nothing else, the first one it is.

// REQUIRES: tile-run, nvidia, amd
// RUN: tile-run %s | FileCheck %s
// RUN: tile-run %s --target=cuda --chip=sm_80 --device=model | FileCheck %s
// RUN: tile-run %s --target=cuda --chip=sm_90a --device=model | FileCheck %s
// RUN: tile-run %s --target=hip --chip=gfx942 --device=model | FileCheck %s
// RUN: tile-run %s --target=hip --chip=gfx1100 --device=model | FileCheck %s
// CHECK: {{^}}1 passed, 0 failed{{$}}

func.func @nan(%x: memref<4x32xi32> {tile.init = "integers(0,9)"}, %p: memref<4xi32> {tile.result})
    attributes {tile.reference = @nan_reference} {
  tile.kernel (%b) in (1) threads(64) {
    %q = tile.alloc : memref<4x32xi32, #tile.fragment>
    %t = tile.alloc : memref<4x32xf32, #tile.fragment>
    %best = tile.alloc : memref<4xf32, #tile.fragment>
    %at = tile.alloc : memref<4xi32, #tile.fragment>
    tile.copy %x, %q
    // Row 0 is all NaN, in the others the large numbers are.
    tile.parallel (%i, %j) in (4, 32) {
      %e = memref.load %q[%i, %j] : memref<4x32xi32, #tile.fragment>
      %row = arith.index_cast %i : index to i32
      %c0 = arith.constant 0 : i32
      %c5 = arith.constant 5 : i32
      %zero = arith.constant 0.0 : f32
      %first = arith.cmpi eq, %row, %c0 : i32
      %large = arith.cmpi sgt, %e, %c5 : i32
      %none = arith.ori %first, %large : i1
      %number = arith.sitofp %e : i32 to f32
      %nan = arith.constant 0x7FC00000 : f32
      %f = arith.select %none, %nan, %number : f32
      memref.store %f, %t[%i, %j] : memref<4x32xf32, #tile.fragment>
    }
    tile.arg_reduce max %t, %best, %at dim(1)
    tile.copy %at, %p
  }
  return
}
func.func private @nan_reference(%x: memref<4x32xi32>, %p: memref<4xi32>) {
  %c0 = arith.constant 0 : i32
  %c5 = arith.constant 5 : i32
  %low = arith.constant -1 : i32
  %zero = arith.constant 0 : index
  affine.for %i = 0 to 4 {
    %row = arith.index_cast %i : index to i32
    %first = arith.cmpi eq, %row, %c0 : i32
    %best:2 = affine.for %j = 0 to 32 iter_args(%old = %low, %place = %zero) -> (i32, index) {
      %e = affine.load %x[%i, %j] : memref<4x32xi32>
      %large = arith.cmpi sgt, %e, %c5 : i32
      %none = arith.ori %first, %large : i1
      %value = arith.select %none, %low, %e : i32
      %better = arith.cmpi sgt, %value, %old : i32
      %new = arith.select %better, %value, %old : i32
      %at = arith.select %better, %j, %place : index
      affine.yield %new, %at : i32, index
    }
    %at = arith.index_cast %best#1 : index to i32
    affine.store %at, %p[%i] : memref<4xi32>
  }
  return
}
