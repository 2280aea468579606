// C = A * B on every rank, of which each rank has some columns of A and some rows of B (all-reduce). A tile of C belongs to one rank: the
// others write their products of it there, and signal. That rank adds them in the order of ranks, so that all have the same bits, and
// writes the sum to all. A rank begins with the tiles of the next one.
//
// tile-run gemm_ar.mlir
// tile-run gemm_ar.mlir ranks=4 M=96 N=80 K=40 TILES=4      with TILES = ceil(M / 64) * ceil(N / 64)

func.func @gemm_ar(%w: !world.ranks,
    %a: memref<?x?xf16> {tile.shape = "MxK"},
    %b: memref<?x?xf16> {tile.shape = "KxN"},
    %parts: memref<?x?x?xf32, #world.symmetric> {tile.shape = "ranksxMxN"},
    %arrived: memref<?xi32, #world.symmetric> {tile.shape = "TILES", tile.init = "zeros"},
    %summed: memref<?xi32, #world.symmetric> {tile.shape = "TILES", tile.init = "zeros"},
    %c: memref<?x?xf32, #world.symmetric> {tile.shape = "MxN", tile.result})
    attributes {world.reference = @reference, tile.atol = 1.0e-3, tile.rtol = 1.0e-3,
                tile.cases = ["ranks=4 M=96 N=80 K=40 TILES=4", "ranks=7 M=130 N=33 K=20 TILES=3",
                              "ranks=2 M=65 N=129 K=100 TILES=6", "ranks=1 M=1 N=1 K=1 TILES=1"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %ranks = world.size %w
  %m = memref.dim %a, %c0 : memref<?x?xf16>
  %width = arith.constant 64 : index
  %rows = arith.ceildivui %m, %width : index

  tile.kernel (%i, %j) in (ceildiv(dim(%a, 0), 64), ceildiv(dim(%b, 1), 64)) {
    %me = world.rank %w
    // Rank r begins with row r + 1 of tiles.
    %after = arith.addi %i, %me : index
    %ahead = arith.addi %after, %c1 : index
    %row = arith.remui %ahead, %rows : index
    %column = arith.muli %j, %rows : index
    %tile = arith.addi %column, %row : index
    %to = arith.remui %tile, %ranks : index
    %ta = tile.alloc : memref<64x32xf16, #tile.shared>
    %tb = tile.alloc : memref<32x64xf16, #tile.shared>
    %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
    tile.fill %acc, 0.0
    tile.pipelined %step = 0 to ceildiv(dim(%b, 0), 32) stages(2) {
      tile.copy %a[%row * 64, %step * 32], %ta
      tile.copy %b[%step * 32, %j * 64], %tb
      tile.gemm %ta, %tb, %acc
    }
    %there = world.peer %parts at %w[%to]
    %flag = world.peer %arrived at %w[%to]
    tile.copy %acc, %there[%me, %row * 64, %j * 64] [1, 64, 64]
    world.signal %flag[%tile] add 1
  }

  %all = arith.index_cast %ranks : index to i32
  tile.kernel (%row, %j) in (ceildiv(dim(%a, 0), 64), ceildiv(dim(%b, 1), 64)) {
    %me = world.rank %w
    %column = arith.muli %j, %rows : index
    %tile = arith.addi %column, %row : index
    %owner = arith.remui %tile, %ranks : index
    %mine = arith.cmpi eq, %owner, %me : index
    %sum = tile.alloc : memref<64x64xf32, #tile.fragment>
    %one = tile.alloc : memref<64x64xf32, #tile.fragment>
    scf.if %mine {
      %token = world.wait %arrived[%tile] ge %all
      %ready = world.acquire %parts after %token
      tile.fill %sum, 0.0
      scf.for %k = %c0 to %ranks step %c1 {
        tile.copy %ready[%k, %row * 64, %j * 64] [1, 64, 64], %one
        tile.parallel (%x, %y) in (64, 64) do %sum[%x, %y] = %sum[%x, %y] + %one[%x, %y]
      }
      scf.for %s = %c0 to %ranks step %c1 {
        %next = arith.addi %me, %s : index
        %to = arith.remui %next, %ranks : index
        %there = world.peer %c at %w[%to]
        tile.copy %sum, %there[%row * 64, %j * 64]
      }
      world.signal %summed[%tile] add 1 on %w
    }
    // The tile is complete when its owner says so.
    %done = world.wait %summed[%tile] ge 1
  }
  return
}

func.func @reference(%a: memref<?x?x?xf16>, %b: memref<?x?x?xf16>, %parts: memref<?x?x?x?xf32>, %arrived: memref<?x?xi32>,
                     %summed: memref<?x?xi32>, %c: memref<?x?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %ranks = memref.dim %a, %c0 : memref<?x?x?xf16>
  %m = memref.dim %a, %c1 : memref<?x?x?xf16>
  %k = memref.dim %a, %c2 : memref<?x?x?xf16>
  %n = memref.dim %b, %c2 : memref<?x?x?xf16>
  %zero = arith.constant 0.0 : f32
  scf.for %i = %c0 to %m step %c1 {
    scf.for %j = %c0 to %n step %c1 {
      %sum = scf.for %q = %c0 to %ranks step %c1 iter_args(%outer = %zero) -> f32 {
        %inner = scf.for %l = %c0 to %k step %c1 iter_args(%acc = %outer) -> f32 {
          %x = memref.load %a[%q, %i, %l] : memref<?x?x?xf16>
          %y = memref.load %b[%q, %l, %j] : memref<?x?x?xf16>
          %u = arith.extf %x : f16 to f32
          %v = arith.extf %y : f16 to f32
          %p = arith.mulf %u, %v : f32
          %s = arith.addf %acc, %p : f32
          scf.yield %s : f32
        }
        scf.yield %inner : f32
      }
      scf.for %r = %c0 to %ranks step %c1 {
        memref.store %sum, %c[%r, %i, %j] : memref<?x?x?xf32>
      }
    }
  }
  return
}
