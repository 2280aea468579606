// RUN: tile-opt %s | FileCheck %s
// RUN: tile-opt %s --mlir-print-op-generic | tile-opt | FileCheck %s

// CHECK-LABEL: func @producer_commit
func.func @producer_commit() {
  tile.kernel (%b) in (1) {
    // CHECK: %[[PIPELINE:.*]] = tile.create_pipeline
    %pipeline = tile.create_pipeline : !tile.pipeline<2>
    // CHECK: tile.producer_commit %[[PIPELINE]] {note = "kept"} : !tile.pipeline<2>
    tile.producer_commit %pipeline {note = "kept"} : !tile.pipeline<2>
  }
  return
}
