// The backward pass of attention: from the gradient of the output, those of queries, keys and values.
//
// The forward pass keeps, of each query, the logarithm of its sum of exponentials. The scores of a block of keys are
// computed again, transposed, so that the block keeps the gradients of its keys and values in registers; those of queries
// are added up in f32 by all blocks of keys. `%deltas` and `%sums` are workspaces: a first kernel computes of each query
// the dot product of its output and its gradient, and clears the sums, a last one rounds them.
//
//   tile-run examples/attention_backward.mlir
//   tile-run examples/attention_backward.mlir B=1 H=4 S=500

!heads = memref<?x?x?x64xf16>
!sums = memref<?x?x?x64xf32>
!rows = memref<?x?x?xf32>
!tile = memref<?x64xf16, #tile.shared>
!row = memref<?xf32, #tile.shared>
!scores = memref<?x?xf32, #tile.fragment>
!weights = memref<?x?xf16, #tile.fragment>
!acc = memref<?x64xf32, #tile.fragment>
tile.param @queries = 64 in [32, 64, 128]
tile.param @keys = 64 in [64, 128] on(wgmma = 128)
tile.param @threads = 128 in [128, 256] on(wgmma = 256)

// Tolerances: 1 ulp of f16, and 2^-10 for the rounding of weights and their gradients in sums of up to 200.
func.func @attention_backward(
    %q: !heads {tile.shape = "BxHxSx64"}, %k: !heads {tile.shape = "BxHxSx64"}, %v: !heads {tile.shape = "BxHxSx64"},
    %o: !heads {tile.shape = "BxHxSx64"}, %do: !heads {tile.shape = "BxHxSx64"},
    %lse: !rows {tile.shape = "BxHxS", tile.init = "uniform(4,6)"},
    %deltas: !rows {tile.shape = "BxHxS"}, %sums: !sums {tile.shape = "BxHxSx64"},
    %dq: !heads {tile.shape = "BxHxSx64", tile.result}, %dk: !heads {tile.shape = "BxHxSx64", tile.result},
    %dv: !heads {tile.shape = "BxHxSx64", tile.result})
    attributes {tile.reference = @attention_backward_reference, tile.atol = 1.0e-3, tile.rtol = 9.765625e-4,
                tile.cases = ["B=2 H=2 S=128", "B=1 H=2 S=200", "B=1 H=1 S=65", "B=1 H=1 S=1"]} {
  tile.kernel (%x, %h, %b) in (ceildiv(dim(%q, 2), 64), dim(%q, 1), dim(%q, 0)) threads(128) {
    %os = tile.alloc : memref<64x64xf32, #tile.fragment>
    %dos = tile.alloc : memref<64x64xf32, #tile.fragment>
    %delta = tile.alloc : memref<64xf32, #tile.fragment>
    tile.copy %o[%b, %h, %x * 64, 0], %os
    tile.copy %do[%b, %h, %x * 64, 0], %dos
    tile.parallel (%i, %j) in (64, 64) do %dos[%i, %j] = %os[%i, %j] * %dos[%i, %j]
    tile.reduce sum %dos, %delta dim(1)
    tile.copy %delta, %deltas[%b, %h, %x * 64]
    tile.fill %os, 0.0
    tile.copy %os, %sums[%b, %h, %x * 64, 0]
  }
  tile.kernel (%x, %h, %b) in (ceildiv(dim(%q, 2), @keys), dim(%q, 1), dim(%q, 0)) threads(@threads) {
    %ks = tile.alloc(@keys) : !tile
    %vs = tile.alloc(@keys) : !tile
    %qs = tile.alloc(@queries) : !tile
    %dos = tile.alloc(@queries) : !tile
    %ls = tile.alloc(@queries) : !row
    %ds = tile.alloc(@queries) : !row
    %s = tile.alloc(@keys, @queries) : !scores
    %p = tile.alloc(@keys, @queries) : !weights
    %dp = tile.alloc(@keys, @queries) : !scores
    %dsf = tile.alloc(@keys, @queries) : !weights
    %dss = tile.alloc(@keys, @queries) : memref<?x?xf16, #tile.shared>
    %dka = tile.alloc(@keys) : !acc
    %dva = tile.alloc(@keys) : !acc
    %dqa = tile.alloc(@queries) : !acc
    tile.fill %dka, 0.0
    tile.fill %dva, 0.0
    tile.copy %k[%b, %h, %x * @keys, 0], %ks
    tile.copy %v[%b, %h, %x * @keys, 0], %vs
    tile.pipelined %t = 0 to ceildiv(dim(%q, 2), @queries) stages(2) {
      tile.copy %q[%b, %h, %t * @queries, 0], %qs
      tile.copy %do[%b, %h, %t * @queries, 0], %dos
      tile.copy %lse[%b, %h, %t * @queries], %ls
      tile.copy %deltas[%b, %h, %t * @queries], %ds
      tile.gemm %ks, %qs, %s {clear, transpose_b}
      tile.gemm %vs, %dos, %dp {clear, transpose_b}
      // Keys past the end have no weight. The scale of scores is 1 / sqrt(64); with log2(e), 0.180336880.
      tile.parallel (%i, %j) in (@keys, @queries) do
        %s[%i, %j] = select(%x * @keys + %i < dim(%q, 2), %s[%i, %j], -inf)
      tile.parallel (%i, %j) in (@keys, @queries) do fastmath<afn, contract>
        %s[%i, %j] = exp2(%s[%i, %j] * 0.180336880 - %ls[%j] * 1.442695041)
      tile.copy %s, %p
      tile.gemm %p, %dos, %dva
      tile.parallel (%i, %j) in (@keys, @queries) do %dp[%i, %j] = %s[%i, %j] * (%dp[%i, %j] - %ds[%j])
      tile.copy %dp, %dsf
      tile.copy %dsf, %dss
      tile.gemm %dss, %ks, %dqa {clear, transpose_a}
      tile.gemm %dsf, %qs, %dka
      tile.atomic add %dqa, %sums[%b, %h, %t * @queries, 0]
    }
    tile.parallel (%i, %j) in (@keys, 64) do %dka[%i, %j] = %dka[%i, %j] * 0.125
    tile.copy %dka, %dk[%b, %h, %x * @keys, 0]
    tile.copy %dva, %dv[%b, %h, %x * @keys, 0]
  }
  tile.kernel (%x, %h, %b) in (ceildiv(dim(%q, 2), 64), dim(%q, 1), dim(%q, 0)) threads(128) {
    %sum = tile.alloc : memref<64x64xf32, #tile.fragment>
    tile.copy %sums[%b, %h, %x * 64, 0], %sum
    tile.parallel (%i, %j) in (64, 64) do %sum[%i, %j] = %sum[%i, %j] * 0.125
    tile.copy %sum, %dq[%b, %h, %x * 64, 0]
  }
  return
}

