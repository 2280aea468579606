// RUN: tile-opt %s | FileCheck %s
// RUN: tile-opt %s --mlir-print-op-generic | tile-opt | FileCheck %s

// CHECK-LABEL: func @transpose
func.func @transpose(%a: memref<64x32xf16, #tile.shared>, %b: memref<32x64xf16, #tile.fragment>) {
  // CHECK: tile.transpose %{{.*}}, %{{.*}} : memref<64x32xf16, #tile.shared>, memref<32x64xf16, #tile.fragment>
  tile.transpose %a, %b : memref<64x32xf16, #tile.shared>, memref<32x64xf16, #tile.fragment>
  return
}

// CHECK-LABEL: func @row
func.func @row(%a: memref<1x7xi8>, %b: memref<7x1xi8>) {
  // CHECK: tile.transpose %{{.*}}, %{{.*}} {note = "kept"} : memref<1x7xi8>, memref<7x1xi8>
  tile.transpose %a, %b {note = "kept"} : memref<1x7xi8>, memref<7x1xi8>
  return
}
