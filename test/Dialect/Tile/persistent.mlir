// RUN: tile-opt %s | FileCheck %s
// RUN: tile-opt %s --mlir-print-op-generic | tile-opt | FileCheck %s

// CHECK-LABEL: func @default_group
func.func @default_group() {
  tile.kernel (%p) in (3) {
    // CHECK: tile.persistent (%{{.*}}, %{{.*}}) in (4, 6) {
    tile.persistent (%m, %n) in (4, 6) group(8) {
    }
  }
  return
}

// CHECK-LABEL: func @dynamic
// CHECK-SAME: (%[[N:.*]]: index)
func.func @dynamic(%n: index) {
  tile.kernel (%p) in (132) {
    // CHECK: tile.persistent (%[[I:.*]], %{{.*}}, %{{.*}}) in (%[[N]], 2, %[[N]]) group(1) attributes {note = "kept"} {
    // CHECK-NEXT: arith.addi %[[I]], %[[I]]
    tile.persistent (%i, %j, %k) in (%n, 2, %n) group(1) attributes {note = "kept"} {
      %s = arith.addi %i, %i : index
    }
  }
  return
}

// CHECK-LABEL: func @more_blocks_than_points
func.func @more_blocks_than_points() {
  tile.kernel (%p) in (16) {
    // CHECK: tile.persistent (%{{.*}}) in (0) {
    tile.persistent (%m) in (0) {
    }
    // CHECK: tile.persistent (%{{.*}}) in (5) {
    tile.persistent (%m) in (5) {
    }
  }
  return
}
