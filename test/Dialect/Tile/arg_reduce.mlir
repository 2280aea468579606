// RUN: tile-opt %s | FileCheck %s
// RUN: tile-opt %s --mlir-print-op-generic | tile-opt | FileCheck %s

// CHECK-LABEL: func @rows
func.func @rows(%x: memref<16x64xf32, #tile.fragment>, %v: memref<16xf32, #tile.fragment>, %p: memref<16xi32, #tile.shared>) {
  // CHECK: tile.arg_reduce max %{{.*}}, %{{.*}}, %{{.*}} dim(1) : memref<16x64xf32, #tile.fragment>, memref<16xf32, #tile.fragment>, memref<16xi32, #tile.shared>
  tile.arg_reduce max %x, %v, %p dim(1) : memref<16x64xf32, #tile.fragment>, memref<16xf32, #tile.fragment>, memref<16xi32, #tile.shared>
  return
}

// CHECK-LABEL: func @parts
func.func @parts(%x: memref<64xi8, #tile.shared>, %v: memref<1xi8, #tile.shared>, %p: memref<1xi32, #tile.shared>, %t: index) {
  // CHECK: tile.arg_reduce min %{{.*}}, %{{.*}}, %{{.*}} dim(0) base(%{{.*}}) {combine, is_unsigned} :
  tile.arg_reduce min %x, %v, %p dim(0) base(%t * 64) {combine, is_unsigned}
  return
}
