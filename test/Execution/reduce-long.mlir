// Rows of which a thread has so many elements that it keeps several results beside each other: 64 and more, none left over and
// some, in one thread and in many, for each kind.

// REQUIRES: tile-run
// RUN: tile-run %s | FileCheck %s
// RUN: tile-run %s --target=cuda --chip=sm_90a --device=model | FileCheck %s
// RUN: tile-run %s --target=hip --chip=gfx942 --device=model | FileCheck %s
// CHECK: {{^}}3 passed, 0 failed{{$}}

!x = memref<4x4096xf32>
!row = memref<1x4096xf32, #tile.fragment>
!one = memref<1xf32, #tile.fragment>
!y = memref<4xf32>
func.func @kinds(%x: !x {tile.init = "integers(-9,9)"}, %sum: !y {tile.result}, %max: !y {tile.result}, %min: !y {tile.result},
                 %absmax: !y {tile.result}) attributes {tile.reference = @kinds_reference, tile.atol = 0.0, tile.rtol = 0.0} {
  tile.kernel (%b) in (4) threads(32) {
    %t = tile.alloc : !row
    %s = tile.alloc : !one
    tile.copy %x[%b, 0], %t : !x, !row
    tile.reduce sum %t, %s dim(1) : !row, !one
    tile.copy %s, %sum[%b] : !one, !y
    tile.reduce max %t, %s dim(1) : !row, !one
    tile.copy %s, %max[%b] : !one, !y
    tile.reduce min %t, %s dim(1) : !row, !one
    tile.copy %s, %min[%b] : !one, !y
    tile.reduce absmax %t, %s dim(1) : !row, !one
    tile.copy %s, %absmax[%b] : !one, !y
  }
  return
}
func.func @kinds_reference(%x: !x, %sum: !y, %max: !y, %min: !y, %absmax: !y) {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant -10.0 : f32
  %high = arith.constant 10.0 : f32
  affine.for %i = 0 to 4 {
    %r:4 = affine.for %j = 0 to 4096 iter_args(%s = %zero, %a = %low, %b = %high, %c = %zero) -> (f32, f32, f32, f32) {
      %v = affine.load %x[%i, %j] : !x
      %s1 = arith.addf %s, %v : f32
      %a1 = arith.maximumf %a, %v : f32
      %b1 = arith.minimumf %b, %v : f32
      %w = math.absf %v : f32
      %c1 = arith.maximumf %c, %w : f32
      affine.yield %s1, %a1, %b1, %c1 : f32, f32, f32, f32
    }
    affine.store %r#0, %sum[%i] : !y
    affine.store %r#1, %max[%i] : !y
    affine.store %r#2, %min[%i] : !y
    affine.store %r#3, %absmax[%i] : !y
  }
  return
}

// Columns of 67 elements of one thread each, and a row of 2081 over 32 threads, 65 or 66 of a thread.
!w = memref<67x32xf32>
!wide = memref<67x32xf32, #tile.fragment>
!columns = memref<32xf32, #tile.fragment>
func.func @columns(%x: !w {tile.init = "integers(-9,9)"}, %y: memref<32xf32> {tile.result})
    attributes {tile.reference = @columns_reference, tile.atol = 0.0, tile.rtol = 0.0} {
  tile.kernel (%b) in (1) threads(32) {
    %t = tile.alloc : !wide
    %s = tile.alloc : !columns
    tile.copy %x, %t : !w, !wide
    tile.reduce sum %t, %s dim(0) : !wide, !columns
    tile.copy %s, %y : !columns, memref<32xf32>
  }
  return
}
func.func @columns_reference(%x: !w, %y: memref<32xf32>) {
  %zero = arith.constant 0.0 : f32
  affine.for %j = 0 to 32 {
    %r = affine.for %i = 0 to 67 iter_args(%s = %zero) -> f32 {
      %v = affine.load %x[%i, %j] : !w
      %s1 = arith.addf %s, %v : f32
      affine.yield %s1 : f32
    }
    affine.store %r, %y[%j] : memref<32xf32>
  }
  return
}
!odd = memref<1x2081xi32>
func.func @odd(%x: !odd {tile.init = "integers(-99,99)"}, %y: memref<1xi32> {tile.result})
    attributes {tile.reference = @odd_reference} {
  tile.kernel (%b) in (1) threads(32) {
    %t = tile.alloc : memref<1x2081xi32, #tile.fragment>
    %s = tile.alloc : memref<1xi32, #tile.fragment>
    tile.copy %x, %t : !odd, memref<1x2081xi32, #tile.fragment>
    tile.reduce sum %t, %s dim(1) : memref<1x2081xi32, #tile.fragment>, memref<1xi32, #tile.fragment>
    tile.copy %s, %y : memref<1xi32, #tile.fragment>, memref<1xi32>
  }
  return
}
func.func @odd_reference(%x: !odd, %y: memref<1xi32>) {
  %zero = arith.constant 0 : i32
  %r = affine.for %i = 0 to 2081 iter_args(%s = %zero) -> i32 {
    %v = affine.load %x[0, %i] : !odd
    %s1 = arith.addi %s, %v : i32
    affine.yield %s1 : i32
  }
  affine.store %r, %y[0] : memref<1xi32>
  return
}
