// Sparse attention of DeepSeek V3.2: a query attends to the T keys of a list, such as the output of lightning_indexer.mlir.
//
// A key has 512 elements that are also its value, and 64 of its position. Query i of S attends to keys 0 to N - S + i;
// other indices in its list, such as -1, are ignored. A block processes 16 heads of one query: it gathers 64 keys at a time,
// row by row, and continues as flash_attention.mlir does. A row outside of the keys reads as zeros. The maximum is
// initialised to a finite number, so that an empty list yields zeros instead of NaN.
//
//   tile-run examples/sparse_attention.mlir
//   tile-run examples/sparse_attention.mlir S=8 H=128 N=4096 T=2048

!queries = memref<?x?x576xf16>
!keys = memref<?x576xf16>
!lists = memref<?x?xi32>
!outputs = memref<?x?x512xf16>
!qa_tile = memref<16x512xf16, #tile.shared>
!qb_tile = memref<16x64xf16, #tile.shared>
!ka_tile = memref<64x512xf16, #tile.shared>
!kb_tile = memref<64x64xf16, #tile.shared>
!places = memref<64xi32, #tile.shared>
!row = memref<64xf32, #tile.fragment>
!scores = memref<16x64xf32, #tile.fragment>
!weights = memref<16x64xf16, #tile.fragment>
!acc = memref<16x512xf32, #tile.fragment>
!column = memref<16xf32, #tile.fragment>

// Tolerances: 2 ulp of f16, and 2^-11 for the rounding of the weights, which few keys do not average out.
func.func @sparse_attention(
    %q: !queries {tile.shape = "SxHx576"}, %kv: !keys {tile.shape = "Nx576"},
    %lists: !lists {tile.shape = "SxT", tile.init = "integers(-20,200)"},
    %o: !outputs {tile.shape = "SxHx512", tile.result})
    attributes {tile.reference = @sparse_attention_reference, tile.atol = 5.0e-4, tile.rtol = 1.953125e-3,
                tile.cases = ["S=3 H=16 N=180 T=128", "S=2 H=20 N=150 T=100", "S=1 H=3 N=1 T=7", "S=1 H=1 N=1 T=1"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %none = arith.constant -1 : i32
  %first = arith.constant 0 : i32
  %lowest = arith.constant 0xFF800000 : f32
  %least = arith.constant -1.0e+09 : f32
  %tiny = arith.constant 1.0e-30 : f32
  %scale = arith.constant 0.0601122932 : f32 // log2(e) / sqrt(576)
  %s = memref.dim %q, %c0 : !queries
  %heads = memref.dim %q, %c1 : !queries
  %n = memref.dim %kv, %c0 : !keys
  %t = memref.dim %lists, %c1 : !lists
  %blocks = affine.apply affine_map<(h) -> (h ceildiv 16)>(%heads)
  %steps = affine.apply affine_map<(t) -> (t ceildiv 64)>(%t)
  tile.kernel (%x, %i) in (%blocks, %s) threads(128) {
    tile.padding_value %lists, %none : !lists
    %qa = tile.alloc : !qa_tile
    %qb = tile.alloc : !qb_tile
    %ka = tile.alloc : !ka_tile
    %kb = tile.alloc : !kb_tile
    %at = tile.alloc : !places
    %bias = tile.alloc : !row
    %sc = tile.alloc : !scores
    %p = tile.alloc : !weights
    %acc = tile.alloc : !acc
    %max = tile.alloc : !column
    %sum = tile.alloc : !column
    %fade = tile.alloc : !column
    tile.fill %acc, %zero : !acc
    tile.fill %sum, %zero : !column
    tile.fill %max, %least : !column
    tile.copy %q[%i, %x * 16, 0] [1, 16, 512], %qa : !queries, !qa_tile
    tile.copy %q[%i, %x * 16, 512] [1, 16, 64], %qb : !queries, !qb_tile
    %last = affine.apply affine_map<(i)[s, n] -> (n - s + i)>(%i)[%s, %n]
    %last32 = arith.index_cast %last : index to i32
    scf.for %step = %c0 to %steps step %c1 {
      tile.copy %lists[%i, %step * 64], %at : !lists, !places
      scf.for %j = %c0 to %c64 step %c1 {
        %place = affine.apply affine_map<(step, j) -> (step * 64 + j)>(%step, %j)
        %key32 = memref.load %lists[%i, %place] : !lists
        %key = arith.index_cast %key32 : i32 to index
        tile.copy %kv[%key, 0] [1, 512], %ka[%j, 0] [1, 512] : !keys, !ka_tile
        tile.copy %kv[%key, 512] [1, 64], %kb[%j, 0] [1, 64] : !keys, !kb_tile
      }
      tile.parallel (%j) in (64) {
        %key = memref.load %at[%j] : !places
        %exists = arith.cmpi sge, %key, %first : i32
        %visible = arith.cmpi sle, %key, %last32 : i32
        %some = arith.select %visible, %zero, %lowest : f32
        %b = arith.select %exists, %some, %lowest : f32
        memref.store %b, %bias[%j] : !row
      }
      tile.gemm %qa, %ka, %sc {clear, transpose_b} : !qa_tile, !ka_tile, !scores
      tile.gemm %qb, %kb, %sc {transpose_b} : !qb_tile, !kb_tile, !scores
      tile.parallel (%h, %j) in (16, 64) {
        %score = memref.load %sc[%h, %j] : !scores
        %b = memref.load %bias[%j] : !row
        %scaled = arith.mulf %score, %scale : f32
        %masked = arith.addf %scaled, %b : f32
        memref.store %masked, %sc[%h, %j] : !scores
      }
      tile.copy %max, %fade : !column, !column
      tile.reduce max %sc, %max dim(1) {combine} : !scores, !column
      tile.parallel (%h) in (16) {
        %before = memref.load %fade[%h] : !column
        %now = memref.load %max[%h] : !column
        %d = arith.subf %before, %now : f32
        %f = math.exp2 %d : f32
        %l = memref.load %sum[%h] : !column
        %faded = arith.mulf %l, %f : f32
        memref.store %f, %fade[%h] : !column
        memref.store %faded, %sum[%h] : !column
      }
      tile.parallel (%h, %j) in (16, 64) {
        %score = memref.load %sc[%h, %j] : !scores
        %now = memref.load %max[%h] : !column
        %d = arith.subf %score, %now : f32
        %e = math.exp2 %d : f32
        memref.store %e, %sc[%h, %j] : !scores
      }
      tile.parallel (%h, %d) in (16, 512) {
        %out = memref.load %acc[%h, %d] : !acc
        %f = memref.load %fade[%h] : !column
        %faded = arith.mulf %out, %f : f32
        memref.store %faded, %acc[%h, %d] : !acc
      }
      tile.reduce sum %sc, %sum dim(1) {combine} : !scores, !column
      tile.copy %sc, %p : !scores, !weights
      tile.gemm %p, %ka, %acc : !weights, !ka_tile, !acc
    }
    tile.parallel (%h, %d) in (16, 512) {
      %out = memref.load %acc[%h, %d] : !acc
      %l = memref.load %sum[%h] : !column
      %weight = arith.maximumf %l, %tiny : f32
      %mean = arith.divf %out, %weight : f32
      memref.store %mean, %acc[%h, %d] : !acc
    }
    tile.copy %acc, %o[%i, %x * 16, 0] [1, 16, 512] : !acc, !outputs
  }
  return
}

// One query and head at a time: the scores of its list, their softmax, the weighted mean.
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
