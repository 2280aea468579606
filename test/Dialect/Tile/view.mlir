// RUN: tile-opt %s | FileCheck %s
// RUN: tile-opt %s --mlir-print-op-generic | tile-opt | FileCheck %s

// CHECK-LABEL: func @words
func.func @words(%t: memref<64x32xf32, #tile.shared>) -> memref<64x64xi16, #tile.shared> {
  // CHECK: tile.view %{{.*}} : memref<64x32xf32, #tile.shared> to memref<64x64xi16, #tile.shared>
  %r = tile.view %t : memref<64x32xf32, #tile.shared> to memref<64x64xi16, #tile.shared>
  return %r : memref<64x64xi16, #tile.shared>
}

// CHECK-LABEL: func @packed
func.func @packed(%t: memref<32xi8>) -> memref<64xf4E2M1FN> {
  // Two elements of 4 bits are a byte.
  // CHECK: tile.view %{{.*}} : memref<32xi8> to memref<64xf4E2M1FN>
  %r = tile.view %t : memref<32xi8> to memref<64xf4E2M1FN>
  return %r : memref<64xf4E2M1FN>
}

// CHECK-LABEL: func @local
func.func @local(%t: memref<f64, #tile.local>) -> memref<2xi32, #tile.local> {
  // CHECK: tile.view %{{.*}} : memref<f64, #tile.local> to memref<2xi32, #tile.local>
  %r = tile.view %t : memref<f64, #tile.local> to memref<2xi32, #tile.local>
  return %r : memref<2xi32, #tile.local>
}
