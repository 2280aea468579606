// RUN: tile-opt %s | FileCheck %s
// RUN: tile-opt %s --mlir-print-op-generic | tile-opt | FileCheck %s

// CHECK-LABEL: func @kinds
func.func @kinds(%f: memref<64x32xf32, #tile.fragment>, %fr: memref<64xf32, #tile.fragment>,
                 %i: memref<64x32xi32, #tile.shared>, %ir: memref<32xi32, #tile.shared>) {
  // CHECK: tile.reduce sum %{{.*}}, %{{.*}} dim(1) : memref<64x32xf32, #tile.fragment>, memref<64xf32, #tile.fragment>
  tile.reduce sum %f, %fr dim(1) : memref<64x32xf32, #tile.fragment>, memref<64xf32, #tile.fragment>
  // CHECK: tile.reduce max %{{.*}}, %{{.*}} dim(1) {combine, propagate_nan} :
  tile.reduce max %f, %fr dim(1) {combine, propagate_nan} : memref<64x32xf32, #tile.fragment>, memref<64xf32, #tile.fragment>
  // CHECK: tile.reduce absmax %{{.*}}, %{{.*}} dim(1) {propagate_nan} :
  tile.reduce absmax %f, %fr dim(1) {propagate_nan} : memref<64x32xf32, #tile.fragment>, memref<64xf32, #tile.fragment>
  // CHECK: tile.reduce abssum
  tile.reduce abssum %f, %fr dim(1) : memref<64x32xf32, #tile.fragment>, memref<64xf32, #tile.fragment>
  // CHECK: tile.reduce min %{{.*}}, %{{.*}} dim(0) {is_unsigned} :
  tile.reduce min %i, %ir dim(0) {is_unsigned} : memref<64x32xi32, #tile.shared>, memref<32xi32, #tile.shared>
  // CHECK: tile.reduce and
  tile.reduce and %i, %ir dim(0) : memref<64x32xi32, #tile.shared>, memref<32xi32, #tile.shared>
  // CHECK: tile.reduce or
  tile.reduce or %i, %ir dim(0) : memref<64x32xi32, #tile.shared>, memref<32xi32, #tile.shared>
  // CHECK: tile.reduce xor
  tile.reduce xor %i, %ir dim(0) : memref<64x32xi32, #tile.shared>, memref<32xi32, #tile.shared>
  return
}

// CHECK-LABEL: func @kept_dimension
func.func @kept_dimension(%a: memref<4x8x6xf32, #tile.shared>, %r: memref<4x1x6xf32, #tile.shared>) {
  // CHECK: tile.reduce sum %{{.*}}, %{{.*}} dim(1) : memref<4x8x6xf32, #tile.shared>, memref<4x1x6xf32, #tile.shared>
  tile.reduce sum %a, %r dim(1) : memref<4x8x6xf32, #tile.shared>, memref<4x1x6xf32, #tile.shared>
  return
}

// CHECK-LABEL: func @to_scalar
func.func @to_scalar(%a: memref<64xf32, #tile.fragment>, %r: memref<1xf32, #tile.fragment>, %s: memref<f32, #tile.local>) {
  // CHECK: tile.reduce sum %{{.*}}, %{{.*}} dim(0) : memref<64xf32, #tile.fragment>, memref<1xf32, #tile.fragment>
  tile.reduce sum %a, %r dim(0) : memref<64xf32, #tile.fragment>, memref<1xf32, #tile.fragment>
  // CHECK: tile.reduce sum %{{.*}}, %{{.*}} dim(0) : memref<64xf32, #tile.fragment>, memref<f32, #tile.local>
  tile.reduce sum %a, %s dim(0) : memref<64xf32, #tile.fragment>, memref<f32, #tile.local>
  return
}

// CHECK-LABEL: func @widening
func.func @widening(%a: memref<8x8xf16, #tile.shared>, %b: memref<8x8xbf16, #tile.shared>, %r: memref<8xf32, #tile.fragment>) {
  // CHECK: tile.reduce sum %{{.*}}, %{{.*}} dim(1) : memref<8x8xf16, #tile.shared>, memref<8xf32, #tile.fragment>
  tile.reduce sum %a, %r dim(1) : memref<8x8xf16, #tile.shared>, memref<8xf32, #tile.fragment>
  // CHECK: tile.reduce abssum %{{.*}}, %{{.*}} dim(1) : memref<8x8xbf16, #tile.shared>, memref<8xf32, #tile.fragment>
  tile.reduce abssum %b, %r dim(1) : memref<8x8xbf16, #tile.shared>, memref<8xf32, #tile.fragment>
  return
}
