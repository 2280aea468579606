// The lightning indexer of DeepSeek V3.2: selects the 64 keys that a query attends to.
//
// The score of a key is the sum over 64 heads of relu(q · k) · w; the keys with the highest scores are selected. Query i
// of S attends to keys 0 to N - S + i. A block processes one query: the heads are the rows of its tiles.
//
// Shows a gemm, a reduction over rows and tile.topk in one loop. A masked key has the score -inf and is not selected; if
// fewer than 64 keys remain, the rest of the list is -1. The inputs are integers, so that sums are exact; there are many
// ties, which tile.topk resolves.
//
//   tile-run examples/lightning_indexer.mlir
//   tile-run examples/lightning_indexer.mlir S=64 N=4096

!queries = memref<?x64x128xf16>
!keys = memref<?x128xf16>
!weights = memref<?x64xf32>
!places = memref<?x64xi32>
!q_tile = memref<64x128xf16, #tile.shared>
!k_tile = memref<128x128xf16, #tile.shared>
!scores = memref<64x128xf32, #tile.fragment>
!column = memref<64xf32, #tile.fragment>
!logits = memref<128xf32, #tile.fragment>
!best = memref<64xf32, #tile.shared>
!at = memref<64xi32, #tile.shared>

func.func @lightning_indexer(
    %q: !queries {tile.shape = "Sx64x128", tile.init = "integers(-2,2)"},
    %k: !keys {tile.shape = "Nx128", tile.init = "integers(-2,2)"},
    %w: !weights {tile.shape = "Sx64", tile.init = "integers(-3,3)"},
    %places: !places {tile.shape = "Sx64", tile.result})
    attributes {tile.reference = @indexer_reference, tile.cases = ["S=5 N=512", "S=2 N=300", "S=3 N=65", "S=1 N=1"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %none = arith.constant -1 : i32
  %s = memref.dim %q, %c0 : !queries
  %n = memref.dim %k, %c0 : !keys
  tile.kernel (%i) in (%s) threads(128) {
    %qs = tile.alloc : !q_tile
    %ks = tile.alloc : !k_tile
    %sc = tile.alloc : !scores
    %ws = tile.alloc : !column
    %lg = tile.alloc : !logits
    %best = tile.alloc : !best
    %at = tile.alloc : !at
    tile.fill %best, %lowest : !best
    tile.fill %at, %none : !at
    tile.copy %q[%i, 0, 0], %qs : !queries, !q_tile
    tile.copy %w[%i, 0], %ws : !weights, !column
    %seen = affine.apply affine_map<(i)[s, n] -> (n - s + i + 1)>(%i)[%s, %n]
    %steps = affine.apply affine_map<(m) -> (m ceildiv 128)>(%seen)
    scf.for %t = %c0 to %steps step %c1 {
      %base = affine.apply affine_map<(t) -> (t * 128)>(%t)
      tile.copy %k[%base, 0], %ks : !keys, !k_tile
      tile.gemm %qs, %ks, %sc {clear, transpose_b} : !q_tile, !k_tile, !scores
      tile.parallel (%h, %j) in (64, 128) {
        %dot = memref.load %sc[%h, %j] : !scores
        %weight = memref.load %ws[%h] : !column
        %relu = arith.maximumf %dot, %zero : f32
        %term = arith.mulf %relu, %weight : f32
        memref.store %term, %sc[%h, %j] : !scores
      }
      tile.reduce sum %sc, %lg dim(0) : !scores, !logits
      tile.parallel (%j) in (128) {
        %key = affine.apply affine_map<(t, j) -> (t * 128 + j)>(%t, %j)
        %visible = arith.cmpi slt, %key, %seen : index
        %score = memref.load %lg[%j] : !logits
        %masked = arith.select %visible, %score, %lowest : f32
        memref.store %masked, %lg[%j] : !logits
      }
      tile.topk %lg, %best, %at base(%base) {combine} : !logits, !best, !at
    }
    tile.copy %at, %places[%i, 0] : !at, !places
  }
  return
}

// All scores of a query, and for each score its rank.
func.func @indexer_reference(%q: !queries, %k: !keys, %w: !weights, %places: !places) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f64
  %none = arith.constant -1 : i32
  %s = memref.dim %q, %c0 : !queries
  %n = memref.dim %k, %c0 : !keys
  %scores = memref.alloc(%n) : memref<?xf64>
  affine.for %i = 0 to %s {
    affine.for %p = 0 to 64 {
      affine.store %none, %places[%i, %p] : !places
    }
    affine.for %j = 0 to affine_map<(i)[s, n] -> (n - s + i + 1)>(%i)[%s, %n] {
      %score = affine.for %h = 0 to 64 iter_args(%sum = %zero) -> f64 {
        %dot = affine.for %d = 0 to 128 iter_args(%acc = %zero) -> f64 {
          %x = affine.load %q[%i, %h, %d] : !queries
          %y = affine.load %k[%j, %d] : !keys
          %xd = arith.extf %x : f16 to f64
          %yd = arith.extf %y : f16 to f64
          %product = arith.mulf %xd, %yd : f64
          %next = arith.addf %acc, %product : f64
          affine.yield %next : f64
        }
        %weight = affine.load %w[%i, %h] : !weights
        %wd = arith.extf %weight : f32 to f64
        %relu = arith.maximumf %dot, %zero : f64
        %term = arith.mulf %relu, %wd : f64
        %next = arith.addf %sum, %term : f64
        affine.yield %next : f64
      }
      affine.store %score, %scores[%j] : memref<?xf64>
    }
    affine.for %j = 0 to affine_map<(i)[s, n] -> (n - s + i + 1)>(%i)[%s, %n] {
      %v = affine.load %scores[%j] : memref<?xf64>
      %rank = affine.for %l = 0 to affine_map<(i)[s, n] -> (n - s + i + 1)>(%i)[%s, %n] iter_args(%before = %c0) -> index {
        %other = affine.load %scores[%l] : memref<?xf64>
        %larger = arith.cmpf ogt, %other, %v : f64
        %equal = arith.cmpf oeq, %other, %v : f64
        %left = arith.cmpi ult, %l, %j : index
        %tie = arith.andi %equal, %left : i1
        %first = arith.ori %larger, %tie : i1
        %one = arith.select %first, %c1, %c0 : index
        %next = arith.addi %before, %one : index
        affine.yield %next : index
      }
      %chosen = arith.cmpi ult, %rank, %c64 : index
      scf.if %chosen {
        %place = arith.index_cast %j : index to i32
        memref.store %place, %places[%i, %rank] : !places
      }
    }
  }
  memref.dealloc %scores : memref<?xf64>
  return
}
