// C = A * B as in ag_gemm.mlir, but nothing of the chip gathers: copies of the device put the rows of A to the other ranks while the
// product of the own rows runs, which reads A itself. The product of the others' rows begins with those of the next rank, which come
// first, and each of its blocks waits for the rows that it needs.
//
// tile-run ag_gemm_copy_engine.mlir
// tile-run ag_gemm_copy_engine.mlir ranks=4 M=96 N=80 K=72

func.func @ag_gemm(%w: !world.ranks,
    %a: memref<?x?xf16> {tile.shape = "MxK"},
    %b: memref<?x?xf16> {tile.shape = "KxN"},
    %gathered: memref<?x?x?xf16, #world.symmetric> {tile.shape = "ranksxMxK"},
    %arrived: memref<?xi64, #world.symmetric> {tile.shape = "ranks", tile.init = "zeros"},
    %c: memref<?x?x?xf32> {tile.shape = "ranksxMxN", tile.result})
    attributes {world.reference = @reference, tile.cases = ["ranks=4 M=96 N=80 K=72", "ranks=3 M=65 N=33 K=100", "ranks=1 M=1 N=1 K=1"],
                tile.atol = 1.0e-3, tile.rtol = 1.0e-3} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = arith.constant 64 : index
  %ranks = world.size %w
  %m = memref.dim %a, %c0 : memref<?x?xf16>
  %tiles = arith.ceildivui %m, %rows : index

  world.all_gather %a to %gathered over %w algorithm(copy_engine) signal %arrived
    : memref<?x?xf16>, memref<?x?x?xf16, #world.symmetric>, !world.ranks, memref<?xi64, #world.symmetric>

  tile.kernel (%j, %i) in (ceildiv(dim(%b, 1), 64), ceildiv(dim(%a, 0), 64)) {
    %me = world.rank %w
    %ta = tile.alloc : memref<64x32xf16, #tile.shared>
    %tb = tile.alloc : memref<32x64xf16, #tile.shared>
    %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
    tile.fill %acc, 0.0
    tile.pipelined %step = 0 to ceildiv(dim(%b, 0), 32) stages(2) {
      tile.copy %a[%i * 64, %step * 32], %ta
      tile.copy %b[%step * 32, %j * 64], %tb
      tile.gemm %ta, %tb, %acc
    }
    tile.copy %acc, %c[%me, %i * 64, %j * 64] [1, 64, 64]
  }

  tile.kernel (%j, %t) in (ceildiv(dim(%b, 1), 64), (dim(%gathered, 0) - 1) * ceildiv(dim(%a, 0), 64)) {
    %me = world.rank %w
    %step = arith.divui %t, %tiles : index
    %i = arith.remui %t, %tiles : index
    %after = arith.addi %step, %c1 : index
    %next = arith.addi %me, %after : index
    %from = arith.remui %next, %ranks : index
    %token = world.wait %arrived[%from] ge 1
    %ready = world.acquire %gathered after %token
    %ta = tile.alloc : memref<64x32xf16, #tile.shared>
    %tb = tile.alloc : memref<32x64xf16, #tile.shared>
    %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
    tile.fill %acc, 0.0
    tile.pipelined %l = 0 to ceildiv(dim(%b, 0), 32) stages(2) {
      tile.copy %ready[%from, %i * 64, %l * 32] [1, 64, 32], %ta
      tile.copy %b[%l * 32, %j * 64], %tb
      tile.gemm %ta, %tb, %acc
    }
    tile.copy %acc, %c[%from, %i * 64, %j * 64] [1, 64, 64]
  }
  return
}

func.func @reference(%a: memref<?x?x?xf16>, %b: memref<?x?x?xf16>, %gathered: memref<?x?x?x?xf16>, %arrived: memref<?x?xi64>,
                     %c: memref<?x?x?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %ranks = memref.dim %a, %c0 : memref<?x?x?xf16>
  %m = memref.dim %a, %c1 : memref<?x?x?xf16>
  %k = memref.dim %a, %c2 : memref<?x?x?xf16>
  %n = memref.dim %b, %c2 : memref<?x?x?xf16>
  %zero = arith.constant 0.0 : f32
  scf.for %r = %c0 to %ranks step %c1 {
    scf.for %q = %c0 to %ranks step %c1 {
      scf.for %i = %c0 to %m step %c1 {
        scf.for %j = %c0 to %n step %c1 {
          %sum = scf.for %l = %c0 to %k step %c1 iter_args(%acc = %zero) -> f32 {
            %x = memref.load %a[%q, %i, %l] : memref<?x?x?xf16>
            %y = memref.load %b[%r, %l, %j] : memref<?x?x?xf16>
            %u = arith.extf %x : f16 to f32
            %v = arith.extf %y : f16 to f32
            %p = arith.mulf %u, %v : f32
            %s = arith.addf %acc, %p : f32
            scf.yield %s : f32
          }
          memref.store %sum, %c[%r, %q, %i, %j] : memref<?x?x?x?xf32>
        }
      }
    }
  }
  return
}
