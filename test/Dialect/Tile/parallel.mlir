// RUN: tile-opt %s | FileCheck %s
// RUN: tile-opt %s --mlir-print-op-generic | tile-opt | FileCheck %s

// CHECK-LABEL: func @static
// CHECK-SAME: (%[[A:.*]]: memref<8x6xf32>)
func.func @static(%a: memref<8x6xf32>) {
  // CHECK: tile.parallel (%[[I:.*]], %[[J:.*]]) in (8, 6) {
  // CHECK-NEXT: memref.load %[[A]][%[[I]], %[[J]]]
  tile.parallel (%i, %j) in (8, 6) {
    %v = memref.load %a[%i, %j] : memref<8x6xf32>
    memref.store %v, %a[%i, %j] : memref<8x6xf32>
  }
  return
}

// CHECK-LABEL: func @dynamic
// CHECK-SAME: (%[[N:.*]]: index)
func.func @dynamic(%n: index) {
  // CHECK: tile.parallel (%{{.*}}, %{{.*}}) in (%[[N]], 16) coalesced_width(4) {
  tile.parallel (%i, %j) in (%n, 16) coalesced_width(4) {
  }
  return
}

// CHECK-LABEL: func @coalesced_dynamic
// CHECK-SAME: (%[[N:.*]]: index)
func.func @coalesced_dynamic(%n: index) {
  // Only a static extent can be seen not to be a multiple.
  // CHECK: tile.parallel (%{{.*}}) in (%[[N]]) coalesced_width(8) {
  tile.parallel (%i) in (%n) coalesced_width(8) {
  }
  return
}

// CHECK-LABEL: func @many_dimensions
func.func @many_dimensions() {
  // More loops than there are names for induction variables.
  // CHECK: tile.parallel (%{{.*}}) in (1, 2, 3, 4, 5, 6, 7, 0) {
  tile.parallel (%a, %b, %c, %d, %e, %f, %g, %h) in (1, 2, 3, 4, 5, 6, 7, 0) {
  }
  return
}

// CHECK-LABEL: func @private_buffer
func.func @private_buffer() {
  // CHECK: tile.kernel
  tile.kernel (%b) in (1) {
    // CHECK: tile.parallel (%{{.*}}) in (32) attributes {note = "kept"} {
    // CHECK-NEXT: tile.alloc : memref<4xf32, #tile.local>
    tile.parallel (%i) in (32) attributes {note = "kept"} {
      %t = tile.alloc : memref<4xf32, #tile.local>
    }
  }
  return
}

// As many iterations as there may be.
// CHECK-LABEL: func.func @many
// CHECK:       tile.parallel (%{{.*}}) in (2147483647)
func.func @many(%a: memref<?xf32>) {
  tile.parallel (%i) in (2147483647) {
    %v = memref.load %a[%i] : memref<?xf32>
  }
  return
}
