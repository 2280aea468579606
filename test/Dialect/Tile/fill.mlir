// RUN: tile-opt %s | FileCheck %s
// RUN: tile-opt %s --mlir-print-op-generic | tile-opt | FileCheck %s

// CHECK-LABEL: func @tile
func.func @tile(%t: memref<64x32xf16, #tile.fragment>, %v: f16) {
  // CHECK: tile.fill %{{.*}}, %{{.*}} : memref<64x32xf16, #tile.fragment>
  tile.fill %t, %v : memref<64x32xf16, #tile.fragment>
  return
}

// CHECK-LABEL: func @global
func.func @global(%a: memref<1024xi1>) {
  %true = arith.constant true
  // CHECK: tile.fill %{{.*}}, %{{.*}} {note = "kept"} : memref<1024xi1>
  tile.fill %a, %true {note = "kept"} : memref<1024xi1>
  return
}

// CHECK-LABEL: func @scalar
func.func @scalar(%a: memref<f64>, %v: f64) {
  // CHECK: tile.fill %{{.*}}, %{{.*}} : memref<f64>
  tile.fill %a, %v : memref<f64>
  return
}
