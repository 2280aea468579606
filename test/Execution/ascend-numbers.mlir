// REQUIRES: tile-run
// RUN: tile-run --target=ascend %s | FileCheck %s
// RUN: tile-run --target=ascend --chip=950 %s | FileCheck %s
// RUN: tile-run --target=cpu %s | FileCheck %s

// `maxnumf` and `minnumf` leave NaN out on both sides, `maximumf` and `minimumf` keep it. Only what is a number is compared: the
// results are 1 for NaN and 0 for numbers, and numbers.

// CHECK-NOT: FAIL
// CHECK: 1 passed, 0 failed

!tile = memref<8x64xf32, #tile.fragment>

func.func @numbers(%a: memref<8x64xf32>, %c: memref<4x8x64xf32> {tile.result}) attributes {tile.reference = @numbers_reference} {
  %nan = arith.constant 0x7FC00000 : f32
  %zero = arith.constant 0.0 : f32
  %seven = arith.constant 7.0 : f32
  %minus = arith.constant -7.0 : f32
  tile.kernel (%p) in (1) {
    %x = tile.alloc : !tile
    %y = tile.alloc : !tile
    %n = tile.alloc : !tile
    %r0 = tile.alloc : !tile
    %r1 = tile.alloc : !tile
    %r2 = tile.alloc : !tile
    %r3 = tile.alloc : !tile
    tile.copy %a, %x : memref<8x64xf32>, !tile
    tile.fill %n, %nan : !tile
    tile.parallel (%i, %j) in (8, 64) {
      %v = memref.load %x[%i, %j] : !tile
      %w = memref.load %n[%i, %j] : !tile
      %even = arith.cmpf ogt, %v, %zero : f32
      %left = arith.select %even, %v, %w : f32
      %right = arith.select %even, %w, %v : f32
      %larger = arith.maxnumf %left, %right : f32
      %smaller = arith.minnumf %right, %left : f32
      %limit = arith.maxnumf %w, %minus : f32
      %kept = arith.maximumf %left, %right : f32
      %is = arith.cmpf oeq, %kept, %kept : f32
      %number = arith.select %is, %zero, %seven : f32
      memref.store %larger, %r0[%i, %j] : !tile
      memref.store %smaller, %r1[%i, %j] : !tile
      memref.store %limit, %r2[%i, %j] : !tile
      memref.store %number, %r3[%i, %j] : !tile
    }
    tile.copy %r0, %c[0, 0, 0] : !tile, memref<4x8x64xf32>
    tile.copy %r1, %c[1, 0, 0] : !tile, memref<4x8x64xf32>
    tile.copy %r2, %c[2, 0, 0] : !tile, memref<4x8x64xf32>
    tile.copy %r3, %c[3, 0, 0] : !tile, memref<4x8x64xf32>
  }
  return
}

func.func @numbers_reference(%a: memref<8x64xf32>, %c: memref<4x8x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %seven = arith.constant 7.0 : f32
  %minus = arith.constant -7.0 : f32
  affine.for %i = 0 to 8 {
    affine.for %j = 0 to 64 {
      %v = memref.load %a[%i, %j] : memref<8x64xf32>
      memref.store %v, %c[%c0, %i, %j] : memref<4x8x64xf32>
      memref.store %v, %c[%c1, %i, %j] : memref<4x8x64xf32>
      memref.store %minus, %c[%c2, %i, %j] : memref<4x8x64xf32>
      memref.store %seven, %c[%c3, %i, %j] : memref<4x8x64xf32>
    }
  }
  return
}
