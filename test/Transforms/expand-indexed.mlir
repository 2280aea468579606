// RUN: tile-opt %s --tile-expand-indexed=rows=true | FileCheck %s
// RUN: tile-opt %s --tile-expand-indexed="rows=true lists=true" | FileCheck %s --check-prefix=LISTS
// RUN: tile-opt %s --tile-expand-indexed=windows=true | FileCheck %s --check-prefix=GPU

// The list is a tile, and so is what is not there. A row is copied where it is.
// LISTS-LABEL: func @rows(
// LISTS-SAME: %[[A:.*]]: memref<?x64xf32>, %[[LIST:.*]]: memref<8xi32>
// LISTS: %[[L:.*]] = tile.alloc : memref<8xi32, #tile.shared>
// LISTS: %[[T:.*]] = tile.alloc : memref<8x64xf32, #tile.shared>
// LISTS: tile.copy %[[LIST]]{{.*}}, %[[L]]
// LISTS: tile.fill %[[T]]
// LISTS: scf.for %[[J:.*]] = %{{.*}} to %{{.*}} step
// LISTS: %[[ENTRY:.*]] = memref.load %[[L]][%[[J]]]
// LISTS: %[[ROW:.*]] = arith.index_cast %[[ENTRY]]
// LISTS: scf.if
// LISTS: tile.copy %[[A]][%[[ROW]], 0] [1, 64], %[[T]][%[[J]], 0] [1, 64]

// CHECK-LABEL: func @rows(
// CHECK-SAME: %[[A:.*]]: memref<?x64xf32>, %[[LIST:.*]]: memref<8xi32>
// GPU-LABEL: func @rows(
func.func @rows(%a: memref<?x64xf32>, %list: memref<8xi32>, %b: memref<8x64xf32>) {
  tile.kernel (%k) in (1) {
    // CHECK: %[[T:.*]] = tile.alloc
    %t = tile.alloc : memref<8x64xf32, #tile.shared>
    // CHECK: scf.for %[[J:.*]] = %{{.*}} to %{{.*}} step
    // CHECK-NOT: scf.if
    // CHECK: %[[ENTRY:.*]] = memref.load %[[LIST]][%{{.*}}]
    // CHECK: %[[ROW:.*]] = arith.index_cast %[[ENTRY]]
    // CHECK: tile.copy %[[A]][%[[ROW]], 0] [1, 64], %[[T]][%[[J]], 0] [1, 64]
    // GPU: tile.gather
    tile.gather %a[0, 0] by %list[0], %t : memref<?x64xf32>, memref<8xi32>, memref<8x64xf32, #tile.shared>
    tile.copy %t, %b : memref<8x64xf32, #tile.shared>, memref<8x64xf32>
  }
  return
}

// An entry behind the end of the list is -1; an offset is added to those that name a row.
// CHECK-LABEL: func @guarded(
// GPU-LABEL: func @guarded(
func.func @guarded(%a: memref<64x?xf32>, %list: memref<?xi64>, %i: index) {
  tile.kernel (%k) in (1) {
    %t = tile.alloc : memref<64x8xf32, #tile.fragment>
    tile.fill %t, 1.0
    // CHECK: scf.for %[[J:.*]] = %{{.*}} to %{{.*}} step
    // CHECK: %[[INSIDE:.*]] = arith.cmpi ult
    // CHECK: %[[ENTRY:.*]] = scf.if %[[INSIDE]] -> (i64) {
    // CHECK: memref.load
    // CHECK: } else {
    // CHECK: arith.constant -1 : i64
    // CHECK: %[[CAST:.*]] = arith.index_cast %[[ENTRY]]
    // CHECK: %[[NAMED:.*]] = arith.cmpi sge, %[[CAST]]
    // CHECK: %[[ROW:.*]] = arith.select %[[NAMED]]
    // CHECK: tile.copy %{{.*}}[0, %[[J]]] [64, 1], %{{.*}}[0, %[[ROW]]] [64, 1]
    // GPU: tile.scatter
    tile.scatter %t, %a[0, %i] by %list[%k * 8] dim(1)
  }
  return
}

// CHECK-LABEL: func @extremum(
// GPU-LABEL: func @extremum(
func.func @extremum(%x: memref<16x64xf32, #tile.fragment>, %v: memref<16xf32, #tile.fragment>, %p: memref<16xi32, #tile.fragment>) {
  tile.kernel (%k) in (1) {
    // GPU-NOT: tile.arg_reduce
    // GPU: tile.reduce min %{{.*}}, %[[BEST:.*]] dim(1) :
    // GPU: tile.parallel (%{{.*}}, %[[J:.*]]) in (16, 64)
    // GPU: %[[EQUAL:.*]] = arith.cmpf oeq
    // GPU: arith.cmpf une
    // GPU: arith.index_cast %[[J]] : index to i32
    // GPU: arith.constant 2147483647
    // GPU: tile.reduce min %{{.*}}, %[[LOWEST:.*]] dim(1) : memref<16x64xi32, #tile.fragment>, memref<16xi32, #tile.fragment>
    // GPU: tile.parallel (%{{.*}}) in (16)
    // GPU-NOT: arith.cmpf
    tile.arg_reduce min %x, %v, %p dim(1) : memref<16x64xf32, #tile.fragment>, memref<16xf32, #tile.fragment>, memref<16xi32, #tile.fragment>
  }
  return
}

// CHECK-LABEL: func @windows(
// GPU-LABEL: func @windows(
func.func @windows(%x: memref<?x7x9x3xf16>, %i: index) {
  tile.kernel (%k) in (1) {
    %t = tile.alloc : memref<16x32xf16, #tile.shared>
    // CHECK: tile.im2col
    // GPU-NOT: tile.im2col
    // GPU: tile.parallel (%[[I:.*]], %[[J:.*]]) in (16, 32)
    // GPU: %[[V:.*]] = scf.if %{{.*}} -> (f16) {
    // GPU: memref.load %{{.*}} : memref<?x7x9x3xf16>
    // GPU: memref.store %[[V]], %{{.*}}[%[[I]], %[[J]]] : memref<16x32xf16, #tile.shared>
    tile.im2col %x[%i * 16, 0], %t kernel(3, 3) stride(2)
  }
  return
}
