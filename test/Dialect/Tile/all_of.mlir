// RUN: tile-opt %s | FileCheck %s
// RUN: tile-opt %s --mlir-print-op-generic | tile-opt | FileCheck %s

// CHECK-LABEL: func @mask
func.func @mask(%m: memref<8x8xi1, #tile.fragment>) -> i1 {
  // CHECK: %[[R:.*]] = tile.all_of %{{.*}} : memref<8x8xi1, #tile.fragment>
  // CHECK-NEXT: return %[[R]] : i1
  %r = tile.all_of %m : memref<8x8xi1, #tile.fragment>
  return %r : i1
}

// CHECK-LABEL: func @words
func.func @words(%m: memref<64xi32, #tile.shared>) -> i1 {
  // CHECK: tile.all_of %{{.*}} {note = "kept"} : memref<64xi32, #tile.shared>
  %r = tile.all_of %m {note = "kept"} : memref<64xi32, #tile.shared>
  return %r : i1
}
