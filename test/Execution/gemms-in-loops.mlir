// What loops do with the results of their gemms: sums of blocks with a scale each, and sums that several blocks add to global
// memory, which the copy engine does on sm_90a.

// REQUIRES: tile-run, nvidia
// RUN: tile-run %s | FileCheck %s
// RUN: tile-run --target=cuda --device=model --chip=sm_90a %s | FileCheck %s
// RUN: env TILE_SIMT_SEED=7 tile-run --target=cuda --device=model --chip=sm_90a %s | FileCheck %s
// RUN: tile-run --target=cuda --device=model --chip=sm_80 %s | FileCheck %s
// CHECK: {{^}}9 passed, 0 failed{{$}}

!matrix = memref<?x?xf16>
!sums = memref<?x64xf32>

// Products and scales are small integers, and their sums exact.
func.func @scaled(%a: !matrix {tile.shape = "MxK", tile.init = "integers(-3,3)"},
                  %b: memref<64x?xf16> {tile.shape = "64xK", tile.init = "integers(-3,3)"},
                  %scales: memref<?x?xf32> {tile.shape = "SxM", tile.init = "integers(-3,3)"},
                  %c: !sums {tile.shape = "Mx64", tile.result})
    attributes {tile.reference = @scaled_reference, tile.atol = 0.0, tile.rtol = 0.0,
                tile.cases = ["M=128 K=256 S=4", "M=200 K=192 S=3", "M=1 K=64 S=1", "M=65 K=0 S=0"]} {
  tile.kernel (%x) in (ceildiv(dim(%a, 0), 128)) threads(256) {
    %as = tile.alloc : memref<128x64xf16, #tile.shared>
    %bs = tile.alloc : memref<64x64xf16, #tile.shared>
    %ss = tile.alloc : memref<128xf32, #tile.shared>
    %part = tile.alloc : memref<128x64xf32, #tile.fragment>
    %sum = tile.alloc : memref<128x64xf32, #tile.fragment>
    tile.fill %sum, 0.0
    tile.pipelined %k = 0 to ceildiv(dim(%a, 1), 64) stages(3) {
      tile.copy %a[%x * 128, %k * 64], %as
      tile.copy %b[0, %k * 64], %bs
      tile.copy %scales[%k, %x * 128], %ss
      tile.gemm %as, %bs, %part {clear, transpose_b}
      tile.parallel (%i, %j) in (128, 64) do %sum[%i, %j] = %sum[%i, %j] + %part[%i, %j] * %ss[%i]
    }
    tile.copy %sum, %c[%x * 128, 0]
  }
  return
}
func.func @scaled_reference(%a: !matrix, %b: memref<64x?xf16>, %scales: memref<?x?xf32>, %c: !sums) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = memref.dim %a, %c0 : !matrix
  %k = memref.dim %a, %c1 : !matrix
  affine.for %i = 0 to %m {
    affine.for %j = 0 to 64 {
      %sum = affine.for %l = 0 to %k iter_args(%old = %zero) -> f32 {
        %x = affine.load %a[%i, %l] : !matrix
        %y = affine.load %b[%j, %l] : memref<64x?xf16>
        %s = affine.load %scales[%l floordiv 64, %i] : memref<?x?xf32>
        %xf = arith.extf %x : f16 to f32
        %yf = arith.extf %y : f16 to f32
        %xy = arith.mulf %xf, %yf : f32
        %scaled = arith.mulf %xy, %s : f32
        %new = arith.addf %old, %scaled : f32
        affine.yield %new : f32
      }
      affine.store %sum, %c[%i, %j] : !sums
    }
  }
  return
}

// Each of three blocks adds the same product, rows past the end left out.
func.func @added(%a: !matrix {tile.shape = "64xN", tile.init = "integers(-3,3)"},
                 %b: memref<64x64xf16> {tile.init = "integers(-3,3)"},
                 %c: !sums {tile.shape = "Nx64", tile.init = "integers(-9,9)", tile.result})
    attributes {tile.reference = @added_reference, tile.atol = 0.0, tile.rtol = 0.0,
                tile.cases = ["N=128", "N=200", "N=64", "N=1", "N=0"]} {
  tile.kernel (%x) in (3) threads(256) {
    %as = tile.alloc : memref<64x64xf16, #tile.shared>
    %bs = tile.alloc : memref<64x64xf16, #tile.shared>
    %sum = tile.alloc : memref<64x64xf32, #tile.fragment>
    tile.copy %b, %bs
    tile.pipelined %t = 0 to ceildiv(dim(%a, 1), 64) stages(2) {
      tile.copy %a[0, %t * 64], %as
      tile.gemm %as, %bs, %sum {clear, transpose_a}
      tile.atomic add %sum, %c[%t * 64, 0]
    }
  }
  return
}
func.func @added_reference(%a: !matrix, %b: memref<64x64xf16>, %c: !sums) {
  %c1 = arith.constant 1 : index
  %three = arith.constant 3.0 : f32
  %n = memref.dim %a, %c1 : !matrix
  affine.for %i = 0 to %n {
    affine.for %j = 0 to 64 {
      affine.for %l = 0 to 64 {
        %x = affine.load %a[%l, %i] : !matrix
        %y = affine.load %b[%l, %j] : memref<64x64xf16>
        %old = affine.load %c[%i, %j] : !sums
        %xf = arith.extf %x : f16 to f32
        %yf = arith.extf %y : f16 to f32
        %xy = arith.mulf %xf, %yf : f32
        %new = math.fma %xy, %three, %old : f32
        affine.store %new, %c[%i, %j] : !sums
      }
    }
  }
  return
}
