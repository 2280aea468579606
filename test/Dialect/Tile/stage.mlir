// RUN: tile-opt %s | FileCheck %s
// RUN: tile-opt %s --mlir-print-op-generic | tile-opt | FileCheck %s

// CHECK-LABEL: func @stages
func.func @stages(%i: index) {
  tile.kernel (%b) in (1) {
    // CHECK: %[[T:.*]] = tile.alloc
    %t = tile.alloc : memref<2x64x32xf16, #tile.shared>
    // CHECK: tile.stage %[[T]][%{{.*}}] : memref<2x64x32xf16, #tile.shared> to memref<64x32xf16, #tile.shared>
    %s = tile.stage %t[%i] : memref<2x64x32xf16, #tile.shared> to memref<64x32xf16, #tile.shared>
    %v = tile.alloc : memref<4xf32, #tile.shared>
    // CHECK: tile.stage %{{.*}}[%{{.*}}] : memref<4xf32, #tile.shared> to memref<f32, #tile.shared>
    %e = tile.stage %v[%i] : memref<4xf32, #tile.shared> to memref<f32, #tile.shared>
  }
  return
}
