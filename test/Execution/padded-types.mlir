// Operands of products whose rows are no vectors are copied first (tile-version-kernels), of all types, orders of dimensions and
// ranks. Each case has one odd extent, or all; in the first one, tensor copies read the operands as they are.

// REQUIRES: tile-run, nvidia, amd
// RUN: tile-run %s | FileCheck %s
// RUN: tile-run %s --target=cuda --chip=sm_90a --device=model | FileCheck %s
// RUN: tile-run %s --target=cuda --chip=sm_80 --device=model | FileCheck %s
// RUN: tile-run %s --target=hip --chip=gfx950 --device=model | FileCheck %s
// CHECK: {{^}}26 passed, 0 failed{{$}}

// Sums of i8 wrap nowhere here: they are exact.
func.func @bytes(%a: memref<?x?xi8> {tile.shape = "MxK"}, %b: memref<?x?xi8> {tile.shape = "KxN"}, %c: memref<?x?xi32> {tile.shape = "MxN", tile.result})
    attributes {tile.reference = @bytes_reference, tile.atol = 0.0, tile.rtol = 0.0,
      tile.cases = ["M=48 N=32 K=160", "M=33 N=32 K=160", "M=48 N=35 K=160", "M=48 N=32 K=131", "M=33 N=35 K=131"]} {
  tile.kernel (%x, %y) in (ceildiv(dim(%b, 1), 64), ceildiv(dim(%a, 0), 64)) threads(128) {
    %as = tile.alloc : memref<64x32xi8, #tile.shared>
    %bs = tile.alloc : memref<32x64xi8, #tile.shared>
    %acc = tile.alloc : memref<64x64xi32, #tile.fragment>
    tile.fill %acc, 0
    tile.pipelined %s = 0 to ceildiv(dim(%a, 1), 32) stages(2) {
      tile.copy %a[%y * 64, %s * 32], %as
      tile.copy %b[%s * 32, %x * 64], %bs
      tile.gemm %as, %bs, %acc
    }
    tile.copy %acc, %c[%y * 64, %x * 64]
  }
  return
}
func.func private @bytes_reference(%a: memref<?x?xi8>, %b: memref<?x?xi8>, %c: memref<?x?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %a, %c0 : memref<?x?xi8>
  %n = memref.dim %b, %c1 : memref<?x?xi8>
  %k = memref.dim %a, %c1 : memref<?x?xi8>
  %zero = arith.constant 0 : i32
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      %sum = affine.for %l = 0 to %k iter_args(%old = %zero) -> i32 {
        %p = affine.load %a[%i, %l] : memref<?x?xi8>
        %q = affine.load %b[%l, %j] : memref<?x?xi8>
        %pw = arith.extsi %p : i8 to i32
        %qw = arith.extsi %q : i8 to i32
        %t = arith.muli %pw, %qw : i32
        %next = arith.addi %old, %t : i32
        affine.yield %next : i32
      }
      affine.store %sum, %c[%i, %j] : memref<?x?xi32>
    }
  }
  return
}

