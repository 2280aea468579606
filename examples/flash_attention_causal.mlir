// FlashAttention forward with a causal mask: query i sees the keys 0 to i.
//
// Shows a loop bound that depends on the block: blocks of keys above the diagonal are skipped. The mask also covers the
// end of the sequence, because no query attends to later keys. flash_attention.mlir explains the rest.
//
//   tile-run examples/flash_attention_causal.mlir
//   tile-run examples/flash_attention_causal.mlir B=1 H=4 S=1000

!heads = memref<?x?x?x64xf16>
!q_tile = memref<128x64xf16, #tile.shared>
!kv_tile = memref<64x64xf16, #tile.shared>
!scores = memref<128x64xf32, #tile.fragment>
!weights = memref<128x64xf16, #tile.fragment>
!column = memref<128xf32, #tile.fragment>

// Tolerances: 2 ulp of f16, and 2^-11 for the rounding of the weights, which few keys do not average out.
func.func @flash_attention_causal(
    %q: !heads {tile.shape = "BxHxSx64"}, %k: !heads {tile.shape = "BxHxSx64"},
    %v: !heads {tile.shape = "BxHxSx64"}, %o: !heads {tile.shape = "BxHxSx64", tile.result})
    attributes {tile.reference = @causal_attention_reference, tile.atol = 5.0e-4, tile.rtol = 1.953125e-3,
                tile.cases = ["B=2 H=3 S=256", "B=1 H=2 S=1000", "B=1 H=1 S=193", "B=1 H=1 S=63", "B=1 H=1 S=1"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.180336880 : f32 // log2(e) / sqrt(64)
  %batches = memref.dim %q, %c0 : !heads
  %count = memref.dim %q, %c1 : !heads
  %length = memref.dim %q, %c2 : !heads
  %blocks = affine.apply affine_map<(n) -> (n ceildiv 128)>(%length)
  tile.kernel (%x, %h, %b) in (%blocks, %count, %batches) threads(256) {
    %qs = tile.alloc : !q_tile
    %ks = tile.alloc : !kv_tile
    %vs = tile.alloc : !kv_tile
    %s = tile.alloc : !scores
    %p = tile.alloc : !weights
    %acc = tile.alloc : !scores
    %max = tile.alloc : !column
    %sum = tile.alloc : !column
    %fade = tile.alloc : !column
    tile.fill %acc, %zero : !scores
    tile.fill %sum, %zero : !column
    tile.fill %max, %lowest : !column
    tile.copy %q[%b, %h, %x * 128, 0], %qs : !heads, !q_tile
    %steps = affine.apply affine_map<(x) -> (x * 2 + 2)>(%x) // the keys before the last query of this block
    tile.pipelined %t = 0 to %steps stages(2) {
      tile.copy %k[%b, %h, %t * 64, 0], %ks : !heads, !kv_tile
      tile.copy %v[%b, %h, %t * 64, 0], %vs : !heads, !kv_tile
      tile.gemm %qs, %ks, %s {clear, transpose_b} : !q_tile, !kv_tile, !scores
      tile.parallel (%i, %j) in (128, 64) {
        %query = affine.apply affine_map<(x, i) -> (x * 128 + i)>(%x, %i)
        %key = affine.apply affine_map<(t, j) -> (t * 64 + j)>(%t, %j)
        %visible = arith.cmpi ule, %key, %query : index
        %score = memref.load %s[%i, %j] : !scores
        %scaled = arith.mulf %score, %scale : f32
        %masked = arith.select %visible, %scaled, %lowest : f32
        memref.store %masked, %s[%i, %j] : !scores
      }
      tile.copy %max, %fade : !column, !column
      tile.reduce max %s, %max dim(1) {combine} : !scores, !column
      tile.parallel (%i) in (128) {
        %before = memref.load %fade[%i] : !column
        %now = memref.load %max[%i] : !column
        %d = arith.subf %before, %now : f32
        %f = math.exp2 %d : f32
        %l = memref.load %sum[%i] : !column
        %faded = arith.mulf %l, %f : f32
        memref.store %f, %fade[%i] : !column
        memref.store %faded, %sum[%i] : !column
      }
      tile.parallel (%i, %j) in (128, 64) {
        %score = memref.load %s[%i, %j] : !scores
        %now = memref.load %max[%i] : !column
        %f = memref.load %fade[%i] : !column
        %out = memref.load %acc[%i, %j] : !scores
        %d = arith.subf %score, %now : f32
        %e = math.exp2 %d : f32
        %faded = arith.mulf %out, %f : f32
        memref.store %e, %s[%i, %j] : !scores
        memref.store %faded, %acc[%i, %j] : !scores
      }
      tile.reduce sum %s, %sum dim(1) {combine} : !scores, !column
      tile.copy %s, %p : !scores, !weights
      tile.gemm %p, %vs, %acc : !weights, !kv_tile, !scores
    }
    tile.parallel (%i, %j) in (128, 64) {
      %out = memref.load %acc[%i, %j] : !scores
      %l = memref.load %sum[%i] : !column
      %mean = arith.divf %out, %l : f32
      memref.store %mean, %acc[%i, %j] : !scores
    }
    tile.copy %acc, %o[%b, %h, %x * 128, 0] : !scores, !heads
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
