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
