// RUN: tile-opt %s --ascend-widen-bits | FileCheck %s

// Arguments, tiles, what is loaded and what is stored.

// CHECK-LABEL: func.func @truth
// CHECK-SAME:    %[[M:.*]]: memref<64xi8>, %[[Y:.*]]: memref<64xi8>
// CHECK:       %[[T:.*]] = tile.alloc : memref<64xi8, #tile.shared>
// CHECK:       tile.copy %[[M]], %[[T]] : memref<64xi8>, memref<64xi8, #tile.shared>
// CHECK:       %[[V:.*]] = memref.load %[[T]]
// CHECK:       %[[IS:.*]] = arith.cmpi ne, %[[V]], %{{.*}} : i8
// CHECK:       %[[NOT:.*]] = arith.xori %[[IS]]
// CHECK:       %[[BYTE:.*]] = arith.extui %[[NOT]] : i1 to i8
// CHECK:       memref.store %[[BYTE]], %[[Y]]
func.func @truth(%m: memref<64xi1>, %y: memref<64xi1>) {
  %true = arith.constant true
  tile.kernel (%b) in (1) {
    %t = tile.alloc : memref<64xi1, #tile.shared>
    tile.copy %m, %t
    tile.parallel (%i) in (64) {
      %v = memref.load %t[%i] : memref<64xi1, #tile.shared>
      %w = arith.xori %v, %true : i1
      memref.store %w, %y[%i] : memref<64xi1>
    }
  }
  return
}
