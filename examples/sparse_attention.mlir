// Sparse attention of DeepSeek V3.2: a query attends to the T keys of a list, such as the output of lightning_indexer.mlir.
//
// A key has 512 elements that are also its value, and 64 of its position. Query i of S attends to keys 0 to N - S + i;
// other indices in its list, such as -1, are ignored. A block processes some heads of one query: it gathers a tile of keys by
// the list and continues as flash_attention.mlir does. A row outside of the keys reads as zeros. The maximum is initialised to
// a finite number, so that an empty list yields zeros instead of NaN.
//
//   tile-run examples/sparse_attention.mlir
//   tile-run examples/sparse_attention.mlir S=8 H=128 N=4096 T=2048

!queries = memref<?x?x576xf16>
!keys = memref<?x576xf16>
!lists = memref<?x?xi32>
!outputs = memref<?x?x512xf16>
!column = memref<?xf32, #tile.fragment>
tile.param @heads = 16 in [16, 32, 64] on(wgmma = 64)
tile.param @keys = 32 in [16, 32, 64] on(wgmma = 64)
tile.param @stages = 1 in [1, 2] on(mma = 2, wgmma = 2, cube = 2)
tile.param @threads = 128 in [128, 256] on(wgmma = 256)

// Tolerances: 2 ulp of f16, and 2^-11 for the rounding of the weights, which few keys do not average out.
func.func @sparse_attention(
    %q: !queries {tile.shape = "SxHx576"}, %kv: !keys {tile.shape = "Nx576"},
    %lists: !lists {tile.shape = "SxT", tile.init = "integers(-20,200)"},
    %o: !outputs {tile.shape = "SxHx512", tile.result})
    attributes {tile.reference = @sparse_attention_reference, tile.atol = 5.0e-4, tile.rtol = 1.953125e-3,
                tile.cases = ["S=3 H=16 N=180 T=128", "S=2 H=20 N=150 T=100", "S=1 H=3 N=1 T=7", "S=1 H=1 N=1 T=1"]} {
  tile.kernel (%x, %i) in (ceildiv(dim(%q, 1), @heads), dim(%q, 0)) threads(@threads) {
    %qa = tile.alloc(@heads) : memref<?x512xf16, #tile.shared>
    %qb = tile.alloc(@heads) : memref<?x64xf16, #tile.shared>
    %ka = tile.alloc(@keys) : memref<?x512xf16, #tile.shared>
    %kb = tile.alloc(@keys) : memref<?x64xf16, #tile.shared>
    %at = tile.alloc(@keys) : memref<?xi32, #tile.shared>
    %bias = tile.alloc(@keys) : memref<?xf32, #tile.fragment>
    %sc = tile.alloc(@heads, @keys) : memref<?x?xf32, #tile.fragment>
    %p = tile.alloc(@heads, @keys) : memref<?x?xf16, #tile.fragment>
    %acc = tile.alloc(@heads) : memref<?x512xf32, #tile.fragment>
    %max = tile.alloc(@heads) : !column
    %sum = tile.alloc(@heads) : !column
    %fade = tile.alloc(@heads) : !column
    tile.fill %acc, 0.0
    tile.fill %sum, 0.0
    tile.fill %max, -1.0e+09
    tile.copy %q[%i, %x * @heads, 0], %qa
    tile.copy %q[%i, %x * @heads, 512], %qb
    tile.pipelined %step = 0 to ceildiv(dim(%lists, 1), @keys) stages(@stages) {
      tile.copy %lists[%i, %step * @keys], %at
      tile.gather %kv[0, 0] by %lists[%i, %step * @keys], %ka
      tile.gather %kv[0, 512] by %lists[%i, %step * @keys], %kb
      tile.parallel (%j) in (@keys) do {
        %listed = and(%at[%j] >= 0, %step * @keys + %j < dim(%lists, 1))
        %visible = and(%listed, %at[%j] <= i32(dim(%kv, 0) - dim(%q, 0) + %i))
        %bias[%j] = select(%visible, 0.0, -inf)
      }
      tile.gemm %qa, %ka, %sc {clear, transpose_b}
      tile.gemm %qb, %kb, %sc {transpose_b}
      // The scale is log2(e) / sqrt(576).
      tile.parallel (%h, %j) in (@heads, @keys) do %sc[%h, %j] = %sc[%h, %j] * 0.0601122932 + %bias[%j]
      tile.copy %max, %fade
      tile.reduce max %sc, %max dim(1) {combine}
      tile.parallel (%h) in (@heads) do fastmath<afn> {
        %fade[%h] = exp2(%fade[%h] - %max[%h])
        %sum[%h] = %sum[%h] * %fade[%h]
      }
      tile.parallel (%h, %j) in (@heads, @keys) do fastmath<afn> %sc[%h, %j] = exp2(%sc[%h, %j] - %max[%h])
      tile.parallel (%h, %d) in (@heads, 512) do %acc[%h, %d] = %acc[%h, %d] * %fade[%h]
      tile.reduce sum %sc, %sum dim(1) {combine}
      tile.copy %sc, %p
      tile.gemm %p, %ka, %acc
    }
    tile.parallel (%h, %d) in (@heads, 512) do fastmath<afn> %acc[%h, %d] = %acc[%h, %d] / max(%sum[%h], 1.0e-30)
    tile.copy %acc, %o[%i, %x * @heads, 0]
  }
  return
}

