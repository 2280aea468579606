// RUN: tile-opt %s | FileCheck %s
// RUN: tile-opt %s --mlir-print-op-generic | tile-opt | FileCheck %s

// CHECK-LABEL: func @flat
func.func @flat(%t: memref<64x32xf16, #tile.shared>) -> memref<2048xf16, #tile.shared> {
  // CHECK: tile.reshape %{{.*}} : memref<64x32xf16, #tile.shared> to memref<2048xf16, #tile.shared>
  %r = tile.reshape %t : memref<64x32xf16, #tile.shared> to memref<2048xf16, #tile.shared>
  return %r : memref<2048xf16, #tile.shared>
}

// CHECK-LABEL: func @fragment
func.func @fragment(%t: memref<6x4xindex, #tile.fragment>) -> memref<2x12xindex, #tile.fragment> {
  // CHECK: tile.reshape %{{.*}} : memref<6x4xindex, #tile.fragment> to memref<2x12xindex, #tile.fragment>
  %r = tile.reshape %t : memref<6x4xindex, #tile.fragment> to memref<2x12xindex, #tile.fragment>
  return %r : memref<2x12xindex, #tile.fragment>
}

// CHECK-LABEL: func @scalar
func.func @scalar(%t: memref<1x1xf32>) -> memref<f32, #tile.global> {
  // A missing memory space is the global one.
  // CHECK: tile.reshape %{{.*}} : memref<1x1xf32> to memref<f32, #tile.global>
  %r = tile.reshape %t : memref<1x1xf32> to memref<f32, #tile.global>
  return %r : memref<f32, #tile.global>
}
