// Kernels that move rows by a list: paged attention of one new token, the permutation of a mixture of experts and back.

// REQUIRES: tile-run, nvidia, amd, ascend
// RUN: tile-run %s | FileCheck %s
// RUN: tile-run %s --target=cuda --chip=sm_80 --device=model | FileCheck %s
// RUN: tile-run %s --target=cuda --chip=sm_90a --device=model | FileCheck %s
// RUN: tile-run %s --target=hip --chip=gfx942 --device=model | FileCheck %s
// RUN: tile-run %s --target=hip --chip=gfx1100 --device=model | FileCheck %s
// RUN: tile-run %s --target=ascend --chip=910B | FileCheck %s
// RUN: tile-run %s --target=ascend --chip=950 | FileCheck %s
// CHECK: {{^}}8 passed, 0 failed{{$}}

// Attention of one token a sequence. The keys and values of 16 tokens are a page; `pages` lists those of each sequence, of which the first `lengths` tokens count. A step takes 4 pages.

!queries = memref<?x?x16x64xf16>
!cache = memref<?x?x16x64xf16>
!pages = memref<?x?xi32>
!column = memref<16xf32, #tile.fragment>

// Tolerances: 2 ulp of f16, and 2^-11 for the rounding of the weights.
func.func @paged_attention(
    %q: !queries {tile.shape = "BxHx16x64"}, %k: !cache {tile.shape = "HxNx16x64"}, %v: !cache {tile.shape = "HxNx16x64"},
    %pages: !pages {tile.shape = "BxP", tile.init = "integers(0,9)"}, %lengths: memref<?xi32> {tile.shape = "B", tile.init = "integers(1,70)"},
    %o: !queries {tile.shape = "BxHx16x64", tile.result})
    attributes {tile.reference = @paged_attention_reference, tile.atol = 1.0e-3, tile.rtol = 1.953125e-3,
                tile.cases = ["B=2 H=2 N=10 P=5", "B=3 H=1 N=10 P=6", "B=1 H=1 N=10 P=9"]} {
  tile.kernel (%h, %b) in (dim(%q, 1), dim(%q, 0)) threads(128) {
    %qs = tile.alloc : memref<16x64xf16, #tile.shared>
    %ks = tile.alloc : memref<4x16x64xf16, #tile.shared>
    %vs = tile.alloc : memref<4x16x64xf16, #tile.shared>
    %kt = tile.reshape %ks : memref<4x16x64xf16, #tile.shared> to memref<64x64xf16, #tile.shared>
    %vt = tile.reshape %vs : memref<4x16x64xf16, #tile.shared> to memref<64x64xf16, #tile.shared>
    %bias = tile.alloc : memref<64xf32, #tile.fragment>
    %sc = tile.alloc : memref<16x64xf32, #tile.fragment>
    %p = tile.alloc : memref<16x64xf16, #tile.fragment>
    %acc = tile.alloc : memref<16x64xf32, #tile.fragment>
    %max = tile.alloc : !column
    %sum = tile.alloc : !column
    %fade = tile.alloc : !column
    tile.fill %acc, 0.0
    tile.fill %sum, 0.0
    tile.fill %max, -1.0e+09
    tile.copy %q[%b, %h, 0, 0] [1, 1, 16, 64], %qs
    %length = memref.load %lengths[%b] : memref<?xi32>
    %tokens = arith.index_cast %length : i32 to index
    tile.pipelined %step = 0 to ceildiv(%tokens, 64) stages(2) {
      tile.gather %k[%h, 0, 0, 0] [1, 4, 16, 64] by %pages[%b, %step * 4] dim(1), %ks
      tile.gather %v[%h, 0, 0, 0] [1, 4, 16, 64] by %pages[%b, %step * 4] dim(1), %vs
      tile.parallel (%j) in (64) do %bias[%j] = select(%step * 64 + %j < %tokens, 0.0, -inf)
      tile.gemm %qs, %kt, %sc {clear, transpose_b}
      // The scale is log2(e) / 8.
      tile.parallel (%i, %j) in (16, 64) do %sc[%i, %j] = %sc[%i, %j] * 0.18033688 + %bias[%j]
      tile.copy %max, %fade
      tile.reduce max %sc, %max dim(1) {combine}
      tile.parallel (%i) in (16) do {
        %fade[%i] = exp2(%fade[%i] - %max[%i])
        %sum[%i] = %sum[%i] * %fade[%i]
      }
      tile.parallel (%i, %j) in (16, 64) do %sc[%i, %j] = exp2(%sc[%i, %j] - %max[%i])
      tile.parallel (%i, %d) in (16, 64) do %acc[%i, %d] = %acc[%i, %d] * %fade[%i]
      tile.reduce sum %sc, %sum dim(1) {combine}
      tile.copy %sc, %p
      tile.gemm %p, %vt, %acc
    }
    tile.parallel (%i, %d) in (16, 64) do %acc[%i, %d] = %acc[%i, %d] / %sum[%i]
    tile.copy %acc, %o[%b, %h, 0, 0] [1, 1, 16, 64]
  }
  return
}
func.func private @paged_attention_reference(%q: !queries, %k: !cache, %v: !cache, %pages: !pages, %lengths: memref<?xi32>, %o: !queries) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %batch = memref.dim %q, %c0 : !queries
  %heads = memref.dim %q, %c1 : !queries
  %zero = arith.constant 0.0 : f64
  %lowest = arith.constant 0xFFF0000000000000 : f64
  %scale = arith.constant 0.125 : f64
  %scores = memref.alloc() : memref<256xf64>
  affine.for %b = 0 to %batch {
    %length = affine.load %lengths[%b] : memref<?xi32>
    %tokens = arith.index_cast %length : i32 to index
    affine.for %h = 0 to %heads {
      affine.for %i = 0 to 16 {
        %max = scf.for %t = %c0 to %tokens step %c1 iter_args(%old = %lowest) -> f64 {
          %j = affine.apply affine_map<(t) -> (t floordiv 16)>(%t)
          %page32 = memref.load %pages[%b, %j] : !pages
          %page = arith.index_cast %page32 : i32 to index
          %dot = affine.for %d = 0 to 64 iter_args(%acc = %zero) -> f64 {
            %at = affine.apply affine_map<(t) -> (t mod 16)>(%t)
            %x = affine.load %q[%b, %h, %i, %d] : !queries
            %y = memref.load %k[%h, %page, %at, %d] : !cache
            %xd = arith.extf %x : f16 to f64
            %yd = arith.extf %y : f16 to f64
            %product = arith.mulf %xd, %yd : f64
            %next = arith.addf %acc, %product : f64
            affine.yield %next : f64
          }
          %score = arith.mulf %dot, %scale : f64
          memref.store %score, %scores[%t] : memref<256xf64>
          %new = arith.maximumf %old, %score : f64
          scf.yield %new : f64
        }
        %sum = scf.for %t = %c0 to %tokens step %c1 iter_args(%acc = %zero) -> f64 {
          %score = memref.load %scores[%t] : memref<256xf64>
          %d = arith.subf %score, %max : f64
          %e = math.exp %d : f64
          memref.store %e, %scores[%t] : memref<256xf64>
          %next = arith.addf %acc, %e : f64
          scf.yield %next : f64
        }
        affine.for %d = 0 to 64 {
          %out = scf.for %t = %c0 to %tokens step %c1 iter_args(%acc = %zero) -> f64 {
            %j = affine.apply affine_map<(t) -> (t floordiv 16)>(%t)
            %page32 = memref.load %pages[%b, %j] : !pages
            %page = arith.index_cast %page32 : i32 to index
            %at = affine.apply affine_map<(t) -> (t mod 16)>(%t)
            %e = memref.load %scores[%t] : memref<256xf64>
            %y = memref.load %v[%h, %page, %at, %d] : !cache
            %yd = arith.extf %y : f16 to f64
            %product = arith.mulf %e, %yd : f64
            %next = arith.addf %acc, %product : f64
            scf.yield %next : f64
          }
          %mean = arith.divf %out, %sum : f64
          %r = arith.truncf %mean : f64 to f16
          affine.store %r, %o[%b, %h, %i, %d] : !queries
        }
      }
    }
  }
  memref.dealloc %scores : memref<256xf64>
  return
}

