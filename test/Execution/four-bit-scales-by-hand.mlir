// Scales that a program multiplies by a power of two by hand: one that is not small enough stays a product of its own. With
// 2^-8, a factor of 8 times what the bits of a weight need would be infinite.

// REQUIRES: tile-run, nvidia
// RUN: tile-run %s | FileCheck %s
// RUN: tile-run %s --target=cuda --chip=sm_90a --device=model | FileCheck %s
// RUN: tile-run %s --target=cuda --chip=sm_80 --device=model | FileCheck %s
// CHECK: {{^}}1 passed, 0 failed{{$}}

!s = memref<64xbf16>
func.func @by_hand(%q: memref<64x32xi8> {tile.init = "integers(-128,127)"}, %s: !s {tile.init = "integers(10,20)"}, %b: memref<16x64xbf16>, %c: memref<64x16xf32> {tile.result})
    attributes {tile.reference = @by_hand_reference, tile.atol = 1.0e-3, tile.rtol = 1.0e-4} {
  tile.kernel (%x) in (1) threads(128) {
    %qs = tile.alloc : memref<64x32xi8, #tile.shared>
    %ss = tile.alloc : memref<64xbf16, #tile.shared>
    %bs = tile.alloc : memref<16x64xbf16, #tile.shared>
    %w = tile.alloc : memref<64x64xbf16, #tile.fragment>
    %sum = tile.alloc : memref<64x16xf32, #tile.fragment>
    tile.fill %sum, 1.0
    tile.copy %q, %qs
    tile.copy %s, %ss
    tile.copy %b, %bs
    %codes = tile.view %qs : memref<64x32xi8, #tile.shared> to memref<64x64xi4, #tile.shared>
    tile.copy %codes, %w
    tile.parallel (%i, %j) in (64, 64) {
      %v = memref.load %w[%i, %j] : memref<64x64xbf16, #tile.fragment>
      %scale = memref.load %ss[%i] : memref<64xbf16, #tile.shared>
      %p8 = arith.constant 0.00390625 : bf16
      %small = arith.mulf %scale, %p8 fastmath<reassoc> : bf16
      %next = arith.mulf %v, %small fastmath<reassoc> : bf16
      memref.store %next, %w[%i, %j] : memref<64x64xbf16, #tile.fragment>
    }
    tile.gemm %w, %bs, %sum {transpose_b}
    tile.copy %sum, %c
  }
  return
}
func.func @by_hand_reference(%q: memref<64x32xi8>, %s: !s, %b: memref<16x64xbf16>, %c: memref<64x16xf32>) {
  %zero = arith.constant 1.0 : f64
  %two = arith.constant 2 : index
  %four = arith.constant 4 : i8
  affine.for %i = 0 to 64 {
    affine.for %j = 0 to 16 {
      %sum = affine.for %l = 0 to 64 iter_args(%acc = %zero) -> f64 {
        %odd = arith.remui %l, %two : index
        %odd8 = arith.index_cast %odd : index to i8
        %shift = arith.muli %odd8, %four : i8
        %byte = affine.load %q[%i, %l floordiv 2] : memref<64x32xi8>
        %shifted = arith.shrui %byte, %shift : i8
        %half = arith.trunci %shifted : i8 to i4
        %code = arith.sitofp %half : i4 to bf16
        %scale = affine.load %s[%i] : !s
        %p8 = arith.constant 0.00390625 : bf16
        %small = arith.mulf %scale, %p8 : bf16
        %weight = arith.mulf %code, %small : bf16
        %x = arith.extf %weight : bf16 to f64
        %y = affine.load %b[%j, %l] : memref<16x64xbf16>
        %yd = arith.extf %y : bf16 to f64
        %p = arith.mulf %x, %yd : f64
        %next = arith.addf %acc, %p : f64
        affine.yield %next : f64
      }
      %r = arith.truncf %sum : f64 to f32
      affine.store %r, %c[%i, %j] : memref<64x16xf32>
    }
  }
  return
}
