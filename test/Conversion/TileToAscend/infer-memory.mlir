// RUN: tile-opt %s --ascend-infer-memory | FileCheck %s

// CHECK-LABEL: func.func @spaces
func.func @spaces(%a: memref<64x64xf16>, %o: memref<64x64xf32>, %r: memref<64xf32>) {
  %zero = arith.constant 0.0 : f32
  tile.kernel (%b) in (1) {
    // CHECK: tile.alloc : memref<64x64xf16, #tile.l1>
    // CHECK: tile.alloc : memref<64x64xf32, #tile.l0c>
    // CHECK: tile.alloc : memref<64x64xf32, #tile.ub>
    // CHECK: tile.alloc : memref<64xf32, #tile.ub>
    %x = tile.alloc : memref<64x64xf16, #tile.shared>
    %c = tile.alloc : memref<64x64xf32, #tile.fragment>
    %y = tile.alloc : memref<64x64xf32, #tile.shared>
    %s = tile.alloc : memref<64xf32, #tile.fragment>
    tile.copy %a, %x : memref<64x64xf16>, memref<64x64xf16, #tile.shared>
    tile.fill %c, %zero : memref<64x64xf32, #tile.fragment>
    tile.gemm %x, %x, %c : memref<64x64xf16, #tile.shared>, memref<64x64xf16, #tile.shared>, memref<64x64xf32, #tile.fragment>
    tile.copy %c, %o : memref<64x64xf32, #tile.fragment>, memref<64x64xf32>
    tile.copy %o, %y : memref<64x64xf32>, memref<64x64xf32, #tile.shared>
    tile.reduce sum %y, %s dim(1) : memref<64x64xf32, #tile.shared>, memref<64xf32, #tile.fragment>
    tile.copy %s, %r : memref<64xf32, #tile.fragment>, memref<64xf32>
  }
  return
}

// Where a condition clears an accumulator of the vector unit, it is filled before. Each product of a narrow type is
// rounded.
// CHECK-LABEL: func.func @clear_if
// CHECK-SAME:    , %[[T:[a-z0-9]+]]: i1
// CHECK-DAG:     %[[LANDING:.*]] = tile.alloc : memref<64x64xf32, #tile.ub>
// CHECK-DAG:     %[[ACC:.*]] = tile.alloc : memref<64x64xf32, #tile.l0c>
// CHECK-DAG:     %[[C:.*]] = tile.alloc : memref<64x64xf16, #tile.ub>
// CHECK:         scf.if %[[T]] {
// CHECK:           tile.fill %[[C]]
// CHECK:         tile.gemm %{{.*}}, %{{.*}}, %[[ACC]] {clear} :
// CHECK:         tile.copy %[[ACC]], %[[LANDING]]
// CHECK:         arith.extf
// CHECK:         arith.addf %{{.*}} : f32
// CHECK:         arith.truncf %{{.*}} : f32 to f16
func.func @clear_if(%a: memref<64x64xf16>, %o: memref<64x64xf16>, %t: i1) {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<64x64xf16, #tile.shared>
    %c = tile.alloc : memref<64x64xf16, #tile.fragment>
    tile.copy %a, %x : memref<64x64xf16>, memref<64x64xf16, #tile.shared>
    tile.copy %o, %c : memref<64x64xf16>, memref<64x64xf16, #tile.fragment>
    tile.gemm %x, %x, %c clear_if(%t) : memref<64x64xf16, #tile.shared>, memref<64x64xf16, #tile.shared>, memref<64x64xf16, #tile.fragment>
    tile.copy %c, %o : memref<64x64xf16, #tile.fragment>, memref<64x64xf16>
  }
  return
}
