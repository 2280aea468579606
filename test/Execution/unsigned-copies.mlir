// Copies of unsigned integers to another type.

// REQUIRES: tile-run, nvidia, amd, ascend
// RUN: tile-run %s | FileCheck %s
// RUN: tile-run %s --target=cuda --chip=sm_80 --device=model | FileCheck %s
// RUN: tile-run %s --target=hip --chip=gfx942 --device=model | FileCheck %s
// RUN: tile-run %s --target=ascend --chip=910B | FileCheck %s
// RUN: tile-run %s --target=ascend --chip=950 | FileCheck %s
// CHECK: {{^}}5 passed, 0 failed{{$}}

func.func @widen(%a: memref<16x40xi8> {tile.init = "integers(-128,127)"}, %c: memref<16x40xi32> {tile.result},
                 %d: memref<16x40xf16> {tile.result}, %e: memref<16x40xi16> {tile.result})
    attributes {tile.reference = @widen_reference} {
  tile.kernel (%p) in (1) {
    %x = tile.alloc : memref<16x40xi8, #tile.fragment>
    %z = tile.alloc : memref<16x40xi32, #tile.fragment>
    %w = tile.alloc : memref<16x40xf16, #tile.shared>
    tile.copy %a, %x : memref<16x40xi8>, memref<16x40xi8, #tile.fragment>
    tile.copy %x, %z {is_unsigned} : memref<16x40xi8, #tile.fragment>, memref<16x40xi32, #tile.fragment>
    tile.copy %z, %c : memref<16x40xi32, #tile.fragment>, memref<16x40xi32>
    tile.copy %a, %w {is_unsigned} : memref<16x40xi8>, memref<16x40xf16, #tile.shared>
    tile.copy %w, %d
    tile.copy %x, %e {is_unsigned} : memref<16x40xi8, #tile.fragment>, memref<16x40xi16>
  }
  return
}
func.func private @widen_reference(%a: memref<16x40xi8>, %c: memref<16x40xi32>, %d: memref<16x40xf16>, %e: memref<16x40xi16>) {
  affine.for %i = 0 to 16 {
    affine.for %j = 0 to 40 {
      %u = affine.load %a[%i, %j] : memref<16x40xi8>
      %v = arith.extui %u : i8 to i32
      affine.store %v, %c[%i, %j] : memref<16x40xi32>
      %w = arith.uitofp %u : i8 to f16
      affine.store %w, %d[%i, %j] : memref<16x40xf16>
      %s = arith.extui %u : i8 to i16
      affine.store %s, %e[%i, %j] : memref<16x40xi16>
    }
  }
  return
}

// Rows in halves, tails, parts, and on the way to a product.
func.func @product(%a: memref<?x64xi8> {tile.shape = "Mx64", tile.init = "integers(-128,127)"},
                   %b: memref<64x32xf16> {tile.init = "integers(-3,3)"},
                   %c: memref<?x32xf32> {tile.shape = "Mx32", tile.result})
    attributes {tile.reference = @product_reference, tile.cases = ["M=64", "M=77"]} {
  tile.kernel (%p) in (ceildiv(dim(%a, 0), 64)) threads(128) {
    %x = tile.alloc : memref<64x64xi8, #tile.shared>
    %w = tile.alloc : memref<64x64xf16, #tile.shared>
    %bs = tile.alloc : memref<64x32xf16, #tile.shared>
    %s = tile.alloc : memref<64x32xf32, #tile.fragment>
    tile.copy %a[%p * 64, 0], %x
    tile.copy %x, %w {is_unsigned}
    tile.copy %b, %bs
    tile.gemm %w, %bs, %s {clear}
    tile.copy %s, %c[%p * 64, 0]
  }
  return
}
func.func private @product_reference(%a: memref<?x64xi8>, %b: memref<64x32xf16>, %c: memref<?x32xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %m = memref.dim %a, %c0 : memref<?x64xi8>
  affine.for %i = 0 to %m {
    affine.for %j = 0 to 32 {
      %sum = affine.for %k = 0 to 64 iter_args(%old = %zero) -> f32 {
        %u = affine.load %a[%i, %k] : memref<?x64xi8>
        %v = arith.uitofp %u : i8 to f32
        %g = affine.load %b[%k, %j] : memref<64x32xf16>
        %h = arith.extf %g : f16 to f32
        %t = arith.mulf %v, %h : f32
        %n = arith.addf %old, %t : f32
        affine.yield %n : f32
      }
      affine.store %sum, %c[%i, %j] : memref<?x32xf32>
    }
  }
  return
}

// Parts of a tile, at places that are not blocks.
func.func @parts(%a: memref<?xi16> {tile.shape = "N", tile.init = "integers(-32768,32767)"},
                 %n: memref<1xi32> {tile.init = "integers(0,9)"}, %c: memref<?xf32> {tile.shape = "N", tile.result})
    attributes {tile.reference = @parts_reference, tile.cases = ["N=64", "N=71"]} {
  tile.kernel (%p) in (ceildiv(dim(%a, 0), 64)) threads(128) {
    %x = tile.alloc : memref<80xi16, #tile.shared>
    %y = tile.alloc : memref<80xf32, #tile.shared>
    %k32 = memref.load %n[%p] : memref<1xi32>
    %k = arith.index_cast %k32 : i32 to index
    tile.fill %x, 0
    tile.fill %y, 0.0
    tile.copy %a[%p * 64] [64], %x[%k] [64]
    tile.copy %x[%k] [64], %y[3] [64] {is_unsigned}
    tile.copy %y[3] [64], %c[%p * 64] [64]
  }
  return
}
func.func private @parts_reference(%a: memref<?xi16>, %n: memref<1xi32>, %c: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %m = memref.dim %a, %c0 : memref<?xi16>
  affine.for %i = 0 to %m {
    %u = affine.load %a[%i] : memref<?xi16>
    %v = arith.uitofp %u : i16 to f32
    affine.store %v, %c[%i] : memref<?xf32>
  }
  return
}
