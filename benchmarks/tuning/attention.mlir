// Attention, forward, bf16, D = 128: what the tuner may choose where gemms and scalar code share the registers.
//
//   tile-tune benchmarks/tuning/attention.mlir --chip=sm_90a --case="H=16 S=4096"

tile.param @queries = 128 in [64, 128, 192]
tile.param @keys = 128 in [64, 96, 128, 176]
tile.param @stages = 2 in [1, 2, 3]
tile.param @threads = 256 in [128, 256, 384]

!heads = memref<?x?x128xbf16>
!scores = memref<?x?xf32, #tile.fragment>
!column = memref<?xf32, #tile.fragment>

func.func @attention(%q: !heads {tile.shape = "HxSx128", tile.align = 16}, %k: !heads {tile.shape = "HxSx128", tile.align = 16},
                     %v: !heads {tile.shape = "HxSx128", tile.align = 16}, %o: !heads {tile.shape = "HxSx128", tile.align = 16, tile.result})
    attributes {tile.cases = ["H=2 S=384", "H=1 S=200"], tile.reference = @attention_reference,
                // 2 ulp of bf16, and weights that are rounded to bf16.
                tile.atol = 1.0e-2, tile.rtol = 1.5625e-2} {
  %threads = tile.get_param @threads
  tile.require %threads == @queries * 2, "a warpgroup has 64 queries"
  %scale = arith.constant 0.1275174456 : f32 // log2(e) / sqrt(128)
  tile.kernel (%x, %h) in (ceildiv(dim(%q, 1), @queries), dim(%q, 0)) threads(@threads) {
    %qs = tile.alloc(@queries) : memref<?x128xbf16, #tile.shared>
    %ks = tile.alloc(@keys) : memref<?x128xbf16, #tile.shared>
    %vs = tile.alloc(@keys) : memref<?x128xbf16, #tile.shared>
    %s = tile.alloc(@queries, @keys) : !scores
    %p = tile.alloc(@queries, @keys) : memref<?x?xbf16, #tile.fragment>
    %acc = tile.alloc(@queries) : memref<?x128xf32, #tile.fragment>
    %max = tile.alloc(@queries) : !column
    %sum = tile.alloc(@queries) : !column
    %fade = tile.alloc(@queries) : !column
    tile.copy %q[%h, %x * @queries, 0], %qs
    tile.fill %acc, 0.0
    tile.fill %sum, 0.0
    tile.fill %max, -inf
    tile.pipelined %t = 0 to ceildiv(dim(%k, 1), @keys) stages(@stages) {
      tile.copy %k[%h, %t * @keys, 0], %ks
      tile.copy %v[%h, %t * @keys, 0], %vs
      tile.gemm %qs, %ks, %s {clear, transpose_b}
      tile.parallel (%i, %j) in (@queries, @keys) do
        %s[%i, %j] = select(%t * @keys + %j < dim(%k, 1), %s[%i, %j], -inf)
      tile.copy %max, %fade
      tile.reduce max %s, %max dim(1) {combine}
      tile.parallel (%i) in (@queries) {
        %before = memref.load %fade[%i] : !column
        %now = memref.load %max[%i] : !column
        %d = arith.subf %before, %now : f32
        %scaled = arith.mulf %d, %scale : f32
        %f = math.exp2 %scaled fastmath<afn> : f32
        %l = memref.load %sum[%i] : !column
        %faded = arith.mulf %l, %f : f32
        memref.store %f, %fade[%i] : !column
        memref.store %faded, %sum[%i] : !column
      }
      tile.parallel (%i, %j) in (@queries, @keys) {
        %score = memref.load %s[%i, %j] : !scores
        %now = memref.load %max[%i] : !column
        %top = arith.mulf %now, %scale : f32
        %negated = arith.negf %top : f32
        %d = math.fma %score, %scale, %negated : f32
        %e = math.exp2 %d fastmath<afn> : f32
        memref.store %e, %s[%i, %j] : !scores
      }
      tile.reduce sum %s, %sum dim(1) {combine}
      tile.copy %s, %p
      tile.parallel (%i, %j) in (@queries, 128) do %acc[%i, %j] = %acc[%i, %j] * %fade[%i]
      tile.gemm %p, %vs, %acc
    }
    tile.parallel (%i, %j) in (@queries, 128) do %acc[%i, %j] = %acc[%i, %j] / %sum[%i]
    tile.copy %acc, %o[%h, %x * @queries, 0]
  }
  return
}

// One query at a time: all scores, their softmax, the weighted mean.
func.func @attention_reference(%q: !heads, %k: !heads, %v: !heads, %o: !heads) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %lowest = arith.constant 0xFFF0000000000000 : f64
  %scale = arith.constant 0.08838834764831845 : f64 // 1 / sqrt(128)
  %heads = memref.dim %q, %c0 : !heads
  %length = memref.dim %q, %c1 : !heads
  %scores = memref.alloc(%length) : memref<?xf64>
  affine.for %h = 0 to %heads {
    affine.for %i = 0 to %length {
      %max = affine.for %j = 0 to %length iter_args(%most = %lowest) -> f64 {
        %dot = affine.for %l = 0 to 128 iter_args(%acc = %zero) -> f64 {
          %x = affine.load %q[%h, %i, %l] : !heads
          %y = affine.load %k[%h, %j, %l] : !heads
          %xd = arith.extf %x : bf16 to f64
          %yd = arith.extf %y : bf16 to f64
          %p = arith.mulf %xd, %yd : f64
          %next = arith.addf %acc, %p : f64
          affine.yield %next : f64
        }
        %scaled = arith.mulf %dot, %scale : f64
        affine.store %scaled, %scores[%j] : memref<?xf64>
        %m = arith.maximumf %scaled, %most : f64
        affine.yield %m : f64
      }
      %sum = affine.for %j = 0 to %length iter_args(%acc = %zero) -> f64 {
        %x = affine.load %scores[%j] : memref<?xf64>
        %d = arith.subf %x, %max : f64
        %e = math.exp %d : f64
        affine.store %e, %scores[%j] : memref<?xf64>
        %next = arith.addf %acc, %e : f64
        affine.yield %next : f64
      }
      affine.for %l = 0 to 128 {
        %mean = affine.for %j = 0 to %length iter_args(%acc = %zero) -> f64 {
          %w = affine.load %scores[%j] : memref<?xf64>
          %y = affine.load %v[%h, %j, %l] : !heads
          %yd = arith.extf %y : bf16 to f64
          %p = arith.mulf %w, %yd : f64
          %next = arith.addf %acc, %p : f64
          affine.yield %next : f64
        }
        %q1 = arith.divf %mean, %sum : f64
        %r = arith.truncf %q1 : f64 to bf16
        affine.store %r, %o[%h, %i, %l] : !heads
      }
    }
  }
  memref.dealloc %scores : memref<?xf64>
  return
}
