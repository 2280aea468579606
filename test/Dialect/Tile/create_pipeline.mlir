// RUN: tile-opt %s | FileCheck %s
// RUN: tile-opt %s --mlir-print-op-generic | tile-opt | FileCheck %s

// CHECK-LABEL: func @pipelines
func.func @pipelines() {
  tile.kernel (%b) in (1) {
    // CHECK: %{{.*}} = tile.create_pipeline : !tile.pipeline<3>
    %a = tile.create_pipeline : !tile.pipeline<3>
    // CHECK: %{{.*}} = tile.create_pipeline {offset = 65536 : i64} : !tile.pipeline<1>
    %c = tile.create_pipeline {offset = 65536} : !tile.pipeline<1>
  }
  return
}
