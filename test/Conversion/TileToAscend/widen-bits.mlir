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

// Votes are reductions, rows first, and one comparison. Of truth values they are by bits.

// CHECK-LABEL: func.func @votes
// CHECK:       tile.reduce or %{{.*}}, %[[ROW:.*]] dim(0) : memref<6x33xi32, #tile.fragment>, memref<33xi32, #tile.fragment>
// CHECK:       tile.reduce or %[[ROW]], %[[ONE:.*]] dim(0) : memref<33xi32, #tile.fragment>, memref<1xi32, #tile.fragment>
// CHECK:       %[[LEFT:.*]] = memref.load %[[ONE]]
// CHECK:       arith.cmpi ne, %[[LEFT]], %{{.*}} : i32
// CHECK-NOT:   tile.any_of
// CHECK:       tile.reduce min %{{.*}} dim(0) {is_unsigned} : memref<6x33xi32, #tile.fragment>
// CHECK:       tile.reduce and %{{.*}}, %[[BIT:.*]] dim(0) : memref<64xi8, #tile.shared>, memref<1xi8, #tile.shared>
// CHECK:       memref.load %[[BIT]]
// CHECK-NOT:   tile.all_of
func.func @votes(%y: memref<3xi1>) {
  tile.kernel (%b) in (1) {
    %t = tile.alloc : memref<6x33xi32, #tile.fragment>
    %m = tile.alloc : memref<64xi1, #tile.shared>
    %one = tile.alloc : memref<1x1xi16, #tile.shared>
    %any = tile.any_of %t : memref<6x33xi32, #tile.fragment>
    %all = tile.all_of %t : memref<6x33xi32, #tile.fragment>
    %bits = tile.all_of %m : memref<64xi1, #tile.shared>
    // CHECK: %[[SINGLE:.*]] = memref.load %{{.*}} : memref<1x1xi16, #tile.shared>
    // CHECK: arith.cmpi ne, %[[SINGLE]], %{{.*}} : i16
    %single = tile.any_of %one : memref<1x1xi16, #tile.shared>
    %x = arith.andi %any, %all : i1
    tile.parallel (%i) in (1) {
      %c1 = arith.constant 1 : index
      memref.store %x, %y[%i] : memref<3xi1>
      memref.store %bits, %y[%c1] : memref<3xi1>
      memref.store %single, %y[%c1] : memref<3xi1>
    }
  }
  return
}