// Rows of tokens to those of their experts: sorted by expert, each expert's part filled up with -1 to whole tiles.

func.func @permute(%x: memref<?x96xbf16> {tile.shape = "Tx96"}, %token: memref<?xi32> {tile.shape = "R", tile.init = "integers(-4,30)"},
                   %y: memref<?x96xbf16> {tile.shape = "Rx96", tile.result})
    attributes {tile.reference = @permute_reference, tile.cases = ["T=25 R=64", "T=40 R=33", "T=1 R=1"]} {
  tile.kernel (%b) in (ceildiv(dim(%token, 0), 32)) threads(128) {
    %t = tile.alloc : memref<32x96xbf16, #tile.shared>
    tile.gather %x[0, 0] by %token[%b * 32], %t
    tile.copy %t, %y[%b * 32, 0]
  }
  return
}
func.func private @permute_reference(%x: memref<?x96xbf16>, %token: memref<?xi32>, %y: memref<?x96xbf16>) {
  %c0 = arith.constant 0 : index
  %r = memref.dim %token, %c0 : memref<?xi32>
  %n = memref.dim %x, %c0 : memref<?x96xbf16>
  %zero = arith.constant 0.0 : bf16
  affine.for %i = 0 to %r {
    %e = affine.load %token[%i] : memref<?xi32>
    %row = arith.index_cast %e : i32 to index
    %ok = arith.cmpi ult, %row, %n : index
    affine.for %j = 0 to 96 {
      %v = scf.if %ok -> bf16 {
        %w = memref.load %x[%row, %j] : memref<?x96xbf16>
        scf.yield %w : bf16
      } else {
        scf.yield %zero : bf16
      }
      affine.store %v, %y[%i, %j] : memref<?x96xbf16>
    }
  }
  return
}

