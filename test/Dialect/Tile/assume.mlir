// RUN: tile-opt %s | FileCheck %s
// RUN: tile-opt %s --mlir-print-op-generic | tile-opt | FileCheck %s

// CHECK-LABEL: func @assume
// CHECK-SAME: (%[[C:.*]]: i1)
func.func @assume(%c: i1) {
  // CHECK: tile.assume %[[C]]
  tile.assume %c
  tile.kernel (%b) in (1) {
    // CHECK: tile.assume %[[C]] {note = "kept"}
    tile.assume %c {note = "kept"}
  }
  return
}
