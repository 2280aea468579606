// RUN: tile-opt %s --tile-set-target=chip=x86-64-v3 --tile-fold-views | FileCheck %s --check-prefixes=CHECK,CAST
// RUN: tile-opt %s --tile-set-target=chip=910B --tile-fold-views | FileCheck %s --check-prefixes=CHECK,CAST
// RUN: tile-opt %s --tile-set-target=chip=sm_90a --tile-fold-views | FileCheck %s --check-prefixes=CHECK,VIEW
// RUN: tile-opt %s --tile-fold-views | FileCheck %s --check-prefix=NONE

// NONE-NOT: memref.reinterpret_cast

// What is left of views with dynamic extents is a cast that names them. GPUs keep the view of a row-major buffer.

// CHECK-LABEL: func.func @divided(
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<?xf32>, %[[M:[a-z0-9]+]]: index
// CAST: memref.reinterpret_cast %[[X]] to offset: [0], sizes: [%[[M]], 4, %{{.*}}], strides: [%{{.*}}, %{{.*}}, 1]
// VIEW: memref.expand_shape
func.func @divided(%x: memref<?xf32>, %m: index, %n: index, %y: memref<4xf32>) {
  %e = memref.expand_shape %x [[0, 1, 2]] output_shape [%m, 4, %n] : memref<?xf32> into memref<?x4x?xf32>
  tile.kernel (%b) in (4) {
    %t = tile.alloc : memref<4xf32, #tile.shared>
    tile.copy %e[%b, 0, %b] [1, 4, 1], %t
    tile.copy %t, %y
  }
  return
}

// A view of a view: the extents are those of the memory.
// CHECK-LABEL: func.func @joined(
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<2x?x?xf32>
// CAST: %[[FIRST:.*]] = memref.reinterpret_cast %[[X]] to offset: [0], sizes: [%{{.*}}, %{{.*}}], strides: [%{{.*}}, 1]
// CAST-NOT: memref.dim %[[FIRST]]
// CAST: memref.reinterpret_cast %[[FIRST]] to offset: [0], sizes: [%{{.*}}], strides: [1]
// VIEW-COUNT-2: memref.collapse_shape
func.func @joined(%x: memref<2x?x?xf32>, %y: memref<64xf32>) {
  %v = memref.collapse_shape %x [[0, 1], [2]] : memref<2x?x?xf32> into memref<?x?xf32>
  %w = memref.collapse_shape %v [[0, 1]] : memref<?x?xf32> into memref<?xf32>
  tile.kernel (%b) in (1) {
    %t = tile.alloc : memref<64xf32, #tile.shared>
    tile.copy %w[%b], %t
    tile.copy %t, %y
  }
  return
}

// CHECK-LABEL: func.func @part(
// CHECK: %[[PART:.*]] = memref.subview
// CHECK: extract_strided_metadata %[[PART]]
// CHECK: memref.reinterpret_cast %[[PART]] to offset: [4], sizes: [%arg1, %arg2], strides: [%{{.*}}, 1]
func.func @part(%x: memref<?xf32>, %m: index, %n: index, %y: memref<64xf32>) {
  %s = memref.subview %x[4] [%m] [1] : memref<?xf32> to memref<?xf32, strided<[1], offset: 4>>
  %e = memref.expand_shape %s [[0, 1]] output_shape [%m, %n]
      : memref<?xf32, strided<[1], offset: 4>> into memref<?x?xf32, strided<[?, 1], offset: 4>>
  tile.kernel (%b) in (1) {
    %t = tile.alloc : memref<64xf32, #tile.shared>
    tile.copy %e[%b, %b] [1, 64], %t
    tile.copy %t, %y
  }
  return
}

// No dimension has this number: what asks for it stays.
// CHECK-LABEL: func.func @beyond(
// CHECK: memref.dim %{{.*}}, %c5
func.func @beyond(%x: memref<?xf32>, %m: index, %n: index) -> index {
  %c5 = arith.constant 5 : index
  %e = memref.expand_shape %x [[0, 1]] output_shape [%m, %n] : memref<?xf32> into memref<?x?xf32>
  %d = memref.dim %e, %c5 : memref<?x?xf32>
  return %d : index
}

// Of three joined dimensions, all count.
// CHECK-LABEL: func.func @three(
// CHECK-SAME:    %[[X:[^:]*]]: memref<?x?x?xf32>
// CHECK-DAG:     %[[M:.*]] = memref.dim %[[X]], %c0
// CHECK-DAG:     %[[N:.*]] = memref.dim %[[X]], %c1
// CHECK-DAG:     %[[K:.*]] = memref.dim %[[X]], %c2
// CHECK:         %[[ALL:.*]] = affine.apply #{{.*}}()[%[[M]], %[[N]], %[[K]]]
// CHECK:         return %[[ALL]]
func.func @three(%x: memref<?x?x?xf32>) -> index {
  %c0 = arith.constant 0 : index
  %row = memref.collapse_shape %x [[0, 1, 2]] : memref<?x?x?xf32> into memref<?xf32>
  %all = memref.dim %row, %c0 : memref<?xf32>
  return %all : index
}
