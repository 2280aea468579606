// RUN: tile-opt %s | FileCheck %s
// RUN: tile-opt %s --mlir-print-op-generic | tile-opt | FileCheck %s

// CHECK-LABEL: func @rows
func.func @rows(%x: memref<4x64xf16, #tile.shared>, %v: memref<4x8xf16, #tile.fragment>, %p: memref<4x8xi32, #tile.shared>) {
  // CHECK: tile.topk %{{.*}}, %{{.*}}, %{{.*}} : memref<4x64xf16, #tile.shared>, memref<4x8xf16, #tile.fragment>, memref<4x8xi32, #tile.shared>
  tile.topk %x, %v, %p : memref<4x64xf16, #tile.shared>, memref<4x8xf16, #tile.fragment>, memref<4x8xi32, #tile.shared>
  return
}

// More than a row has, as the old content takes part.
// CHECK-LABEL: func @combine
func.func @combine(%x: memref<64xf32, #tile.shared>, %v: memref<100xf32, #tile.shared>, %p: memref<100xi32, #tile.shared>, %b: index) {
  // CHECK: tile.topk %{{.*}}, %{{.*}}, %{{.*}} base(%{{.*}}) {combine} :
  tile.topk %x, %v, %p base(%b) {combine} : memref<64xf32, #tile.shared>, memref<100xf32, #tile.shared>, memref<100xi32, #tile.shared>
  return
}

// CHECK-LABEL: func @sort
func.func @sort(%x: memref<64xbf16, #tile.shared>, %v: memref<64xbf16, #tile.shared>, %p: memref<64xi32, #tile.shared>) {
  // CHECK: tile.topk
  tile.topk %x, %v, %p : memref<64xbf16, #tile.shared>, memref<64xbf16, #tile.shared>, memref<64xi32, #tile.shared>
  return
}