// A · Bᵀ of 8-bit floats: integers, whose sums are exact.
func.func @eights(%a: memref<?x?xf8E4M3FN> {tile.shape = "MxK", tile.init = "integers(-4,4)"}, %b: memref<?x?xf8E4M3FN> {tile.shape = "NxK", tile.init = "integers(-4,4)"}, %c: memref<?x?xf32> {tile.shape = "MxN", tile.result})
    attributes {tile.reference = @eights_reference, tile.atol = 0.0, tile.rtol = 0.0,
      tile.cases = ["M=48 N=32 K=160", "M=33 N=32 K=160", "M=48 N=35 K=160", "M=48 N=32 K=131", "M=33 N=35 K=131"]} {
  tile.kernel (%x, %y) in (ceildiv(dim(%b, 0), 64), ceildiv(dim(%a, 0), 64)) threads(128) {
    %as = tile.alloc : memref<64x32xf8E4M3FN, #tile.shared>
    %bs = tile.alloc : memref<64x32xf8E4M3FN, #tile.shared>
    %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
    tile.fill %acc, 0.0
    tile.pipelined %s = 0 to ceildiv(dim(%a, 1), 32) stages(2) {
      tile.copy %a[%y * 64, %s * 32], %as
      tile.copy %b[%x * 64, %s * 32], %bs
      tile.gemm %as, %bs, %acc {transpose_b}
    }
    tile.copy %acc, %c[%y * 64, %x * 64]
  }
  return
}
func.func private @eights_reference(%a: memref<?x?xf8E4M3FN>, %b: memref<?x?xf8E4M3FN>, %c: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %a, %c0 : memref<?x?xf8E4M3FN>
  %n = memref.dim %b, %c0 : memref<?x?xf8E4M3FN>
  %k = memref.dim %a, %c1 : memref<?x?xf8E4M3FN>
  %zero = arith.constant 0.0 : f32
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      %sum = affine.for %l = 0 to %k iter_args(%old = %zero) -> f32 {
        %p = affine.load %a[%i, %l] : memref<?x?xf8E4M3FN>
        %q = affine.load %b[%j, %l] : memref<?x?xf8E4M3FN>
        %pw = arith.extf %p : f8E4M3FN to f32
        %qw = arith.extf %q : f8E4M3FN to f32
        %t = arith.mulf %pw, %qw : f32
        %next = arith.addf %old, %t : f32
        affine.yield %next : f32
      }
      affine.store %sum, %c[%i, %j] : memref<?x?xf32>
    }
  }
  return
}

// Aᵀ · B: rows of both go along the result. The result is rounded once.
func.func @halves(%a: memref<?x?xbf16> {tile.shape = "KxM", tile.init = "integers(-4,4)"}, %b: memref<?x?xbf16> {tile.shape = "KxN", tile.init = "integers(-4,4)"}, %c: memref<?x?xbf16> {tile.shape = "MxN", tile.result})
    attributes {tile.reference = @halves_reference, tile.atol = 0.0, tile.rtol = 3.90625e-3,
      tile.cases = ["M=48 N=32 K=160", "M=33 N=32 K=160", "M=48 N=35 K=160", "M=48 N=32 K=131", "M=33 N=35 K=131"]} {
  tile.kernel (%x, %y) in (ceildiv(dim(%b, 1), 64), ceildiv(dim(%a, 1), 64)) threads(128) {
    %as = tile.alloc : memref<32x64xbf16, #tile.shared>
    %bs = tile.alloc : memref<32x64xbf16, #tile.shared>
    %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
    tile.fill %acc, 0.0
    tile.pipelined %s = 0 to ceildiv(dim(%a, 0), 32) stages(2) {
      tile.copy %a[%s * 32, %y * 64], %as
      tile.copy %b[%s * 32, %x * 64], %bs
      tile.gemm %as, %bs, %acc {transpose_a}
    }
    tile.copy %acc, %c[%y * 64, %x * 64]
  }
  return
}
func.func private @halves_reference(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %c: memref<?x?xbf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %a, %c1 : memref<?x?xbf16>
  %n = memref.dim %b, %c1 : memref<?x?xbf16>
  %k = memref.dim %a, %c0 : memref<?x?xbf16>
  %zero = arith.constant 0.0 : f32
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      %sum = affine.for %l = 0 to %k iter_args(%old = %zero) -> f32 {
        %p = affine.load %a[%l, %i] : memref<?x?xbf16>
        %q = affine.load %b[%l, %j] : memref<?x?xbf16>
        %pw = arith.extf %p : bf16 to f32
        %qw = arith.extf %q : bf16 to f32
        %t = arith.mulf %pw, %qw : f32
        %next = arith.addf %old, %t : f32
        affine.yield %next : f32
      }
      %r = arith.truncf %sum : f32 to bf16
      affine.store %r, %c[%i, %j] : memref<?x?xbf16>
    }
  }
  return
}