// Back: a token is the weighted sum of the rows of its two experts, of which one may be missing.

func.func @unpermute(%y: memref<?x96xf32> {tile.shape = "Rx96", tile.init = "integers(-8,8)"},
                     %place: memref<2x?xi32> {tile.shape = "2xT", tile.init = "integers(-2,40)"},
                     %weight: memref<2x?xf32> {tile.shape = "2xT", tile.init = "integers(-2,2)"},
                     %x: memref<?x96xf32> {tile.shape = "Tx96", tile.result})
    attributes {tile.reference = @unpermute_reference, tile.cases = ["T=25 R=41", "T=32 R=10"]} {
  tile.kernel (%b) in (ceildiv(dim(%x, 0), 32)) threads(128) {
    %t = tile.alloc : memref<32x96xf32, #tile.shared>
    %w = tile.alloc : memref<32xf32, #tile.fragment>
    %sum = tile.alloc : memref<32x96xf32, #tile.fragment>
    tile.fill %sum, 0.0
    tile.pipelined %k = 0 to 2 stages(2) {
      tile.gather %y[0, 0] by %place[%k, %b * 32], %t
      tile.copy %weight[%k, %b * 32] [1, 32], %w
      tile.parallel (%i, %j) in (32, 96) do %sum[%i, %j] = %sum[%i, %j] + %w[%i] * %t[%i, %j]
    }
    tile.copy %sum, %x[%b * 32, 0]
  }
  return
}
func.func private @unpermute_reference(%y: memref<?x96xf32>, %place: memref<2x?xi32>, %weight: memref<2x?xf32>, %x: memref<?x96xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?x96xf32>
  %r = memref.dim %y, %c0 : memref<?x96xf32>
  %zero = arith.constant 0.0 : f32
  affine.for %i = 0 to %n {
    affine.for %j = 0 to 96 {
      %sum = affine.for %k = 0 to 2 iter_args(%old = %zero) -> f32 {
        %e = affine.load %place[%k, %i] : memref<2x?xi32>
        %row = arith.index_cast %e : i32 to index
        %ok = arith.cmpi ult, %row, %r : index
        %v = scf.if %ok -> f32 {
          %u = memref.load %y[%row, %j] : memref<?x96xf32>
          scf.yield %u : f32
        } else {
          scf.yield %zero : f32
        }
        %w = affine.load %weight[%k, %i] : memref<2x?xf32>
        %term = arith.mulf %w, %v : f32
        %new = arith.addf %old, %term : f32
        affine.yield %new : f32
      }
      affine.store %sum, %x[%i, %j] : memref<?x96xf32>
    }
  }
  return
}
