// RUN: tile-opt %s | FileCheck %s
// RUN: tile-opt %s --mlir-print-op-generic | tile-opt | FileCheck %s

// CHECK-LABEL: func @consumer_wait
func.func @consumer_wait() {
  tile.kernel (%b) in (1) {
    // CHECK: %[[PIPELINE:.*]] = tile.create_pipeline
    %pipeline = tile.create_pipeline : !tile.pipeline<2>
    // CHECK: tile.consumer_wait %[[PIPELINE]] {note = "kept"} : !tile.pipeline<2>
    %i = tile.consumer_wait %pipeline {note = "kept"} : !tile.pipeline<2>
  }
  return
}
