// RUN: tile-opt %s | FileCheck %s
// RUN: tile-opt %s --mlir-print-op-generic | tile-opt | FileCheck %s

// CHECK-LABEL: func @outside_value
// CHECK-SAME: (%[[A:.*]]: memref<?xf32>, %[[V:.*]]: f32)
func.func @outside_value(%a: memref<?xf32>, %v: f32) {
  tile.kernel (%b) in (1) {
    // CHECK: tile.padding_value %[[A]], %[[V]] : memref<?xf32>
    tile.padding_value %a, %v : memref<?xf32>
  }
  return
}

// CHECK-LABEL: func @constant
func.func @constant(%a: memref<?xf32>, %m: memref<8xi8>) {
  tile.kernel (%b) in (1) {
    %lowest = arith.constant 0xFF800000 : f32
    %one = arith.constant 1 : i8
    // CHECK: tile.padding_value %{{.*}}, %{{.*}} : memref<?xf32>
    tile.padding_value %a, %lowest : memref<?xf32>
    // CHECK: tile.padding_value %{{.*}}, %{{.*}} {note = "kept"} : memref<8xi8>
    tile.padding_value %m, %one {note = "kept"} : memref<8xi8>
  }
  return
}

// CHECK-LABEL: func @one_for_each_kernel
func.func @one_for_each_kernel(%a: memref<?xf32>, %v: f32, %w: f32) {
  // CHECK-COUNT-2: tile.padding_value
  tile.kernel (%b) in (1) {
    tile.padding_value %a, %v : memref<?xf32>
  }
  tile.kernel (%b) in (1) {
    tile.padding_value %a, %w : memref<?xf32>
  }
  return
}
