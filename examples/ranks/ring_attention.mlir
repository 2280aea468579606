// Attention over a sequence of which each rank has a part: O = softmax(Q · Kᵀ / 8) · V, with the keys and values of all ranks. Tiles of K
// and V go around the ring of ranks; a rank begins with its own ones and takes the others as they come, with an online softmax. A tile
// has a place for each rank it comes from, and a counter of its own, which says how many ranks' tiles have come.
//
// tile-run ring_attention.mlir
// tile-run ring_attention.mlir ranks=4 H=2 S=200 TILES=8      with TILES = H * ceil(S / 64)

!heads = memref<?x?x64xf16>
!all = memref<?x?x?x64xf16, #world.symmetric>
!shared = memref<64x64xf16, #tile.shared>
!column = memref<64xf32, #tile.fragment>
func.func @ring_attention(%w: !world.ranks,
    %q: !heads {tile.shape = "HxSx64"}, %k: !heads {tile.shape = "HxSx64"}, %v: !heads {tile.shape = "HxSx64"},
    %keys: !all {tile.shape = "ranksxHxSx64"}, %values: !all {tile.shape = "ranksxHxSx64"},
    %arrived: memref<?xi64, #world.symmetric> {tile.shape = "TILES", tile.init = "zeros"},
    %o: !heads {tile.shape = "HxSx64", tile.result})
    attributes {world.reference = @reference, tile.atol = 4.0e-4, tile.rtol = 2.0e-3,
                tile.cases = ["ranks=4 H=1 S=100 TILES=2", "ranks=7 H=2 S=10 TILES=2", "ranks=2 H=1 S=129 TILES=3",
                              "ranks=1 H=1 S=1 TILES=1"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = world.size %w
  %length = memref.dim %q, %c1 : !heads
  %size = arith.constant 64 : index
  %tiles = arith.ceildivui %length, %size : index

  // In step s, the tile of rank r - s goes to the right.
  tile.kernel (%j, %h) in (ceildiv(dim(%q, 1), 64), dim(%q, 0)) {
    %me = world.rank %w
    %after = arith.addi %me, %c1 : index
    %right = arith.remui %after, %n : index
    %theirKeys = world.peer %keys at %w[%right]
    %theirValues = world.peer %values at %w[%right]
    %theirFlags = world.peer %arrived at %w[%right]
    %steps = arith.subi %n, %c1 : index
    %head = arith.muli %h, %tiles : index
    %tile = arith.addi %head, %j : index
    %kt = tile.alloc : !shared
    %vt = tile.alloc : !shared
    tile.copy %k[%h, %j * 64, 0] [1, 64, 64], %kt
    tile.copy %v[%h, %j * 64, 0] [1, 64, 64], %vt
    scf.for %s = %c0 to %steps step %c1 {
      %back = arith.subi %n, %s : index
      %at = arith.addi %me, %back : index
      %from = arith.remui %at, %n : index
      tile.copy %kt, %theirKeys[%from, %h, %j * 64, 0] [1, 1, 64, 64]
      tile.copy %vt, %theirValues[%from, %h, %j * 64, 0] [1, 1, 64, 64]
      world.signal %theirFlags[%tile] add 1
      %before = arith.subi %at, %c1 : index
      %next = arith.remui %before, %n : index
      %count = arith.addi %s, %c1 : index
      %value = arith.index_cast %count : index to i64
      %token = world.wait %arrived[%tile] ge %value
      %ks = world.acquire %keys after %token
      %vs = world.acquire %values after %token
      tile.copy %ks[%next, %h, %j * 64, 0] [1, 1, 64, 64], %kt
      tile.copy %vs[%next, %h, %j * 64, 0] [1, 1, 64, 64], %vt
    }
  }

  tile.kernel (%x, %h) in (ceildiv(dim(%q, 1), 64), dim(%q, 0)) {
    %me = world.rank %w
    %head = arith.muli %h, %tiles : index
    %qs = tile.alloc : !shared
    %kt = tile.alloc : !shared
    %vt = tile.alloc : !shared
    %s = tile.alloc : memref<64x64xf32, #tile.fragment>
    %p = tile.alloc : memref<64x64xf16, #tile.fragment>
    %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
    %max = tile.alloc : !column
    %sum = tile.alloc : !column
    %fade = tile.alloc : !column
    tile.fill %acc, 0.0
    tile.fill %sum, 0.0
    tile.fill %max, -inf
    tile.copy %q[%h, %x * 64, 0] [1, 64, 64], %qs
    scf.for %step = %c0 to %n step %c1 {
      %back = arith.subi %n, %step : index
      %at = arith.addi %me, %back : index
      %from = arith.remui %at, %n : index
      %own = arith.cmpi eq, %step, %c0 : index
      scf.for %t = %c0 to %tiles step %c1 {
        %tile = arith.addi %head, %t : index
        scf.if %own {
          tile.copy %k[%h, %t * 64, 0] [1, 64, 64], %kt
          tile.copy %v[%h, %t * 64, 0] [1, 64, 64], %vt
        } else {
          %value = arith.index_cast %step : index to i64
          %token = world.wait %arrived[%tile] ge %value
          %ks = world.acquire %keys after %token
          %vs = world.acquire %values after %token
          tile.copy %ks[%from, %h, %t * 64, 0] [1, 1, 64, 64], %kt
          tile.copy %vs[%from, %h, %t * 64, 0] [1, 1, 64, 64], %vt
        }
        tile.gemm %qs, %kt, %s {clear, transpose_b}
        tile.parallel (%i, %j) in (64, 64) do
          %s[%i, %j] = select(%t * 64 + %j < dim(%q, 1), %s[%i, %j], -inf)
        tile.copy %max, %fade
        tile.reduce max %s, %max dim(1) {combine}
        // The scale is log2(e) / sqrt(64).
        tile.parallel (%i) in (64) do fastmath<afn> {
          %fade[%i] = exp2((%fade[%i] - %max[%i]) * 0.180336880)
          %sum[%i] = %sum[%i] * %fade[%i]
        }
        tile.parallel (%i, %j) in (64, 64) do fastmath<afn, contract>
          %s[%i, %j] = exp2(%s[%i, %j] * 0.180336880 - %max[%i] * 0.180336880)
        tile.reduce sum %s, %sum dim(1) {combine}
        tile.copy %s, %p
        tile.parallel (%i, %j) in (64, 64) do %acc[%i, %j] = %acc[%i, %j] * %fade[%i]
        tile.gemm %p, %vt, %acc
      }
    }
    tile.parallel (%i, %j) in (64, 64) do fastmath<afn> %acc[%i, %j] = %acc[%i, %j] / %sum[%i]
    tile.copy %acc, %o[%h, %x * 64, 0] [1, 64, 64]
  }
  return
}

// One query at a time: the maximum of the scores, their exponentials, the weighted mean.
func.func @reference(%q: memref<?x?x?x64xf16>, %k: memref<?x?x?x64xf16>, %v: memref<?x?x?x64xf16>, %keys: memref<?x?x?x?x64xf16>,
                     %values: memref<?x?x?x?x64xf16>, %arrived: memref<?x?xi64>, %o: memref<?x?x?x64xf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %ranks = memref.dim %q, %c0 : memref<?x?x?x64xf16>
  %heads = memref.dim %q, %c1 : memref<?x?x?x64xf16>
  %length = memref.dim %q, %c2 : memref<?x?x?x64xf16>
  %all = arith.muli %ranks, %length : index
  %scores = memref.alloc(%all) : memref<?xf64>
  %zero = arith.constant 0.0 : f64
  %lowest = arith.constant 0xFFF0000000000000 : f64
  %scale = arith.constant 0.125 : f64
  scf.for %r = %c0 to %ranks step %c1 {
    scf.for %h = %c0 to %heads step %c1 {
      scf.for %i = %c0 to %length step %c1 {
        %max = scf.for %j = %c0 to %all step %c1 iter_args(%old = %lowest) -> f64 {
          %from = arith.divui %j, %length : index
          %at = arith.remui %j, %length : index
          %dot = scf.for %d = %c0 to %c64 step %c1 iter_args(%acc = %zero) -> f64 {
            %x = memref.load %q[%r, %h, %i, %d] : memref<?x?x?x64xf16>
            %y = memref.load %k[%from, %h, %at, %d] : memref<?x?x?x64xf16>
            %xd = arith.extf %x : f16 to f64
            %yd = arith.extf %y : f16 to f64
            %product = arith.mulf %xd, %yd : f64
            %next = arith.addf %acc, %product : f64
            scf.yield %next : f64
          }
          %score = arith.mulf %dot, %scale : f64
          memref.store %score, %scores[%j] : memref<?xf64>
          %higher = arith.maximumf %old, %score : f64
          scf.yield %higher : f64
        }
        %total = scf.for %j = %c0 to %all step %c1 iter_args(%acc = %zero) -> f64 {
          %score = memref.load %scores[%j] : memref<?xf64>
          %less = arith.subf %score, %max : f64
          %e = math.exp %less : f64
          memref.store %e, %scores[%j] : memref<?xf64>
          %next = arith.addf %acc, %e : f64
          scf.yield %next : f64
        }
        scf.for %d = %c0 to %c64 step %c1 {
          %mean = scf.for %j = %c0 to %all step %c1 iter_args(%acc = %zero) -> f64 {
            %from = arith.divui %j, %length : index
            %at = arith.remui %j, %length : index
            %e = memref.load %scores[%j] : memref<?xf64>
            %y = memref.load %v[%from, %h, %at, %d] : memref<?x?x?x64xf16>
            %yd = arith.extf %y : f16 to f64
            %product = arith.mulf %e, %yd : f64
            %next = arith.addf %acc, %product : f64
            scf.yield %next : f64
          }
          %quotient = arith.divf %mean, %total : f64
          %rounded = arith.truncf %quotient : f64 to f16
          memref.store %rounded, %o[%r, %h, %i, %d] : memref<?x?x?x64xf16>
        }
      }
    }
  }
  memref.dealloc %scores : memref<?xf64>
  return
}
