// What nobody has written is NaN, or -1: a kernel that adds to a tile which it fills in part is wrong, and is seen to be.

// REQUIRES: tile-run
// RUN: not tile-run %s | FileCheck %s
// CHECK: floats {{.*}} FAIL: argument 1{{.*}}: 4 of 8 elements differ: at [4] expected {{.*}}, got nan
// CHECK: integers {{.*}} FAIL: argument 0{{.*}}: 8 of 8 elements differ: at [0] expected 5, got 4

// RUN: tile-opt %s --tile-to-cpu-pipeline=poison-tiles | FileCheck %s --check-prefix=NAN
// NAN: llvm.mlir.constant(0xFFFFFFFF : f32)

func.func @floats(%x: memref<8xf32>, %y: memref<8xf32> {tile.result}) attributes {tile.reference = @copy} {
  tile.kernel (%b) in (1) {
    %sum = tile.alloc : memref<8xf32, #tile.fragment>
    tile.parallel (%i) in (4) do %sum[%i] = 0.0
    tile.parallel (%i) in (8) {
      %v = memref.load %x[%i] : memref<8xf32>
      %s = memref.load %sum[%i] : memref<8xf32, #tile.fragment>
      %r = arith.addf %s, %v : f32
      memref.store %r, %y[%i] : memref<8xf32>
    }
  }
  return
}

func.func private @copy(%x: memref<8xf32>, %y: memref<8xf32>) {
  memref.copy %x, %y : memref<8xf32> to memref<8xf32>
  return
}

func.func @integers(%y: memref<8xi32> {tile.result}) attributes {tile.reference = @five} {
  %five = arith.constant 5 : i32
  %w = tile.alloc : memref<8xi32>
  tile.kernel (%b) in (1) {
    tile.parallel (%i) in (8) {
      %v = memref.load %w[%i] : memref<8xi32>
      %r = arith.addi %v, %five : i32
      memref.store %r, %y[%i] : memref<8xi32>
    }
  }
  return
}

func.func private @five(%y: memref<8xi32>) {
  %five = arith.constant 5 : i32
  affine.for %i = 0 to 8 {
    affine.store %five, %y[%i] : memref<8xi32>
  }
  return
}

// What is not written at all is said to be so; of what is, where.
// CHECK: nothing {{.*}} FAIL: argument 1 (%y): 8 of 8 elements differ: {{.*}}; nothing was written to it
// CHECK: half {{.*}} FAIL: argument 1 (%y): 8 of 8 elements differ: {{.*}}; 4 elements were not written; it is written at {{.*}}poison.mlir:[[#@LINE+17]]:7

func.func @nothing(%x: memref<8xf32>, %y: memref<8xf32> {tile.result}) attributes {tile.reference = @copy} {
  tile.kernel (%b) in (1) {
    tile.parallel (%i) in (8) {
      %v = memref.load %x[%i] : memref<8xf32>
    }
  }
  return
}

func.func @half(%x: memref<8xf32>, %y: memref<8xf32> {tile.result}) attributes {tile.reference = @copy} {
  %c = arith.constant 77.0 : f32
  tile.kernel (%b) in (1) {
    tile.parallel (%i) in (4) {
      %v = memref.load %x[%i] : memref<8xf32>
      %r = arith.addf %c, %v : f32
      memref.store %r, %y[%i] : memref<8xf32>
    }
  }
  return
}
