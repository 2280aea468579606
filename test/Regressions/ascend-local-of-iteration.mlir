// A buffer of one iteration crashed the vectorizer of Ascend, and later was one for all iterations, where it was allocated outside
// of the loop. One that nothing uses crashed it too: all kernels used theirs.
//
// REQUIRES: tile-run, nvidia, ascend
// RUN: tile-run %s | FileCheck %s
// RUN: tile-run --target=ascend %s | FileCheck %s
// RUN: tile-run --target=ascend --chip=950 %s | FileCheck %s
// RUN: tile-run --target=cuda --chip=sm_80 --device=model %s | FileCheck %s
// RUN: not tile-run --no-notes --target=ascend --check=none --func=filled %s 2>&1 | FileCheck %s --check-prefix=ERROR
// CHECK: 3 passed, 0 failed
// ERROR: [[@LINE+44]]:5: error: on Ascend, a buffer that iterations write is for loads and stores in 'tile.parallel' alone; use a tile in shared memory
// ERROR: note: each iteration has its own

func.func @squares(%x: memref<7x64xf32>, %y: memref<7x64xf32> {tile.result}) attributes {tile.reference = @squares_reference} {
  %c0 = arith.constant 0 : index
  tile.kernel (%b) in (1) {
    tile.parallel (%i, %j) in (7, 64) {
      %own = tile.alloc : memref<1xf32, #tile.local>
      %v = memref.load %x[%i, %j] : memref<7x64xf32>
      memref.store %v, %own[%c0] : memref<1xf32, #tile.local>
      %w = memref.load %own[%c0] : memref<1xf32, #tile.local>
      %s = arith.mulf %v, %w : f32
      memref.store %s, %y[%i, %j] : memref<7x64xf32>
    }
  }
  return
}
func.func private @squares_reference(%x: memref<7x64xf32>, %y: memref<7x64xf32>) {
  linalg.mul ins(%x, %x : memref<7x64xf32>, memref<7x64xf32>) outs(%y : memref<7x64xf32>)
  return
}

// One value that all iterations begin with, and one that differs; rows of 11 elements.
func.func @recurrence(%x: memref<3x11xi32> {tile.init = "integers(-9, 9)"}, %y: memref<3x11xi32> {tile.result})
    attributes {tile.reference = @recurrence_reference} {
  tile.kernel (%b) in (1) threads(32) {
    %s = tile.alloc : memref<2xi32, #tile.local>
    tile.parallel (%i, %j) in (3, 11) do {
      %s[0] = 5
      %s[1] = %x[%i, %j]
      for %k = 0 to 4 {
        %a = %s[0]
        %s[0] = %s[1] + 1
        %s[1] = %a * 2 + %x[%i, %j]
      }
      %y[%i, %j] = %s[0] * 1000 + %s[1]
    }
  }
  return
}
func.func @filled(%y: memref<32xi32>) {
  %zero = arith.constant 0 : i32
  tile.kernel (%b) in (1) threads(32) {
    %s = tile.alloc : memref<1xi32, #tile.local>
    tile.fill %s, %zero : memref<1xi32, #tile.local>
    tile.parallel (%i) in (32) do {
      %s[0] = i32(%i)
      %y[%i] = %s[0]
    }
  }
  return
}
// Buffers that no iteration uses, or writes and never reads.
func.func @unused(%x: memref<32xf32>, %y: memref<32xf32> {tile.result}) attributes {tile.reference = @unused_reference} {
  %c0 = arith.constant 0 : index
  tile.kernel (%b) in (1) threads(32) {
    tile.parallel (%i) in (32) {
      %t = tile.alloc : memref<4xf32, #tile.local>
      %s = tile.alloc : memref<1xf32, #tile.local>
      %v = memref.load %x[%i] : memref<32xf32>
      memref.store %v, %s[%c0] : memref<1xf32, #tile.local>
      memref.store %v, %y[%i] : memref<32xf32>
    }
  }
  return
}
func.func private @unused_reference(%x: memref<32xf32>, %y: memref<32xf32>) {
  memref.copy %x, %y : memref<32xf32> to memref<32xf32>
  return
}
func.func private @recurrence_reference(%x: memref<3x11xi32>, %y: memref<3x11xi32>) {
  %c5 = arith.constant 5 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c1000 = arith.constant 1000 : i32
  affine.for %i = 0 to 3 {
    affine.for %j = 0 to 11 {
      %v = affine.load %x[%i, %j] : memref<3x11xi32>
      %e:2 = affine.for %k = 0 to 4 iter_args(%p = %c5, %q = %v) -> (i32, i32) {
        %n = arith.addi %q, %c1 : i32
        %d = arith.muli %p, %c2 : i32
        %m = arith.addi %d, %v : i32
        affine.yield %n, %m : i32, i32
      }
      %h = arith.muli %e#0, %c1000 : i32
      %r = arith.addi %h, %e#1 : i32
      affine.store %r, %y[%i, %j] : memref<3x11xi32>
    }
  }
  return
}
