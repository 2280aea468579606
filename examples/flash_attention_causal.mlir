// FlashAttention forward with a causal mask: query i sees the keys 0 to i.
//
// Shows a loop bound that depends on the block: blocks of keys above the diagonal are skipped. The mask also covers the
// end of the sequence, because no query attends to later keys. flash_attention.mlir explains the rest.
//
//   tile-run examples/flash_attention_causal.mlir
//   tile-run examples/flash_attention_causal.mlir B=1 H=4 S=1000

!heads = memref<?x?x?x64xf16>
!tile = memref<?x64xf16, #tile.shared>
!scores = memref<?x?xf32, #tile.fragment>
!column = memref<?xf32, #tile.fragment>
tile.param @queries = 128 in [64, 128, 192] on(wgmma = 192)
tile.param @keys = 64 in [32, 64, 112, 128] on(wgmma = 128)
tile.param @threads = 256 in [128, 256, 384] on(wgmma = 384)

// Tolerances: 2 ulp of f16, and 2^-11 for the rounding of the weights, which few keys do not average out.
func.func @flash_attention_causal(
    %q: !heads {tile.shape = "BxHxSx64"}, %k: !heads {tile.shape = "BxHxSx64"},
    %v: !heads {tile.shape = "BxHxSx64"}, %o: !heads {tile.shape = "BxHxSx64", tile.result})
    attributes {tile.reference = @causal_attention_reference, tile.atol = 5.0e-4, tile.rtol = 1.953125e-3,
                tile.cases = ["B=2 H=3 S=256", "B=1 H=2 S=1000", "B=1 H=1 S=193", "B=1 H=1 S=63", "B=1 H=1 S=1"]} {
  tile.kernel (%x, %h, %b) in (ceildiv(dim(%q, 2), @queries), dim(%q, 1), dim(%q, 0)) threads(@threads) {
    %qs = tile.alloc(@queries) : !tile
    %ks = tile.alloc(@keys) : !tile
    %vs = tile.alloc(@keys) : !tile
    %s = tile.alloc(@queries, @keys) : !scores
    %p = tile.alloc(@queries, @keys) : memref<?x?xf16, #tile.fragment>
    %acc = tile.alloc(@queries) : memref<?x64xf32, #tile.fragment>
    %max = tile.alloc(@queries) : !column
    %sum = tile.alloc(@queries) : !column
    %fade = tile.alloc(@queries) : !column
    tile.fill %acc, 0.0
    tile.fill %sum, 0.0
    tile.fill %max, -inf
    tile.copy %q[%b, %h, %x * @queries, 0], %qs
    // The keys before the last query of this block.
    tile.pipelined %t = 0 to min(ceildiv((%x + 1) * @queries, @keys), ceildiv(dim(%q, 2), @keys)) stages(2) {
      tile.copy %k[%b, %h, %t * @keys, 0], %ks
      tile.copy %v[%b, %h, %t * @keys, 0], %vs
      tile.gemm %qs, %ks, %s {clear, transpose_b}
      tile.parallel (%i, %j) in (@queries, @keys) do
        %s[%i, %j] = select(%t * @keys + %j <= %x * @queries + %i, %s[%i, %j], -inf)
      tile.copy %max, %fade
      tile.reduce max %s, %max dim(1) {combine}
      // The scale is log2(e) / sqrt(64).
      tile.parallel (%i) in (@queries) do fastmath<afn> {
        %fade[%i] = exp2((%fade[%i] - %max[%i]) * 0.180336880)
        %sum[%i] = %sum[%i] * %fade[%i]
      }
      tile.parallel (%i, %j) in (@queries, @keys) do fastmath<afn, contract>
        %s[%i, %j] = exp2(%s[%i, %j] * 0.180336880 - %max[%i] * 0.180336880)
      tile.reduce sum %s, %sum dim(1) {combine}
      tile.copy %s, %p
      tile.parallel (%i, %j) in (@queries, 64) do fastmath<contract> %acc[%i, %j] = %acc[%i, %j] * %fade[%i]
      tile.gemm %p, %vs, %acc
    }
    tile.parallel (%i, %j) in (@queries, 64) do fastmath<afn> %acc[%i, %j] = %acc[%i, %j] / %sum[%i]
    tile.copy %acc, %o[%b, %h, %x * @queries, 0]
  }
  return
}

// One query at a time: all scores, their softmax, the weighted mean.
func.func @causal_attention_reference(%q: !heads, %k: !heads, %v: !heads, %o: !heads) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f64
  %lowest = arith.constant 0xFFF0000000000000 : f64
  %scale = arith.constant 0.125 : f64 // 1 / sqrt(64)
  %batches = memref.dim %q, %c0 : !heads
  %count = memref.dim %q, %c1 : !heads
  %length = memref.dim %q, %c2 : !heads
  %scores = memref.alloc(%length) : memref<?xf64>
  affine.for %b = 0 to %batches {
    affine.for %h = 0 to %count {
      affine.for %i = 0 to %length {
        %max = affine.for %j = 0 to affine_map<(i) -> (i + 1)>(%i) iter_args(%old = %lowest) -> f64 {
          %dot = affine.for %d = 0 to 64 iter_args(%acc = %zero) -> f64 {
            %x = affine.load %q[%b, %h, %i, %d] : !heads
            %y = affine.load %k[%b, %h, %j, %d] : !heads
            %xd = arith.extf %x : f16 to f64
            %yd = arith.extf %y : f16 to f64
            %product = arith.mulf %xd, %yd : f64
            %next = arith.addf %acc, %product : f64
            affine.yield %next : f64
          }
          %score = arith.mulf %dot, %scale : f64
          affine.store %score, %scores[%j] : memref<?xf64>
          %new = arith.maximumf %old, %score : f64
          affine.yield %new : f64
        }
        %sum = affine.for %j = 0 to affine_map<(i) -> (i + 1)>(%i) iter_args(%acc = %zero) -> f64 {
          %score = affine.load %scores[%j] : memref<?xf64>
          %d = arith.subf %score, %max : f64
          %e = math.exp %d : f64
          affine.store %e, %scores[%j] : memref<?xf64>
          %next = arith.addf %acc, %e : f64
          affine.yield %next : f64
        }
        affine.for %d = 0 to 64 {
          %out = affine.for %j = 0 to affine_map<(i) -> (i + 1)>(%i) iter_args(%acc = %zero) -> f64 {
            %e = affine.load %scores[%j] : memref<?xf64>
            %y = affine.load %v[%b, %h, %j, %d] : !heads
            %yd = arith.extf %y : f16 to f64
            %product = arith.mulf %e, %yd : f64
            %next = arith.addf %acc, %product : f64
            affine.yield %next : f64
          }
          %mean = arith.divf %out, %sum : f64
          %r = arith.truncf %mean : f64 to f16
          affine.store %r, %o[%b, %h, %i, %d] : !heads
        }
      }
    }
  }
  memref.dealloc %scores : memref<?xf64>
  return
}
