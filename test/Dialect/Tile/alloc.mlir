// RUN: tile-opt %s | FileCheck %s
// RUN: tile-opt %s --mlir-print-op-generic | tile-opt | FileCheck %s

// CHECK-LABEL: func @workspace
func.func @workspace() {
  // CHECK: tile.alloc : memref<64xf32>
  %a = tile.alloc : memref<64xf32>
  // CHECK: tile.alloc {note = "kept"} : memref<f16>
  %b = tile.alloc {note = "kept"} : memref<f16>
  return
}

// CHECK-LABEL: func @tiles
func.func @tiles() {
  tile.kernel (%b) in (1) {
    // CHECK: tile.alloc : memref<64x32xf16, #tile.shared>
    %s = tile.alloc : memref<64x32xf16, #tile.shared>
    // CHECK: tile.alloc : memref<3x5x7xf32, #tile.fragment>
    %f = tile.alloc : memref<3x5x7xf32, #tile.fragment>
    // CHECK: tile.alloc : memref<4xindex, #tile.local>
    %l = tile.alloc : memref<4xindex, #tile.local>
    // CHECK: tile.alloc : memref<128x128xf32, #tile.tmem>
    %t = tile.alloc : memref<128x128xf32, #tile.tmem>
  }
  return
}

// CHECK-LABEL: func @wherever
func.func @wherever(%c: i1) {
  tile.kernel (%b) in (1) {
    scf.if %c {
      // CHECK: scf.if
      // CHECK-NEXT: tile.alloc : memref<8xi8, #tile.shared>
      %s = tile.alloc : memref<8xi8, #tile.shared>
    }
  }
  return
}