// A query and a key at a time. With p the weight of the pair, dv += p do, and with ds = p (do v - delta) / sqrt(64),
// dq += ds k and dk += ds q.
func.func @attention_backward_reference(%q: !heads, %k: !heads, %v: !heads, %o: !heads, %do: !heads, %lse: !rows,
                                        %deltas: !rows, %sums: !sums, %dq: !heads, %dk: !heads, %dv: !heads) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f64
  %scale = arith.constant 0.125 : f64
  %batches = memref.dim %q, %c0 : !heads
  %count = memref.dim %q, %c1 : !heads
  %length = memref.dim %q, %c2 : !heads
  %dqs = memref.alloc(%length) : memref<?x64xf64>
  %dks = memref.alloc(%length) : memref<?x64xf64>
  %dvs = memref.alloc(%length) : memref<?x64xf64>
  affine.for %b = 0 to %batches {
    affine.for %h = 0 to %count {
      affine.for %i = 0 to %length {
        affine.for %d = 0 to 64 {
          affine.store %zero, %dqs[%i, %d] : memref<?x64xf64>
          affine.store %zero, %dks[%i, %d] : memref<?x64xf64>
          affine.store %zero, %dvs[%i, %d] : memref<?x64xf64>
        }
      }
      affine.for %i = 0 to %length {
        %l = affine.load %lse[%b, %h, %i] : !rows
        %ld = arith.extf %l : f32 to f64
        affine.for %j = 0 to %length {
          %score, %dp = affine.for %d = 0 to 64 iter_args(%x = %zero, %y = %zero) -> (f64, f64) {
            %q0 = affine.load %q[%b, %h, %i, %d] : !heads
            %k0 = affine.load %k[%b, %h, %j, %d] : !heads
            %v0 = affine.load %v[%b, %h, %j, %d] : !heads
            %o0 = affine.load %o[%b, %h, %i, %d] : !heads
            %do0 = affine.load %do[%b, %h, %i, %d] : !heads
            %q1 = arith.extf %q0 : f16 to f64
            %k1 = arith.extf %k0 : f16 to f64
            %v1 = arith.extf %v0 : f16 to f64
            %o1 = arith.extf %o0 : f16 to f64
            %do1 = arith.extf %do0 : f16 to f64
            %qk = arith.mulf %q1, %k1 : f64
            %difference = arith.subf %v1, %o1 : f64
            %dov = arith.mulf %do1, %difference : f64
            %x1 = arith.addf %x, %qk : f64
            %y1 = arith.addf %y, %dov : f64
            affine.yield %x1, %y1 : f64, f64
          }
          %scaled = arith.mulf %score, %scale : f64
          %exponent = arith.subf %scaled, %ld : f64
          %p = math.exp %exponent : f64
          %pdp = arith.mulf %p, %dp : f64
          %ds = arith.mulf %pdp, %scale : f64
          affine.for %d = 0 to 64 {
            %q0 = affine.load %q[%b, %h, %i, %d] : !heads
            %k0 = affine.load %k[%b, %h, %j, %d] : !heads
            %do0 = affine.load %do[%b, %h, %i, %d] : !heads
            %q1 = arith.extf %q0 : f16 to f64
            %k1 = arith.extf %k0 : f16 to f64
            %do1 = arith.extf %do0 : f16 to f64
            %dq0 = affine.load %dqs[%i, %d] : memref<?x64xf64>
            %dk0 = affine.load %dks[%j, %d] : memref<?x64xf64>
            %dv0 = affine.load %dvs[%j, %d] : memref<?x64xf64>
            %dq1 = math.fma %ds, %k1, %dq0 : f64
            %dk1 = math.fma %ds, %q1, %dk0 : f64
            %dv1 = math.fma %p, %do1, %dv0 : f64
            affine.store %dq1, %dqs[%i, %d] : memref<?x64xf64>
            affine.store %dk1, %dks[%j, %d] : memref<?x64xf64>
            affine.store %dv1, %dvs[%j, %d] : memref<?x64xf64>
          }
        }
      }
      affine.for %i = 0 to %length {
        affine.for %d = 0 to 64 {
          %dq0 = affine.load %dqs[%i, %d] : memref<?x64xf64>
          %dk0 = affine.load %dks[%i, %d] : memref<?x64xf64>
          %dv0 = affine.load %dvs[%i, %d] : memref<?x64xf64>
          %dq1 = arith.truncf %dq0 : f64 to f16
          %dk1 = arith.truncf %dk0 : f64 to f16
          %dv1 = arith.truncf %dv0 : f64 to f16
          affine.store %dq1, %dq[%b, %h, %i, %d] : !heads
          affine.store %dk1, %dk[%b, %h, %i, %d] : !heads
          affine.store %dv1, %dv[%b, %h, %i, %d] : !heads
        }
      }
    }
  }
  memref.dealloc %dqs : memref<?x64xf64>
  memref.dealloc %dks : memref<?x64xf64>
  memref.dealloc %dvs : memref<?x64xf64>
  return
}
