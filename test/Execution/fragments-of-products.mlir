// Products with an operand in registers, transposed or not, on the left or on the right: where there is wgmma, it is the left one, of
// a transposed product if need be. A random kernel found that a transposed fragment was read as if it were not.

// REQUIRES: tile-run, nvidia, amd
// RUN: tile-run %s | FileCheck %s
// RUN: tile-run %s --target=cuda --chip=sm_80 --device=model | FileCheck %s
// RUN: tile-run %s --target=cuda --chip=sm_90a --device=model | FileCheck %s
// RUN: tile-run %s --target=hip --chip=gfx942 --device=model | FileCheck %s
// CHECK: 5 passed, 0 failed

func.func @right(%a: memref<64x32xf16> {tile.init = "integers(-2,2)"}, %b: memref<32x64xf16> {tile.init = "integers(-2,2)"},
                 %c: memref<64x64xf32> {tile.result}) attributes {tile.reference = @product} {
  tile.kernel (%x) in (1) threads(128) {
    %s = tile.alloc : memref<64x32xf16, #tile.shared>
    %f = tile.alloc : memref<32x64xf16, #tile.fragment>
    %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
    tile.fill %acc, 0.0
    tile.copy %a, %s
    tile.copy %b, %f
    tile.gemm %s, %f, %acc
    tile.copy %acc, %c
  }
  return
}
func.func @left(%a: memref<64x32xf16> {tile.init = "integers(-2,2)"}, %b: memref<32x64xf16> {tile.init = "integers(-2,2)"},
                %c: memref<64x64xf32> {tile.result}) attributes {tile.reference = @product} {
  tile.kernel (%x) in (1) threads(128) {
    %f = tile.alloc : memref<64x32xf16, #tile.fragment>
    %s = tile.alloc : memref<32x64xf16, #tile.shared>
    %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
    tile.fill %acc, 0.0
    tile.copy %a, %f
    tile.copy %b, %s
    tile.gemm %f, %s, %acc
    tile.copy %acc, %c
  }
  return
}
func.func @left_transposed(%a: memref<32x64xf16> {tile.init = "integers(-2,2)"}, %b: memref<32x64xf16> {tile.init = "integers(-2,2)"},
                           %c: memref<64x64xf32> {tile.result}) attributes {tile.reference = @product_of_transposed} {
  tile.kernel (%x) in (1) threads(128) {
    %f = tile.alloc : memref<32x64xf16, #tile.fragment>
    %s = tile.alloc : memref<32x64xf16, #tile.shared>
    %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
    tile.fill %acc, 0.0
    tile.copy %a, %f
    tile.copy %b, %s
    tile.gemm %f, %s, %acc {transpose_a}
    tile.copy %acc, %c
  }
  return
}
func.func @right_f8(%a: memref<64x64xf8E4M3FN> {tile.init = "integers(-2,2)"}, %b: memref<64x64xf8E4M3FN> {tile.init = "integers(-2,2)"},
                    %c: memref<64x64xf32> {tile.result}) attributes {tile.reference = @product_f8} {
  tile.kernel (%x) in (1) threads(128) {
    %s = tile.alloc : memref<64x64xf8E4M3FN, #tile.shared>
    %f = tile.alloc : memref<64x64xf8E4M3FN, #tile.fragment>
    %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
    tile.fill %acc, 0.0
    tile.copy %a, %s
    tile.copy %b, %f
    tile.gemm %s, %f, %acc
    tile.copy %acc, %c
  }
  return
}
func.func @right_tall(%a: memref<128x32xf16> {tile.init = "integers(-2,2)"}, %b: memref<32x64xf16> {tile.init = "integers(-2,2)"},
                      %c: memref<128x64xf32> {tile.result}) attributes {tile.reference = @product_tall} {
  tile.kernel (%x) in (1) threads(128) {
    %s = tile.alloc : memref<128x32xf16, #tile.shared>
    %f = tile.alloc : memref<32x64xf16, #tile.fragment>
    %acc = tile.alloc : memref<128x64xf32, #tile.fragment>
    tile.fill %acc, 0.0
    tile.copy %a, %s
    tile.copy %b, %f
    tile.gemm %s, %f, %acc
    tile.copy %acc, %c
  }
  return
}

func.func @product(%a: memref<64x32xf16>, %b: memref<32x64xf16>, %c: memref<64x64xf32>) {
  affine.for %i = 0 to 64 { affine.for %j = 0 to 64 {
    %zero = arith.constant 0.0 : f32
    %s = affine.for %k = 0 to 32 iter_args(%acc = %zero) -> f32 {
      %x = affine.load %a[%i, %k] : memref<64x32xf16>
      %y = affine.load %b[%k, %j] : memref<32x64xf16>
      %u = arith.extf %x : f16 to f32
      %v = arith.extf %y : f16 to f32
      %p = arith.mulf %u, %v : f32
      %q = arith.addf %acc, %p : f32
      affine.yield %q : f32
    }
    affine.store %s, %c[%i, %j] : memref<64x64xf32>
  }}
  return
}
func.func @product_of_transposed(%a: memref<32x64xf16>, %b: memref<32x64xf16>, %c: memref<64x64xf32>) {
  affine.for %i = 0 to 64 { affine.for %j = 0 to 64 {
    %zero = arith.constant 0.0 : f32
    %s = affine.for %k = 0 to 32 iter_args(%acc = %zero) -> f32 {
      %x = affine.load %a[%k, %i] : memref<32x64xf16>
      %y = affine.load %b[%k, %j] : memref<32x64xf16>
      %u = arith.extf %x : f16 to f32
      %v = arith.extf %y : f16 to f32
      %p = arith.mulf %u, %v : f32
      %q = arith.addf %acc, %p : f32
      affine.yield %q : f32
    }
    affine.store %s, %c[%i, %j] : memref<64x64xf32>
  }}
  return
}
func.func @product_f8(%a: memref<64x64xf8E4M3FN>, %b: memref<64x64xf8E4M3FN>, %c: memref<64x64xf32>) {
  affine.for %i = 0 to 64 { affine.for %j = 0 to 64 {
    %zero = arith.constant 0.0 : f32
    %s = affine.for %k = 0 to 64 iter_args(%acc = %zero) -> f32 {
      %x = affine.load %a[%i, %k] : memref<64x64xf8E4M3FN>
      %y = affine.load %b[%k, %j] : memref<64x64xf8E4M3FN>
      %u = arith.extf %x : f8E4M3FN to f32
      %v = arith.extf %y : f8E4M3FN to f32
      %p = arith.mulf %u, %v : f32
      %q = arith.addf %acc, %p : f32
      affine.yield %q : f32
    }
    affine.store %s, %c[%i, %j] : memref<64x64xf32>
  }}
  return
}
func.func @product_tall(%a: memref<128x32xf16>, %b: memref<32x64xf16>, %c: memref<128x64xf32>) {
  affine.for %i = 0 to 128 { affine.for %j = 0 to 64 {
    %zero = arith.constant 0.0 : f32
    %s = affine.for %k = 0 to 32 iter_args(%acc = %zero) -> f32 {
      %x = affine.load %a[%i, %k] : memref<128x32xf16>
      %y = affine.load %b[%k, %j] : memref<32x64xf16>
      %u = arith.extf %x : f16 to f32
      %v = arith.extf %y : f16 to f32
      %p = arith.mulf %u, %v : f32
      %q = arith.addf %acc, %p : f32
      affine.yield %q : f32
    }
    affine.store %s, %c[%i, %j] : memref<128x64xf32>
  }}
  return
}
