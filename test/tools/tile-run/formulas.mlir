// Extents that follow from those of other arguments.
// RUN: tile-run %s | FileCheck %s
// RUN: not tile-run %s P=3 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not tile-run %s K=5 --shape=1:2x6x10x5x4 2>&1 | FileCheck %s --check-prefix=SHAPE
// RUN: tile-run %s --shape=0:5 | FileCheck %s --check-prefix=GIVEN
// RUN: not tile-run %s K=0 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: not tile-run %s K=9223372036854775807 2>&1 | FileCheck %s --check-prefix=LARGE
// CHECK: 3 passed, 0 failed
// NAME: unknown size P: no tile.shape names it
// SHAPE: argument 1 (memref<?x?x?x?x?xf32>): expected extent 3 in dimension 0 of
// SHAPE-SAME: with K=5, got 2
// GIVEN: K=5
// GIVEN: 1 passed, 0 failed
// NEGATIVE: argument 1 (memref<?x?x?x?x?xf32>): expected an extent from 0 to 2^63 - 1, which K=0 does not give
// LARGE: expected an extent from 0 to 2^63 - 1, which K=9223372036854775807 does not give

func.func @numbers(%x: memref<?xf32> {tile.shape = "K"},
                   %y: memref<?x?x?x?x?xf32> {tile.shape = "ceildiv(K, 2)xK + 1x K * 2 xfloordiv( K , 1 )xK-1"},
                   %n: memref<5xi64> {tile.result})
    attributes {tile.reference = @reference, tile.cases = ["K=1", "K=2", "K=7"]} {
  %c0 = arith.constant 0 : index
  %s0 = memref.dim %y, %c0 : memref<?x?x?x?x?xf32>
  %d0 = arith.index_cast %s0 : index to i64
  affine.store %d0, %n[0] : memref<5xi64>
  %c1 = arith.constant 1 : index
  %s1 = memref.dim %y, %c1 : memref<?x?x?x?x?xf32>
  %d1 = arith.index_cast %s1 : index to i64
  affine.store %d1, %n[1] : memref<5xi64>
  %c2 = arith.constant 2 : index
  %s2 = memref.dim %y, %c2 : memref<?x?x?x?x?xf32>
  %d2 = arith.index_cast %s2 : index to i64
  affine.store %d2, %n[2] : memref<5xi64>
  %c3 = arith.constant 3 : index
  %s3 = memref.dim %y, %c3 : memref<?x?x?x?x?xf32>
  %d3 = arith.index_cast %s3 : index to i64
  affine.store %d3, %n[3] : memref<5xi64>
  %c4 = arith.constant 4 : index
  %s4 = memref.dim %y, %c4 : memref<?x?x?x?x?xf32>
  %d4 = arith.index_cast %s4 : index to i64
  affine.store %d4, %n[4] : memref<5xi64>
  return
}

// Of the one size that has a name: K rounded up to halves, K + 1, 2K, K and K - 1.
func.func @reference(%x: memref<?xf32>, %y: memref<?x?x?x?x?xf32>, %n: memref<5xi64>) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i64
  %size = memref.dim %x, %c0 : memref<?xf32>
  %k = arith.index_cast %size : index to i64
  %more = arith.addi %k, %one : i64
  %half = arith.shrui %more, %one : i64
  %twice = arith.addi %k, %k : i64
  %less = arith.subi %k, %one : i64
  affine.store %half, %n[0] : memref<5xi64>
  affine.store %more, %n[1] : memref<5xi64>
  affine.store %twice, %n[2] : memref<5xi64>
  affine.store %k, %n[3] : memref<5xi64>
  affine.store %less, %n[4] : memref<5xi64>
  return
}
