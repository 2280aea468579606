// RUN: tile-opt %s | FileCheck %s
// RUN: tile-opt %s --mlir-print-op-generic | tile-opt | FileCheck %s

// CHECK-LABEL: func @rows
func.func @rows(%a: memref<?x64xf16>, %list: memref<?xi32>, %s: memref<32x64xf16, #tile.shared>, %i: index) {
  // CHECK: tile.scatter %{{.*}}, %{{.*}}[0, 0] by %{{.*}}[%{{.*}} * 32] : memref<32x64xf16, #tile.shared>, memref<?x64xf16>, memref<?xi32>
  tile.scatter %s, %a[0, 0] by %list[%i * 32] : memref<32x64xf16, #tile.shared>, memref<?x64xf16>, memref<?xi32>
  return
}

// CHECK-LABEL: func @columns
func.func @columns(%a: memref<3x64x?xf32>, %list: memref<8xi64, #tile.shared>, %s: memref<64x8xf32, #tile.fragment>, %i: index) {
  // CHECK: tile.scatter %{{.*}}, %{{.*}}[%{{.*}}, 0, 0] [1, 64, 8] by %{{.*}}[0] dim(2) :
  tile.scatter %s, %a[%i, 0, 0] [1, 64, 8] by %list[0] dim(2)
  return
}
