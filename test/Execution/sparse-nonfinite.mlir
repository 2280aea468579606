// Sparse tensor cores leave out what meets no stored element, also infinities and NaN; stored zeros are multiplied. As on an H200.

// REQUIRES: tile-run, nvidia
// RUN: tile-run %s --target=cuda --chip=sm_80 --device=model | FileCheck %s
// RUN: tile-run %s --target=cuda --chip=sm_90a --device=model | FileCheck %s
// CHECK: {{^}}3 passed, 0 failed{{$}}

func.func @warp(%a: memref<16x16xf16> {tile.init = "ones"}, %c: memref<16x8xf32> {tile.result})
    attributes {tile.reference = @warp_reference} {
  tile.kernel (%k) in (1) threads(32) {
    %as = tile.alloc : memref<16x16xf16, #tile.shared>
    %es = tile.alloc : memref<16x2xi16, #tile.shared>
    %bs = tile.alloc : memref<32x8xf16, #tile.shared>
    %cf = tile.alloc : memref<16x8xf32, #tile.fragment>
    tile.copy %a, %as
    // Of each group the elements 0 and 1.
    tile.fill %es, 17476
    tile.parallel (%i, %j) in (32, 8) do %bs[%i, %j] = select(%i mod 4 < 2, 1.0, select(%j mod 2 == 0, inf, nan))
    tile.sparse_gemm %as by %es, %bs, %cf {clear}
    tile.copy %cf, %c
  }
  return
}
func.func private @warp_reference(%a: memref<16x16xf16>, %c: memref<16x8xf32>) {
  %sum = arith.constant 16.0 : f32
  affine.for %i = 0 to 16 {
    affine.for %j = 0 to 8 {
      affine.store %sum, %c[%i, %j] : memref<16x8xf32>
    }
  }
  return
}

func.func @warpgroup(%a: memref<64x32xf16> {tile.init = "ones"}, %c: memref<64x64xf32> {tile.result})
    attributes {tile.reference = @warpgroup_reference} {
  tile.kernel (%k) in (1) threads(128) {
    %as = tile.alloc : memref<64x32xf16, #tile.shared>
    %es = tile.alloc : memref<64x4xi16, #tile.shared>
    %bs = tile.alloc : memref<64x64xf16, #tile.shared>
    %cf = tile.alloc : memref<64x64xf32, #tile.fragment>
    tile.copy %a, %as
    tile.fill %es, 17476
    tile.parallel (%i, %j) in (64, 64) do %bs[%i, %j] = select(%i mod 4 < 2, 1.0, inf)
    tile.sparse_gemm %as by %es, %bs, %cf {clear}
    tile.copy %cf, %c
  }
  return
}
func.func private @warpgroup_reference(%a: memref<64x32xf16>, %c: memref<64x64xf32>) {
  %sum = arith.constant 32.0 : f32
  affine.for %i = 0 to 64 {
    affine.for %j = 0 to 64 {
      affine.store %sum, %c[%i, %j] : memref<64x64xf32>
    }
  }
  return
}

// Zeros that are stored and meet infinities.
func.func @stored(%a: memref<16x16xf16> {tile.init = "zeros"}, %c: memref<16x8xf32> {tile.result})
    attributes {tile.reference = @stored_reference} {
  tile.kernel (%k) in (1) threads(32) {
    %as = tile.alloc : memref<16x16xf16, #tile.shared>
    %es = tile.alloc : memref<16x2xi16, #tile.shared>
    %bs = tile.alloc : memref<32x8xf16, #tile.shared>
    %cf = tile.alloc : memref<16x8xf32, #tile.fragment>
    tile.copy %a, %as
    tile.fill %es, 17476
    tile.fill %bs, inf
    tile.sparse_gemm %as by %es, %bs, %cf {clear}
    tile.copy %cf, %c
  }
  return
}
func.func private @stored_reference(%a: memref<16x16xf16>, %c: memref<16x8xf32>) {
  %nan = arith.constant 0x7FC00000 : f32
  affine.for %i = 0 to 16 {
    affine.for %j = 0 to 8 {
      affine.store %nan, %c[%i, %j] : memref<16x8xf32>
    }
  }
  return
}
