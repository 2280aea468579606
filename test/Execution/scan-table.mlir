// Scans whose warps have the totals of several parts of the row: a thread for each total adds up those before it. Forwards, in
// reverse, and of two rows, of which each belongs to half of the warps.

// REQUIRES: tile-run, nvidia
// UNSUPPORTED: sanitizer
// RUN: tile-run %s --target=cuda --chip=sm_90a --device=model | FileCheck %s
// CHECK: {{^}}3 passed, 0 failed{{$}}

func.func @forwards(%x: memref<3x16384xf32>, %y: memref<3x16384xf32> {tile.result})
    attributes {tile.reference = @forwards_reference, tile.atol = 1.0e-2, tile.rtol = 1.0e-4} {
  tile.kernel (%b) in (3) threads(512) {
    %v = tile.alloc : memref<1x16384xf32, #tile.fragment>
    tile.copy %x[%b, 0], %v
    tile.scan sum %v, %v dim(1)
    tile.copy %v, %y[%b, 0]
  }
  return
}

func.func @forwards_reference(%x: memref<3x16384xf32>, %y: memref<3x16384xf32>) {
  %zero = arith.constant 0.0 : f32
  affine.for %i = 0 to 3 {
    affine.for %j = 0 to 16384 iter_args(%s = %zero) -> f32 {
      %v = affine.load %x[%i, %j] : memref<3x16384xf32>
      %next = arith.addf %s, %v : f32
      affine.store %next, %y[%i, %j] : memref<3x16384xf32>
      affine.yield %next : f32
    }
  }
  return
}

func.func @reverse(%x: memref<2x10000xi32>, %y: memref<2x10000xi32> {tile.result})
    attributes {tile.reference = @reverse_reference} {
  tile.kernel (%b) in (2) threads(512) {
    %v = tile.alloc : memref<1x10000xi32, #tile.fragment>
    tile.copy %x[%b, 0], %v
    tile.scan max %v, %v dim(1) {reverse}
    tile.copy %v, %y[%b, 0]
  }
  return
}

func.func @reverse_reference(%x: memref<2x10000xi32>, %y: memref<2x10000xi32>) {
  %lowest = arith.constant -2147483648 : i32
  affine.for %i = 0 to 2 {
    affine.for %k = 0 to 10000 iter_args(%m = %lowest) -> i32 {
      %v = affine.load %x[%i, 9999 - %k] : memref<2x10000xi32>
      %next = arith.maxsi %m, %v : i32
      affine.store %next, %y[%i, 9999 - %k] : memref<2x10000xi32>
      affine.yield %next : i32
    }
  }
  return
}

func.func @rows(%x: memref<4x8192xi32>, %y: memref<4x8192xi32> {tile.result})
    attributes {tile.reference = @rows_reference} {
  tile.kernel (%b) in (2) threads(512) {
    %v = tile.alloc : memref<2x8192xi32, #tile.fragment>
    tile.copy %x[%b * 2, 0], %v
    tile.scan sum %v, %v dim(1)
    tile.copy %v, %y[%b * 2, 0]
  }
  return
}

func.func @rows_reference(%x: memref<4x8192xi32>, %y: memref<4x8192xi32>) {
  %zero = arith.constant 0 : i32
  affine.for %i = 0 to 4 {
    affine.for %j = 0 to 8192 iter_args(%s = %zero) -> i32 {
      %v = affine.load %x[%i, %j] : memref<4x8192xi32>
      %next = arith.addi %s, %v : i32
      affine.store %next, %y[%i, %j] : memref<4x8192xi32>
      affine.yield %next : i32
    }
  }
  return
}
