// RUN: tile-opt %s --ascend-infer-memory --convert-tile-to-ascend --canonicalize | FileCheck %s

// Reductions and scans, along the rows of a matrix and over them.

// One instruction reduces along rows. Over rows, one half takes in the other one, until a row is left. A maximum gets no NaN: -∞
// takes its place, and where the largest number is not above the smallest one, of which ∞ takes its place, there was none.
// CHECK-LABEL: func.func @reduce
// CHECK:         ascend.copy_gm_to_ub %[[T:[^,]*]],
// CHECK-NEXT:    ascend.reduce sum %{{.*}}, %[[T]] : memref<16xf32, #tile.ub>, memref<16x64xf32, #tile.ub>
// CHECK:         ascend.compare eq %[[BITS:.*]], %[[T]], %[[T]] :
// CHECK:         ascend.select %[[N:.*]], %[[BITS]], %[[T]], %{{.*}} : memref<16x64xf32, #tile.ub>, memref<128xi8, #tile.ub>, memref<16x64xf32, #tile.ub>, f32
// CHECK-DAG:     %[[A:.*]] = memref.subview %[[N]][0, 0] [8, 64]
// CHECK-DAG:     %[[B:.*]] = memref.subview %[[N]][8, 0] [8, 64]
// CHECK:         ascend.binary max %[[H:.*]], %[[A]], %[[B]] : memref<8x64xf32
// CHECK:         ascend.binary max %{{.*}} : memref<4x64xf32
// CHECK:         ascend.binary max %{{.*}} : memref<2x64xf32
// CHECK-DAG:     %[[FIRST:.*]] = memref.subview %[[H]][0, 0] [1, 64]
// CHECK-DAG:     %[[SECOND:.*]] = memref.subview %[[H]][1, 0] [1, 64]
// CHECK:         ascend.binary max %[[MOST:[^,]*]], %[[FIRST]], %[[SECOND]] : memref<64xf32, #tile.ub>
// CHECK:         ascend.binary min %[[LEAST:[^,]*]], %{{.*}} : memref<64xf32, #tile.ub>
// CHECK:         ascend.compare ge %[[SOME:.*]], %[[MOST]], %[[LEAST]] :
// CHECK:         ascend.select %{{.*}}, %[[SOME]], %[[MOST]], %{{.*}} : memref<64xf32, #tile.ub>, memref<8xi8, #tile.ub>, memref<64xf32, #tile.ub>, f32
func.func @reduce(%x: memref<16x64xf32>, %y: memref<16xf32>, %z: memref<64xf32>) {
  tile.kernel (%b) in (1) {
    %t = tile.alloc : memref<16x64xf32, #tile.shared>
    %r = tile.alloc : memref<16xf32, #tile.shared>
    %q = tile.alloc : memref<64xf32, #tile.shared>
    tile.copy %x, %t : memref<16x64xf32>, memref<16x64xf32, #tile.shared>
    tile.reduce sum %t, %r dim(1) : memref<16x64xf32, #tile.shared>, memref<16xf32, #tile.shared>
    tile.reduce max %t, %q dim(0) : memref<16x64xf32, #tile.shared>, memref<64xf32, #tile.shared>
    tile.copy %r, %y : memref<16xf32, #tile.shared>, memref<16xf32>
    tile.copy %q, %z : memref<64xf32, #tile.shared>, memref<64xf32>
  }
  return
}

// Over rows, each row takes in the one before. Along a row the scalar unit walks.
// CHECK-LABEL: func.func @scan
// CHECK:         scf.for %[[TO:.*]] = %c1 to %c16 step %c1 {
// CHECK-NEXT:      %[[FROM:.*]] = arith.subi %[[TO]], %c1
// CHECK-NEXT:      %[[ROW:.*]] = memref.subview %[[S:.*]][%[[TO]], 0] [1, 64]
// CHECK-NEXT:      %[[BEFORE:.*]] = memref.subview %[[S]][%[[FROM]], 0] [1, 64]
// CHECK-NEXT:      ascend.binary add %[[ROW]], %[[ROW]], %[[BEFORE]]
// CHECK:         scf.for %[[I:.*]] = %c0 to %c16 step %c1 {
// CHECK-NEXT:      %[[ROW:.*]] = memref.subview %{{.*}}[%[[I]], 0] [1, 64]
// CHECK-NEXT:      scf.for %[[TO:.*]] = %c1 to %c64 step %c1 {
// CHECK-NEXT:        %[[FROM:.*]] = arith.subi %[[TO]], %c1
// CHECK-NEXT:        %[[X:.*]] = memref.load %[[ROW]][%[[FROM]]]
// CHECK-NEXT:        %[[Y:.*]] = memref.load %[[ROW]][%[[TO]]]
// CHECK-NEXT:        %[[MAX:.*]] = arith.maxnumf %[[X]], %[[Y]]
// CHECK-NEXT:        memref.store %[[MAX]], %[[ROW]][%[[TO]]]
func.func @scan(%x: memref<16x64xf32>, %y: memref<16x64xf32>) {
  tile.kernel (%b) in (1) {
    %t = tile.alloc : memref<16x64xf32, #tile.shared>
    %r = tile.alloc : memref<16x64xf32, #tile.shared>
    tile.copy %x, %t : memref<16x64xf32>, memref<16x64xf32, #tile.shared>
    tile.scan sum %t, %r dim(0) : memref<16x64xf32, #tile.shared>, memref<16x64xf32, #tile.shared>
    tile.scan max %r, %t dim(1) : memref<16x64xf32, #tile.shared>, memref<16x64xf32, #tile.shared>
    tile.copy %t, %y : memref<16x64xf32, #tile.shared>, memref<16x64xf32>
  }
  return
}

// A tile that is filled with a number and combines maxima has no NaN: one reduction does.
// CHECK-LABEL: func.func @running
// CHECK:         ascend.compare eq
// CHECK:         ascend.reduce max
// CHECK-NOT:     ascend.compare
// CHECK:         ascend.binary max
func.func @running(%x: memref<16x64xf32>, %y: memref<16xf32>) {
  tile.kernel (%b) in (1) {
    %t = tile.alloc : memref<16x64xf32, #tile.shared>
    %r = tile.alloc : memref<16xf32, #tile.shared>
    tile.fill %r, -inf : memref<16xf32, #tile.shared>
    tile.copy %x, %t : memref<16x64xf32>, memref<16x64xf32, #tile.shared>
    tile.reduce max %t, %r dim(1) {combine} : memref<16x64xf32, #tile.shared>, memref<16xf32, #tile.shared>
    tile.copy %r, %y : memref<16xf32, #tile.shared>, memref<16xf32>
  }
  return
}
