// RUN: tile-opt %s | FileCheck %s
// RUN: tile-opt %s --mlir-print-op-generic | tile-opt | FileCheck %s

// CHECK-LABEL: func @consumer_release
func.func @consumer_release() {
  tile.kernel (%b) in (1) {
    // CHECK: %[[PIPELINE:.*]] = tile.create_pipeline
    %pipeline = tile.create_pipeline : !tile.pipeline<2>
    // CHECK: tile.consumer_release %[[PIPELINE]] {note = "kept"} : !tile.pipeline<2>
    tile.consumer_release %pipeline {note = "kept"} : !tile.pipeline<2>
  }
  return
}
