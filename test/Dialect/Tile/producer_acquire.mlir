// RUN: tile-opt %s | FileCheck %s
// RUN: tile-opt %s --mlir-print-op-generic | tile-opt | FileCheck %s

// CHECK-LABEL: func @acquire
func.func @acquire() {
  tile.kernel (%b) in (1) {
    // CHECK: %[[PIPELINE:.*]] = tile.create_pipeline
    %pipeline = tile.create_pipeline : !tile.pipeline<2>
    // CHECK: tile.producer_acquire %[[PIPELINE]] bytes(4096) : !tile.pipeline<2>
    %i = tile.producer_acquire %pipeline bytes(4096) : !tile.pipeline<2>
    // CHECK: tile.producer_acquire %[[PIPELINE]] bytes(0) {note = "kept"} : !tile.pipeline<2>
    %j = tile.producer_acquire %pipeline bytes(0) {note = "kept"} : !tile.pipeline<2>
  }
  return
}
