// Scalars come from sizes and from numbers.

// RUN: tile-run %s --func=all --arg=1:-3 --arg=2:1.5 --arg=3:-2.5 --arg=4:1 --arg=5:0.1 --arg=6:200 N=4 --out=7:%t.npy
// RUN: tile-run %s --func=all --arg=1:-3 --arg=2:1.5 --arg=3:-2.5 --arg=4:1 --arg=5:0.1 --arg=6:200 N=4 --check=expect_all | FileCheck %s
// CHECK: all N=4 0 equal
// CHECK: 1 passed, 0 failed

// A number given for a scalar with a name is that size.
// RUN: tile-run %s --func=size --arg=0:5 | FileCheck %s --check-prefix=SIZE
// SIZE: size N=5

// RUN: not tile-run %s --func=all N=4 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: scalars.mlir:[[@LINE+8]]:1: error: argument 1 (i32): no value; add --arg=1:NUMBER
// RUN: not tile-run %s --func=size --arg=0:4 N=5 2>&1 | FileCheck %s --check-prefix=CLASH
// CLASH: error: argument 0 (index): expected N=5, got 4 in dimension 0
// RUN: not tile-run %s --func=small --arg=0:300 | FileCheck %s --check-prefix=RANGE
// RANGE: FAIL: argument 0 (%{{[a-z0-9]+}}): expected a number that fits i8, got 300
// RUN: not tile-run %s --func=small --arg=0:1.5 | FileCheck %s --check-prefix=INTEGER
// INTEGER: FAIL: argument 0 (%{{[a-z0-9]+}}): expected an integer for i8, got 1.5

func.func @all(%n: index {tile.shape = "N"}, %a: i32, %b: f32, %c: f16, %d: i1, %e: f64, %f: i8, %r: memref<7xf64>) {
  %nn = arith.index_cast %n : index to i32
  %x0 = arith.sitofp %nn : i32 to f64
  affine.store %x0, %r[0] : memref<7xf64>
  %x1 = arith.sitofp %a : i32 to f64
  affine.store %x1, %r[1] : memref<7xf64>
  %x2 = arith.extf %b : f32 to f64
  affine.store %x2, %r[2] : memref<7xf64>
  %x3 = arith.extf %c : f16 to f64
  affine.store %x3, %r[3] : memref<7xf64>
  %x4 = arith.uitofp %d : i1 to f64
  affine.store %x4, %r[4] : memref<7xf64>
  affine.store %e, %r[5] : memref<7xf64>
  %x6 = arith.uitofp %f : i8 to f64
  affine.store %x6, %r[6] : memref<7xf64>
  return
}

func.func @expect_all(%n: index, %a: i32, %b: f32, %c: f16, %d: i1, %e: f64, %f: i8, %r: memref<7xf64>) {
  %x0 = arith.constant 4.0 : f64
  affine.store %x0, %r[0] : memref<7xf64>
  %x1 = arith.constant -3.0 : f64
  affine.store %x1, %r[1] : memref<7xf64>
  %x2 = arith.constant 1.5 : f64
  affine.store %x2, %r[2] : memref<7xf64>
  %x3 = arith.constant -2.5 : f64
  affine.store %x3, %r[3] : memref<7xf64>
  %x4 = arith.constant 1.0 : f64
  affine.store %x4, %r[4] : memref<7xf64>
  %x5 = arith.constant 0.1 : f64
  affine.store %x5, %r[5] : memref<7xf64>
  %x6 = arith.constant 200.0 : f64
  affine.store %x6, %r[6] : memref<7xf64>
  return
}

func.func @size(%n: index {tile.shape = "N"}, %r: memref<?xf32> {tile.shape = "N"}) {
  return
}

func.func @small(%a: i8) {
  return
}