// Aᵀ · Bᵀ of f32.
func.func @words(%a: memref<?x?xf32> {tile.shape = "KxM", tile.init = "integers(-8,8)"}, %b: memref<?x?xf32> {tile.shape = "NxK", tile.init = "integers(-8,8)"}, %c: memref<?x?xf32> {tile.shape = "MxN", tile.result})
    attributes {tile.reference = @words_reference, tile.atol = 0.0, tile.rtol = 0.0,
      tile.cases = ["M=48 N=32 K=160", "M=33 N=32 K=160", "M=48 N=35 K=160", "M=48 N=32 K=131", "M=33 N=35 K=131"]} {
  tile.kernel (%x, %y) in (ceildiv(dim(%b, 0), 64), ceildiv(dim(%a, 1), 64)) threads(128) {
    %as = tile.alloc : memref<32x64xf32, #tile.shared>
    %bs = tile.alloc : memref<64x32xf32, #tile.shared>
    %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
    tile.fill %acc, 0.0
    tile.pipelined %s = 0 to ceildiv(dim(%a, 0), 32) stages(2) {
      tile.copy %a[%s * 32, %y * 64], %as
      tile.copy %b[%x * 64, %s * 32], %bs
      tile.gemm %as, %bs, %acc {transpose_a, transpose_b}
    }
    tile.copy %acc, %c[%y * 64, %x * 64]
  }
  return
}
func.func private @words_reference(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %c: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %a, %c1 : memref<?x?xf32>
  %n = memref.dim %b, %c0 : memref<?x?xf32>
  %k = memref.dim %a, %c0 : memref<?x?xf32>
  %zero = arith.constant 0.0 : f32
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      %sum = affine.for %l = 0 to %k iter_args(%old = %zero) -> f32 {
        %p = affine.load %a[%l, %i] : memref<?x?xf32>
        %q = affine.load %b[%j, %l] : memref<?x?xf32>
        %t = arith.mulf %p, %q : f32
        %next = arith.addf %old, %t : f32
        affine.yield %next : f32
      }
      affine.store %sum, %c[%i, %j] : memref<?x?xf32>
    }
  }
  return
}

// A batch of bf16.
func.func @planes(%a: memref<?x?x?xbf16> {tile.shape = "BxMxK", tile.init = "integers(-4,4)"}, %b: memref<?x?x?xbf16> {tile.shape = "BxNxK", tile.init = "integers(-4,4)"}, %c: memref<?x?x?xf32> {tile.shape = "BxMxN", tile.result})
    attributes {tile.reference = @planes_reference, tile.atol = 0.0, tile.rtol = 0.0,
      tile.cases = ["B=2 M=33 N=35 K=131", "B=3 M=48 N=32 K=160", "B=1 M=33 N=32 K=129"]} {
  tile.kernel (%x, %y, %z) in (ceildiv(dim(%b, 1), 64), ceildiv(dim(%a, 1), 64), dim(%a, 0)) threads(128) {
    %as = tile.alloc : memref<64x32xbf16, #tile.shared>
    %bs = tile.alloc : memref<64x32xbf16, #tile.shared>
    %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
    tile.fill %acc, 0.0
    tile.pipelined %s = 0 to ceildiv(dim(%a, 2), 32) stages(2) {
      tile.copy %a[%z, %y * 64, %s * 32] [1, 64, 32], %as
      tile.copy %b[%z, %x * 64, %s * 32] [1, 64, 32], %bs
      tile.gemm %as, %bs, %acc {transpose_b}
    }
    tile.copy %acc, %c[%z, %y * 64, %x * 64] [1, 64, 64]
  }
  return
}
func.func private @planes_reference(%a: memref<?x?x?xbf16>, %b: memref<?x?x?xbf16>, %c: memref<?x?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %planes = memref.dim %a, %c0 : memref<?x?x?xbf16>
  %m = memref.dim %a, %c1 : memref<?x?x?xbf16>
  %n = memref.dim %b, %c1 : memref<?x?x?xbf16>
  %k = memref.dim %a, %c2 : memref<?x?x?xbf16>
  %zero = arith.constant 0.0 : f32
  affine.for %z = 0 to %planes {
    affine.for %i = 0 to %m {
      affine.for %j = 0 to %n {
        %sum = affine.for %l = 0 to %k iter_args(%old = %zero) -> f32 {
          %p = affine.load %a[%z, %i, %l] : memref<?x?x?xbf16>
          %q = affine.load %b[%z, %j, %l] : memref<?x?x?xbf16>
          %pw = arith.extf %p : bf16 to f32
          %qw = arith.extf %q : bf16 to f32
          %t = arith.mulf %pw, %qw : f32
          %next = arith.addf %old, %t : f32
          affine.yield %next : f32
        }
        affine.store %sum, %c[%z, %i, %j] : memref<?x?x?xf32>
      }
    }
  }
  return
}

