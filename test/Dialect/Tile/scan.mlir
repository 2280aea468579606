// RUN: tile-opt %s | FileCheck %s
// RUN: tile-opt %s --mlir-print-op-generic | tile-opt | FileCheck %s

// CHECK-LABEL: func @sum
func.func @sum(%a: memref<4x64xf32, #tile.shared>, %b: memref<4x64xf32, #tile.fragment>) {
  // CHECK: tile.scan sum %{{.*}}, %{{.*}} dim(1) : memref<4x64xf32, #tile.shared>, memref<4x64xf32, #tile.fragment>
  tile.scan sum %a, %b dim(1) : memref<4x64xf32, #tile.shared>, memref<4x64xf32, #tile.fragment>
  return
}

// CHECK-LABEL: func @in_place
func.func @in_place(%a: memref<4x64xi32, #tile.shared>) {
  // CHECK: tile.scan max %[[A:.*]], %[[A]] dim(0) {is_unsigned, reverse} :
  tile.scan max %a, %a dim(0) {is_unsigned, reverse} : memref<4x64xi32, #tile.shared>, memref<4x64xi32, #tile.shared>
  return
}
