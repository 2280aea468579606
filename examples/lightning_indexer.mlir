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

func.func @lightning_indexer(
    %q: !queries {tile.shape = "Sx64x128", tile.init = "integers(-2,2)"},
    %k: !keys {tile.shape = "Nx128", tile.init = "integers(-2,2)"},
    %w: !weights {tile.shape = "Sx64", tile.init = "integers(-3,3)"},
    %places: !places {tile.shape = "Sx64", tile.result})
    attributes {tile.reference = @indexer_reference, tile.cases = ["S=5 N=512", "S=2 N=300", "S=3 N=65", "S=1 N=1"]} {
  tile.kernel (%i) in (dim(%q, 0)) threads(128) {
    %qs = tile.alloc : memref<64x128xf16, #tile.shared>
    %ks = tile.alloc : memref<128x128xf16, #tile.shared>
    %sc = tile.alloc : memref<64x128xf32, #tile.fragment>
    %ws = tile.alloc : memref<64xf32, #tile.fragment>
    %lg = tile.alloc : memref<128xf32, #tile.fragment>
    %best = tile.alloc : memref<64xf32, #tile.shared>
    %at = tile.alloc : memref<64xi32, #tile.shared>
    tile.fill %best, -inf
    tile.fill %at, -1
    tile.copy %q[%i, 0, 0], %qs
    tile.copy %w[%i, 0], %ws
    tile.pipelined %t = 0 to ceildiv(dim(%k, 0) - dim(%q, 0) + %i + 1, 128) {
      tile.copy %k[%t * 128, 0], %ks
      tile.gemm %qs, %ks, %sc {clear, transpose_b}
      tile.parallel (%h, %j) in (64, 128) do %sc[%h, %j] = max(%sc[%h, %j], 0.0) * %ws[%h]
      tile.reduce sum %sc, %lg dim(0)
      tile.parallel (%j) in (128) do
        %lg[%j] = select(%t * 128 + %j <= dim(%k, 0) - dim(%q, 0) + %i, %lg[%j], -inf)
      tile.topk %lg, %best, %at base(%t * 128) {combine}
    }
    tile.copy %at, %places[%i, 0]
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