func.func @sparse_attention_reference(%q: !queries, %kv: !keys, %lists: !lists, %o: !outputs) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1.0 : f64
  %lowest = arith.constant 0xFFF0000000000000 : f64
  %scale = arith.constant 0.041666666666666664 : f64 // 1 / sqrt(576)
  %s = memref.dim %q, %c0 : !queries
  %heads = memref.dim %q, %c1 : !queries
  %n = memref.dim %kv, %c0 : !keys
  %t = memref.dim %lists, %c1 : !lists
  %scores = memref.alloc(%t) : memref<?xf64>
  affine.for %i = 0 to %s {
    %last = affine.apply affine_map<(i)[s, n] -> (n - s + i)>(%i)[%s, %n]
    affine.for %h = 0 to %heads {
      %max = affine.for %j = 0 to %t iter_args(%old = %lowest) -> f64 {
        %key32 = affine.load %lists[%i, %j] : !lists
        %key = arith.index_cast %key32 : i32 to index
        %exists = arith.cmpi sge, %key, %c0 : index
        %visible = arith.cmpi sle, %key, %last : index
        %valid = arith.andi %exists, %visible : i1
        %score = scf.if %valid -> f64 {
          %dot = affine.for %d = 0 to 576 iter_args(%acc = %zero) -> f64 {
            %x = affine.load %q[%i, %h, %d] : !queries
            %y = memref.load %kv[%key, %d] : !keys
            %xd = arith.extf %x : f16 to f64
            %yd = arith.extf %y : f16 to f64
            %product = arith.mulf %xd, %yd : f64
            %next = arith.addf %acc, %product : f64
            affine.yield %next : f64
          }
          %scaled = arith.mulf %dot, %scale : f64
          scf.yield %scaled : f64
        } else {
          scf.yield %lowest : f64
        }
        affine.store %score, %scores[%j] : memref<?xf64>
        %new = arith.maximumf %old, %score : f64
        affine.yield %new : f64
      }
      %none = arith.cmpf oeq, %max, %lowest : f64
      %sum = affine.for %j = 0 to %t iter_args(%acc = %zero) -> f64 {
        %score = affine.load %scores[%j] : memref<?xf64>
        %d = arith.subf %score, %max : f64
        %power = math.exp %d : f64
        %e = arith.select %none, %zero, %power : f64
        affine.store %e, %scores[%j] : memref<?xf64>
        %next = arith.addf %acc, %e : f64
        affine.yield %next : f64
      }
      %divisor = arith.select %none, %one, %sum : f64
      affine.for %d = 0 to 512 {
        %out = affine.for %j = 0 to %t iter_args(%acc = %zero) -> f64 {
          %e = affine.load %scores[%j] : memref<?xf64>
          %takes = arith.cmpf one, %e, %zero : f64
          %next = scf.if %takes -> f64 {
            %key32 = affine.load %lists[%i, %j] : !lists
            %key = arith.index_cast %key32 : i32 to index
            %y = memref.load %kv[%key, %d] : !keys
            %yd = arith.extf %y : f16 to f64
            %product = arith.mulf %e, %yd : f64
            %plus = arith.addf %acc, %product : f64
            scf.yield %plus : f64
          } else {
            scf.yield %acc : f64
          }
          affine.yield %next : f64
        }
        %mean = arith.divf %out, %divisor : f64
        %r = arith.truncf %mean : f64 to f16
        affine.store %r, %o[%i, %h, %d] : !outputs
      }
    }
  }
  memref.dealloc %scores : memref<?xf64>
  return
}
