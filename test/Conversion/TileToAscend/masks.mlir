// RUN: tile-opt %s --ascend-infer-memory --convert-tile-to-ascend --canonicalize | FileCheck %s

// Comparisons and selections of tile.parallel: bits of a mask.

// CHECK-LABEL: func.func @mask
// CHECK:         ascend.compare lt %[[BITS:.*]], %[[T:.*]], %[[ZERO:.*]] : memref<128xi8, #tile.ub>, memref<16x64xf32, #tile.ub>, f32
// CHECK-NEXT:    ascend.duplicate %[[ZEROS:.*]], %[[ZERO]]
// CHECK-NEXT:    ascend.select %[[T]], %[[BITS]], %[[ZEROS]], %[[T]]
func.func @mask(%o: memref<16x64xf32>) {
  tile.kernel (%b) in (1) {
    %t = tile.alloc : memref<16x64xf32, #tile.shared>
    %zero = arith.constant 0.0 : f32
    tile.parallel (%i, %j) in (16, 64) {
      %x = memref.load %t[%i, %j] : memref<16x64xf32, #tile.shared>
      %m = arith.cmpf olt, %x, %zero : f32
      %s = arith.select %m, %zero, %x : f32
      memref.store %s, %t[%i, %j] : memref<16x64xf32, #tile.shared>
    }
    tile.copy %t, %o : memref<16x64xf32, #tile.shared>, memref<16x64xf32>
  }
  return
}

// Indices are compared as a matrix of i - j, the sum of a column and a row of numbers.
// CHECK-LABEL: func.func @triangle
// CHECK:         ascend.brcb %[[I:.*]], %{{.*}} : memref<16x8xf32, #tile.ub>
// CHECK-NEXT:    ascend.binary add %[[D:.*]], %[[I]], %{{.*}} lhs({{ *}}column) rhs({{ *}}row) : memref<16x64xf32, #tile.ub>
// CHECK-NEXT:    ascend.compare lt %[[BITS:.*]], %[[D]], %{{.*}} : memref<128xi8, #tile.ub>
// CHECK:         ascend.select %{{.*}}, %[[BITS]],
func.func @triangle(%o: memref<16x64xf32>) {
  tile.kernel (%b) in (1) {
    %t = tile.alloc : memref<16x64xf32, #tile.shared>
    %zero = arith.constant 0.0 : f32
    tile.parallel (%i, %j) in (16, 64) {
      %x = memref.load %t[%i, %j] : memref<16x64xf32, #tile.shared>
      %m = arith.cmpi slt, %i, %j : index
      %s = arith.select %m, %zero, %x : f32
      memref.store %s, %t[%i, %j] : memref<16x64xf32, #tile.shared>
    }
    tile.copy %t, %o : memref<16x64xf32, #tile.shared>, memref<16x64xf32>
  }
  return
}
