// The sum of a row in global memory, which no view shows: the compiler crashed where it looked for views of it, on gfx90a.
//
// REQUIRES: tile-run, nvidia, amd
// RUN: tile-run --no-notes %s | FileCheck %s
// RUN: for chip in gfx90a gfx942 gfx1100; do tile-run --no-notes --target=hip --chip=$chip --device=model %s || exit 1; done | FileCheck %s
// RUN: for chip in sm_80 sm_90a; do tile-run --no-notes --target=cuda --chip=$chip --device=model %s || exit 1; done | FileCheck %s

// CHECK-NOT: FAIL
// CHECK: 2 passed, 0 failed

func.func @row(%a: memref<8xf32>, %s: memref<1xf32> {tile.result}) attributes {tile.reference = @row_reference, tile.atol = 1.0e-6} {
  tile.kernel (%b) in (1) {
    tile.reduce sum %a, %s dim(0)
  }
  return
}
func.func @row_reference(%a: memref<8xf32>, %s: memref<1xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %sum = affine.for %i = 0 to 8 iter_args(%before = %zero) -> f32 {
    %v = affine.load %a[%i] : memref<8xf32>
    %after = arith.addf %before, %v : f32
    affine.yield %after : f32
  }
  memref.store %sum, %s[%c0] : memref<1xf32>
  return
}

func.func @rows(%a: memref<4x70xi32>, %s: memref<4xi32> {tile.result}) attributes {tile.reference = @rows_reference} {
  tile.kernel (%b) in (1) {
    tile.reduce max %a, %s dim(1)
  }
  return
}
func.func @rows_reference(%a: memref<4x70xi32>, %s: memref<4xi32>) {
  affine.for %r = 0 to 4 {
    %first = affine.load %a[%r, 0] : memref<4x70xi32>
    %most = affine.for %i = 1 to 70 iter_args(%before = %first) -> i32 {
      %v = affine.load %a[%r, %i] : memref<4x70xi32>
      %after = arith.maxsi %before, %v : i32
      affine.yield %after : i32
    }
    affine.store %most, %s[%r] : memref<4xi32>
  }
  return
}
