// C = A * B, of which each rank has some columns of A and some rows of B, and gets some rows of C (reduce-scatter). A block of the
// first kernel writes its partial tile to the rank that sums these rows, and signals; the second kernel waits until a tile has come
// from all, and adds them in the order of ranks.
//
// tile-run gemm_rs.mlir
// tile-run gemm_rs.mlir ranks=4 M=96 N=80 K=40 TILES=4      with TILES = ceil(M / 64) * ceil(N / 64)

func.func @gemm_rs(%w: !world.ranks,
    %a: memref<?x?x?xf16> {tile.shape = "ranksxMxK"},
    %b: memref<?x?xf16> {tile.shape = "KxN"},
    %parts: memref<?x?x?xf32, #world.symmetric> {tile.shape = "ranksxMxN"},
    %arrived: memref<?xi32, #world.symmetric> {tile.shape = "TILES", tile.init = "zeros"},
    %c: memref<?x?xf32> {tile.shape = "MxN", tile.result})
    attributes {world.reference = @reference, tile.atol = 1.0e-3, tile.rtol = 1.0e-3,
                tile.cases = ["ranks=4 M=96 N=80 K=40 TILES=4", "ranks=3 M=65 N=33 K=100 TILES=2", "ranks=1 M=1 N=1 K=1 TILES=1"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %ranks = world.size %w
  %n = memref.dim %b, %c1 : memref<?x?xf16>
  %width = arith.constant 64 : index
  %columns = arith.ceildivui %n, %width : index

  tile.kernel (%s, %i, %j) in (dim(%a, 0), ceildiv(dim(%a, 1), 64), ceildiv(dim(%b, 1), 64)) {
    // Others' rows first, so that nobody waits for this rank at the end.
    %me = world.rank %w
    %ahead = arith.addi %me, %s : index
    %next = arith.addi %ahead, %c1 : index
    %to = arith.remui %next, %ranks : index
    %ta = tile.alloc : memref<64x32xf16, #tile.shared>
    %tb = tile.alloc : memref<32x64xf16, #tile.shared>
    %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
    tile.fill %acc, 0.0
    tile.pipelined %step = 0 to ceildiv(dim(%b, 0), 32) stages(2) {
      tile.copy %a[%to, %i * 64, %step * 32] [1, 64, 32], %ta
      tile.copy %b[%step * 32, %j * 64], %tb
      tile.gemm %ta, %tb, %acc
    }
    %there = world.peer %parts at %w[%to]
    %flag = world.peer %arrived at %w[%to]
    tile.copy %acc, %there[%me, %i * 64, %j * 64] [1, 64, 64]
    %row = arith.muli %i, %columns : index
    %tile = arith.addi %row, %j : index
    world.signal %flag[%tile] add 1
  }

  %all = arith.index_cast %ranks : index to i32
  tile.kernel (%i, %j) in (ceildiv(dim(%c, 0), 64), ceildiv(dim(%c, 1), 64)) {
    %row = arith.muli %i, %columns : index
    %tile = arith.addi %row, %j : index
    %token = world.wait %arrived[%tile] ge %all
    %ready = world.acquire %parts after %token
    %sum = tile.alloc : memref<64x64xf32, #tile.fragment>
    %one = tile.alloc : memref<64x64xf32, #tile.fragment>
    tile.fill %sum, 0.0
    scf.for %k = %c0 to %ranks step %c1 {
      tile.copy %ready[%k, %i * 64, %j * 64] [1, 64, 64], %one
      tile.parallel (%x, %y) in (64, 64) do %sum[%x, %y] = %sum[%x, %y] + %one[%x, %y]
    }
    tile.copy %sum, %c[%i * 64, %j * 64]
  }
  return
}

func.func @reference(%a: memref<?x?x?x?xf16>, %b: memref<?x?x?xf16>, %parts: memref<?x?x?x?xf32>, %arrived: memref<?x?xi32>,
                     %c: memref<?x?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %ranks = memref.dim %b, %c0 : memref<?x?x?xf16>
  %k = memref.dim %b, %c1 : memref<?x?x?xf16>
  %m = memref.dim %c, %c1 : memref<?x?x?xf32>
  %n = memref.dim %c, %c2 : memref<?x?x?xf32>
  %zero = arith.constant 0.0 : f32
  scf.for %r = %c0 to %ranks step %c1 {
    scf.for %i = %c0 to %m step %c1 {
      scf.for %j = %c0 to %n step %c1 {
        %sum = scf.for %q = %c0 to %ranks step %c1 iter_args(%outer = %zero) -> f32 {
          %inner = scf.for %l = %c0 to %k step %c1 iter_args(%acc = %outer) -> f32 {
            %x = memref.load %a[%q, %r, %i, %l] : memref<?x?x?x?xf16>
            %y = memref.load %b[%q, %l, %j] : memref<?x?x?xf16>
            %u = arith.extf %x : f16 to f32
            %v = arith.extf %y : f16 to f32
            %p = arith.mulf %u, %v : f32
            %s = arith.addf %acc, %p : f32
            scf.yield %s : f32
          }
          scf.yield %inner : f32
        }
        memref.store %sum, %c[%r, %i, %j] : memref<?x?x?xf32>
      }
    }
  }
  return
}