// Planes of any stride are read as they are.
func.func @views(%a: memref<?x?x?xf16, strided<[?, ?, 1]>> {tile.shape = "BxMxK", tile.init = "integers(-4,4)"}, %b: memref<?x?x?xf16, strided<[?, ?, 1]>> {tile.shape = "BxKxN", tile.init = "integers(-4,4)"}, %c: memref<?x?x?xf32> {tile.shape = "BxMxN", tile.result})
    attributes {tile.reference = @views_reference, tile.atol = 0.0, tile.rtol = 0.0,
      tile.cases = ["B=2 M=33 N=35 K=131", "B=3 M=48 N=32 K=160", "B=1 M=33 N=32 K=129"]} {
  tile.kernel (%x, %y, %z) in (ceildiv(dim(%b, 2), 64), ceildiv(dim(%a, 1), 64), dim(%a, 0)) threads(128) {
    %as = tile.alloc : memref<64x32xf16, #tile.shared>
    %bs = tile.alloc : memref<32x64xf16, #tile.shared>
    %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
    tile.fill %acc, 0.0
    tile.pipelined %s = 0 to ceildiv(dim(%a, 2), 32) stages(2) {
      tile.copy %a[%z, %y * 64, %s * 32] [1, 64, 32], %as
      tile.copy %b[%z, %s * 32, %x * 64] [1, 32, 64], %bs
      tile.gemm %as, %bs, %acc
    }
    tile.copy %acc, %c[%z, %y * 64, %x * 64] [1, 64, 64]
  }
  return
}
func.func private @views_reference(%a: memref<?x?x?xf16, strided<[?, ?, 1]>>, %b: memref<?x?x?xf16, strided<[?, ?, 1]>>, %c: memref<?x?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %planes = memref.dim %a, %c0 : memref<?x?x?xf16, strided<[?, ?, 1]>>
  %m = memref.dim %a, %c1 : memref<?x?x?xf16, strided<[?, ?, 1]>>
  %n = memref.dim %b, %c2 : memref<?x?x?xf16, strided<[?, ?, 1]>>
  %k = memref.dim %a, %c2 : memref<?x?x?xf16, strided<[?, ?, 1]>>
  %zero = arith.constant 0.0 : f32
  affine.for %z = 0 to %planes {
    affine.for %i = 0 to %m {
      affine.for %j = 0 to %n {
        %sum = affine.for %l = 0 to %k iter_args(%old = %zero) -> f32 {
          %p = affine.load %a[%z, %i, %l] : memref<?x?x?xf16, strided<[?, ?, 1]>>
          %q = affine.load %b[%z, %l, %j] : memref<?x?x?xf16, strided<[?, ?, 1]>>
          %pw = arith.extf %p : f16 to f32
          %qw = arith.extf %q : f16 to f32
          %t = arith.mulf %pw, %qw : f32
          %next = arith.addf %old, %t : f32
          affine.yield %next : f32
        }
        affine.store %sum, %c[%z, %i, %j] : memref<?x?x?xf32>
      }
    }
  }
  return
}
