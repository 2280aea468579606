// RUN: tile-opt %s | FileCheck %s
// RUN: tile-opt %s --mlir-print-op-generic | tile-opt | FileCheck %s

// CHECK-LABEL: func @device_assert
// CHECK-SAME: (%[[C:.*]]: i1)
func.func @device_assert(%c: i1) {
  tile.parallel (%i) in (8) {
    // CHECK: tile.device_assert %[[C]], "n is negative" {note = "kept"}
    tile.device_assert %c, "n is negative" {note = "kept"}
  }
  return
}
