// RUN: tile-opt %s | FileCheck %s
// RUN: tile-opt %s --mlir-print-op-generic | tile-opt | FileCheck %s
// RUN: tile-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: func @require
// CHECK-SAME: (%[[C:.*]]: i1)
func.func @require(%c: i1) {
  // CHECK: tile.require %[[C]], "it holds"
  tile.require %c, "it holds"
  // CHECK: tile.require %[[C]], "so does this" {note = "kept"}
  tile.require %c, "so does this" {note = "kept"}
  return
}
