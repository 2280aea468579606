// REQUIRES: tile-run
// RUN: tile-run %s | FileCheck %s
// RUN: tile-run --target=ascend %s | FileCheck %s
// RUN: tile-run --target=ascend --chip=950 %s | FileCheck %s

// tile.scan on the Ascend model: along rows, from row to row, both ways, in f16 with sums of f32, in place. Integers, so that all
// sums are exact.

// CHECK-NOT: FAIL
// CHECK: {{^}}4 passed, 0 failed

func.func @along(%x: memref<5x37xf16> {tile.init = "integers(-3,3)"}, %y: memref<5x37xf16> {tile.result})
    attributes {tile.reference = @along_reference} {
  tile.kernel (%b) in (1) threads(128) {
    %xs = tile.alloc : memref<5x37xf16, #tile.shared>
    %ys = tile.alloc : memref<5x37xf16, #tile.shared>
    tile.copy %x, %xs : memref<5x37xf16>, memref<5x37xf16, #tile.shared>
    tile.scan sum %xs, %ys dim(1) : memref<5x37xf16, #tile.shared>, memref<5x37xf16, #tile.shared>
    tile.copy %ys, %y : memref<5x37xf16, #tile.shared>, memref<5x37xf16>
  }
  return
}

func.func @along_reference(%x: memref<5x37xf16>, %y: memref<5x37xf16>) {
  affine.for %o = 0 to 5 {
    %first = affine.load %x[%o, 0] : memref<5x37xf16>
    affine.store %first, %y[%o, 0] : memref<5x37xf16>
    %wide = arith.extf %first : f16 to f64
    %all = affine.for %i = 1 to 37 iter_args(%old = %wide) -> f64 {
      %e = affine.load %x[%o, %i] : memref<5x37xf16>
      %w = arith.extf %e : f16 to f64
      %new = arith.addf %old, %w : f64
      %n = arith.truncf %new : f64 to f16
      affine.store %n, %y[%o, %i] : memref<5x37xf16>
      affine.yield %new : f64
    }
  }
  return
}

func.func @across(%x: memref<20x40xf32> {tile.init = "integers(-9,9)"}, %y: memref<20x40xf32> {tile.result})
    attributes {tile.reference = @across_reference} {
  tile.kernel (%b) in (1) threads(128) {
    %xs = tile.alloc : memref<20x40xf32, #tile.shared>
    %ys = tile.alloc : memref<20x40xf32, #tile.shared>
    tile.copy %x, %xs : memref<20x40xf32>, memref<20x40xf32, #tile.shared>
    tile.scan sum %xs, %xs dim(0) {reverse} : memref<20x40xf32, #tile.shared>, memref<20x40xf32, #tile.shared>
    tile.copy %xs, %y : memref<20x40xf32, #tile.shared>, memref<20x40xf32>
  }
  return
}

func.func @across_reference(%x: memref<20x40xf32>, %y: memref<20x40xf32>) {
  affine.for %o = 0 to 40 {
    %first = affine.load %x[19, %o] : memref<20x40xf32>
    affine.store %first, %y[19, %o] : memref<20x40xf32>
    %wide = arith.extf %first : f32 to f64
    %all = affine.for %i = 1 to 20 iter_args(%old = %wide) -> f64 {
      %e = affine.load %x[19 - %i, %o] : memref<20x40xf32>
      %w = arith.extf %e : f32 to f64
      %new = arith.addf %old, %w : f64
      %n = arith.truncf %new : f64 to f32
      affine.store %n, %y[19 - %i, %o] : memref<20x40xf32>
      affine.yield %new : f64
    }
  }
  return
}

func.func @maximum(%x: memref<100xf32> {tile.init = "integers(-99,99)"}, %y: memref<100xf32> {tile.result})
    attributes {tile.reference = @maximum_reference} {
  tile.kernel (%b) in (1) threads(128) {
    %xs = tile.alloc : memref<100xf32, #tile.shared>
    %ys = tile.alloc : memref<100xf32, #tile.shared>
    tile.copy %x, %xs : memref<100xf32>, memref<100xf32, #tile.shared>
    tile.scan max %xs, %xs dim(0) : memref<100xf32, #tile.shared>, memref<100xf32, #tile.shared>
    tile.copy %xs, %y : memref<100xf32, #tile.shared>, memref<100xf32>
  }
  return
}

func.func @maximum_reference(%x: memref<100xf32>, %y: memref<100xf32>) {
  %first = affine.load %x[0] : memref<100xf32>
  affine.store %first, %y[0] : memref<100xf32>
  %wide = arith.extf %first : f32 to f64
  %all = affine.for %i = 1 to 100 iter_args(%old = %wide) -> f64 {
    %e = affine.load %x[%i] : memref<100xf32>
    %w = arith.extf %e : f32 to f64
    %new = arith.maximumf %old, %w : f64
    %n = arith.truncf %new : f64 to f32
    affine.store %n, %y[%i] : memref<100xf32>
    affine.yield %new : f64
  }
  return
}

func.func @integers(%x: memref<3x50xi32> {tile.init = "integers(-1000,1000)"}, %y: memref<3x50xi32> {tile.result})
    attributes {tile.reference = @integers_reference} {
  tile.kernel (%b) in (1) threads(128) {
    %xs = tile.alloc : memref<3x50xi32, #tile.shared>
    %ys = tile.alloc : memref<3x50xi32, #tile.shared>
    tile.copy %x, %xs : memref<3x50xi32>, memref<3x50xi32, #tile.shared>
    tile.scan sum %xs, %ys dim(1) {reverse} : memref<3x50xi32, #tile.shared>, memref<3x50xi32, #tile.shared>
    tile.copy %ys, %y : memref<3x50xi32, #tile.shared>, memref<3x50xi32>
  }
  return
}

func.func @integers_reference(%x: memref<3x50xi32>, %y: memref<3x50xi32>) {
  affine.for %o = 0 to 3 {
    %first = affine.load %x[%o, 49] : memref<3x50xi32>
    affine.store %first, %y[%o, 49] : memref<3x50xi32>
    %all = affine.for %i = 1 to 50 iter_args(%old = %first) -> i32 {
      %e = affine.load %x[%o, 49 - %i] : memref<3x50xi32>
      %new = arith.addi %old, %e : i32
      affine.store %new, %y[%o, 49 - %i] : memref<3x50xi32>
      affine.yield %new : i32
    }
  }
  return
}
