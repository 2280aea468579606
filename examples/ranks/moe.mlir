// Tokens to the ranks of their experts and back (dispatch and combine of a mixture of experts, between GPUs that reach each other). Each
// token has two experts, of which a rank has as many as `factors` has rows. A rank packs the rows for each other one in the order of its
// tokens, from the front of the place that it has there, and says how many; zero is a number, too, so the flag is set to it plus one.
// The expert is an elementwise product here; a grouped gemm would stand in its place. Rows go back to where their token waits for them.
//
// tile-run moe.mlir
// tile-run moe.mlir ranks=4 T=100 H=300 E=2

!ids = memref<?x2xi32>
!origins = memref<?x?xi32, #world.symmetric>
!flags = memref<?xi64, #world.symmetric>
!rows = memref<?x?x?xf32, #world.symmetric>
func.func @moe(%w: !world.ranks,
    %x: memref<?x?xf32> {tile.shape = "TxH"}, %experts: !ids {tile.shape = "Tx2", tile.init = "integers(0, 1000)"},
    %gates: memref<?x2xf32> {tile.shape = "Tx2"}, %factors: memref<?x?xf32> {tile.shape = "ExH"},
    %rows: !rows {tile.shape = "ranksxSLOTSxH"}, %origins: !origins {tile.shape = "ranksxSLOTS"},
    %kinds: !origins {tile.shape = "ranksxSLOTS"},
    %sent: !flags {tile.shape = "ranks", tile.init = "zeros"}, %back: memref<?x2x?xf32, #world.symmetric> {tile.shape = "Tx2xH"},
    %returned: !flags {tile.shape = "ranks", tile.init = "zeros"}, %y: memref<?x?xf32> {tile.shape = "TxH", tile.result})
    attributes {world.reference = @reference, tile.atol = 1.0e-6, tile.rtol = 1.0e-6,
                tile.cases = ["ranks=4 T=20 H=300 E=2 SLOTS=40", "ranks=7 T=3 H=64 E=1 SLOTS=6", "ranks=2 T=33 H=1 E=5 SLOTS=66",
                              "ranks=1 T=1 H=5 E=1 SLOTS=2"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %n = world.size %w
  %tokens = memref.dim %x, %c0 : memref<?x?xf32>
  %width = memref.dim %x, %c1 : memref<?x?xf32>
  %local = memref.dim %factors, %c0 : memref<?x?xf32>
  %tile = arith.constant 256 : index
  %chunks = arith.ceildivui %width, %tile : index

  // Dispatch: a block packs for one rank, the next one first.
  tile.kernel (%d) in (dim(%sent, 0)) threads(128) {
    %me = world.rank %w
    %ahead = arith.addi %me, %d : index
    %after = arith.addi %ahead, %c1 : index
    %to = arith.remui %after, %n : index
    %row = tile.alloc : memref<256xf32, #tile.fragment>
    %there = world.peer %rows at %w[%to]
    %theirOrigins = world.peer %origins at %w[%to]
    %theirKinds = world.peer %kinds at %w[%to]
    %flags = world.peer %sent at %w[%to]
    %all = arith.muli %n, %local : index
    %count = scf.for %t = %c0 to %tokens step %c1 iter_args(%outer = %c0) -> index {
      %inner = scf.for %e = %c0 to %c2 step %c1 iter_args(%position = %outer) -> index {
        %id = memref.load %experts[%t, %e] : !ids
        %number = arith.index_cast %id : i32 to index
        %expert = arith.remui %number, %all : index
        %owner = arith.divui %expert, %local : index
        %is = arith.cmpi eq, %owner, %to : index
        %next = scf.if %is -> index {
          scf.for %c = %c0 to %chunks step %c1 {
            tile.copy %x[%t, %c * 256] [1, 256], %row
            tile.copy %row, %there[%me, %position, %c * 256] [1, 1, 256]
          }
          %twice = arith.muli %t, %c2 : index
          %place = arith.addi %twice, %e : index
          %origin = arith.index_cast %place : index to i32
          %rest = arith.remui %expert, %local : index
          %kind = arith.index_cast %rest : index to i32
          memref.store %origin, %theirOrigins[%me, %position] : memref<?x?xi32, strided<[?, 1], offset: ?>, #world.peer>
          memref.store %kind, %theirKinds[%me, %position] : memref<?x?xi32, strided<[?, 1], offset: ?>, #world.peer>
          %more = arith.addi %position, %c1 : index
          scf.yield %more : index
        } else {
          scf.yield %position : index
        }
        scf.yield %next : index
      }
      scf.yield %inner : index
    }
    %plus = arith.addi %count, %c1 : index
    %value = arith.index_cast %plus : index to i64
    world.signal %flags[%me] set %value
  }

  // Experts: a block for the rows of one rank, its own first.
  tile.kernel (%s) in (dim(%sent, 0)) threads(128) {
    %me = world.rank %w
    %ahead = arith.addi %me, %s : index
    %from = arith.remui %ahead, %n : index
    %row = tile.alloc : memref<256xf32, #tile.fragment>
    %factor = tile.alloc : memref<256xf32, #tile.fragment>
    %token = world.wait %sent[%from] ge 1
    %ready = world.acquire %rows after %token
    %places = world.acquire %origins after %token
    %numbers = world.acquire %kinds after %token
    %counts = world.acquire %sent after %token
    %plus = memref.load %counts[%from] : memref<?xi64>
    %all = arith.index_cast %plus : i64 to index
    %count = arith.subi %all, %c1 : index
    %home = world.peer %back at %w[%from]
    %flags = world.peer %returned at %w[%from]
    scf.for %position = %c0 to %count step %c1 {
      %origin = memref.load %places[%from, %position] : memref<?x?xi32>
      %kind = memref.load %numbers[%from, %position] : memref<?x?xi32>
      %place = arith.index_cast %origin : i32 to index
      %expert = arith.index_cast %kind : i32 to index
      %t = arith.divui %place, %c2 : index
      %e = arith.remui %place, %c2 : index
      scf.for %c = %c0 to %chunks step %c1 {
        tile.copy %ready[%from, %position, %c * 256] [1, 1, 256], %row
        tile.copy %factors[%expert, %c * 256] [1, 256], %factor
        tile.parallel (%i) in (256) do %row[%i] = %row[%i] * %factor[%i]
        tile.copy %row, %home[%t, %e, %c * 256] [1, 1, 256]
      }
    }
    world.signal %flags[%me] add 1
  }

  // Combine: a token waits for the ranks of its two experts alone.
  tile.kernel (%t) in (dim(%x, 0)) threads(128) {
    %first = tile.alloc : memref<256xf32, #tile.fragment>
    %second = tile.alloc : memref<256xf32, #tile.fragment>
    %all = arith.muli %n, %local : index
    %id0 = memref.load %experts[%t, %c0] : !ids
    %id1 = memref.load %experts[%t, %c1] : !ids
    %number0 = arith.index_cast %id0 : i32 to index
    %number1 = arith.index_cast %id1 : i32 to index
    %expert0 = arith.remui %number0, %all : index
    %expert1 = arith.remui %number1, %all : index
    %owner0 = arith.divui %expert0, %local : index
    %owner1 = arith.divui %expert1, %local : index
    %token0 = world.wait %returned[%owner0] ge 1
    %token1 = world.wait %returned[%owner1] ge 1
    %here = world.acquire %back after %token0, %token1
    %gate0 = memref.load %gates[%t, %c0] : memref<?x2xf32>
    %gate1 = memref.load %gates[%t, %c1] : memref<?x2xf32>
    scf.for %c = %c0 to %chunks step %c1 {
      tile.copy %here[%t, %c0, %c * 256] [1, 1, 256], %first
      tile.copy %here[%t, %c1, %c * 256] [1, 1, 256], %second
      tile.parallel (%i) in (256) do %first[%i] = %first[%i] * %gate0 + %second[%i] * %gate1
      tile.copy %first, %y[%t, %c * 256] [1, 256]
    }
  }
  return
}

func.func @reference(%x: memref<?x?x?xf32>, %experts: memref<?x?x2xi32>, %gates: memref<?x?x2xf32>, %factors: memref<?x?x?xf32>,
                     %rows: memref<?x?x?x?xf32>, %origins: memref<?x?x?xi32>, %kinds: memref<?x?x?xi32>, %sent: memref<?x?xi64>,
                     %back: memref<?x?x2x?xf32>, %returned: memref<?x?xi64>, %y: memref<?x?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %ranks = memref.dim %x, %c0 : memref<?x?x?xf32>
  %tokens = memref.dim %x, %c1 : memref<?x?x?xf32>
  %width = memref.dim %x, %c2 : memref<?x?x?xf32>
  %local = memref.dim %factors, %c1 : memref<?x?x?xf32>
  %all = arith.muli %ranks, %local : index
  %zero = arith.constant 0.0 : f32
  scf.for %r = %c0 to %ranks step %c1 {
    scf.for %t = %c0 to %tokens step %c1 {
      scf.for %i = %c0 to %width step %c1 {
        %sum = scf.for %e = %c0 to %c2 step %c1 iter_args(%acc = %zero) -> f32 {
          %id = memref.load %experts[%r, %t, %e] : memref<?x?x2xi32>
          %number = arith.index_cast %id : i32 to index
          %expert = arith.remui %number, %all : index
          %owner = arith.divui %expert, %local : index
          %kind = arith.remui %expert, %local : index
          %v = memref.load %x[%r, %t, %i] : memref<?x?x?xf32>
          %f = memref.load %factors[%owner, %kind, %i] : memref<?x?x?xf32>
          %g = memref.load %gates[%r, %t, %e] : memref<?x?x2xf32>
          %a = arith.mulf %v, %f : f32
          %p = arith.mulf %a, %g : f32
          %s = arith.addf %acc, %p : f32
          scf.yield %s : f32
        }
        memref.store %sum, %y[%r, %t, %i] : memref<?x?x?xf32>
      }
    }
  }
  return
}
