// The sum over all ranks of x, on each rank, around a ring: first each part goes around once and every rank adds its own, so that rank r
// ends with the sum of part r + 1; then the sums go around. A rank sends twice its own bytes, whatever the number of ranks. A tile waits
// for the tile in front of it alone, and each of the two rounds writes to a buffer of its own, so nobody waits to write.
//
// tile-run all_reduce_ring.mlir
// tile-run all_reduce_ring.mlir ranks=7 P=5000

func.func @all_reduce_ring(%w: !world.ranks,
    %x: memref<?x?xf32> {tile.shape = "ranksxP"},
    %parts: memref<?x?xf32, #world.symmetric> {tile.shape = "ranksxP"},
    %arrived: memref<?xi64, #world.symmetric> {tile.shape = "P", tile.init = "zeros"},
    %y: memref<?x?xf32, #world.symmetric> {tile.shape = "ranksxP", tile.result})
    attributes {world.reference = @reference, tile.atol = 1.0e-5, tile.rtol = 1.0e-5,
                tile.cases = ["ranks=4 P=1000", "ranks=7 P=1025", "ranks=2 P=2500", "ranks=1 P=3"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = world.size %w
  tile.kernel (%b) in (ceildiv(dim(%x, 1), 1024)) {
    %me = world.rank %w
    %ahead = arith.addi %me, %c1 : index
    %right = arith.remui %ahead, %n : index
    %theirParts = world.peer %parts at %w[%right]
    %theirSums = world.peer %y at %w[%right]
    %theirFlags = world.peer %arrived at %w[%right]
    %steps = arith.subi %n, %c1 : index
    %sum = tile.alloc : memref<1024xf32, #tile.fragment>
    %one = tile.alloc : memref<1024xf32, #tile.fragment>
    tile.copy %x[%me, %b * 1024] [1, 1024], %sum

    // In step s, part r - s goes to the right, and part r - s - 1 comes from the left.
    scf.for %s = %c0 to %steps step %c1 {
      %back = arith.subi %n, %s : index
      %at = arith.addi %me, %back : index
      %part = arith.remui %at, %n : index
      %before = arith.subi %at, %c1 : index
      %next = arith.remui %before, %n : index
      tile.copy %sum, %theirParts[%part, %b * 1024] [1, 1024]
      world.signal %theirFlags[%b] add 1
      %count = arith.addi %s, %c1 : index
      %value = arith.index_cast %count : index to i64
      %token = world.wait %arrived[%b] ge %value
      %ready = world.acquire %parts after %token
      tile.copy %ready[%next, %b * 1024] [1, 1024], %sum
      tile.copy %x[%next, %b * 1024] [1, 1024], %one
      tile.parallel (%i) in (1024) do %sum[%i] = %sum[%i] + %one[%i]
    }

    // The sum of part r + 1 is here; the others come.
    tile.copy %sum, %y[%right, %b * 1024] [1, 1024]
    scf.for %s = %c0 to %steps step %c1 {
      %back = arith.subi %n, %s : index
      %at = arith.addi %right, %back : index
      %part = arith.remui %at, %n : index
      %before = arith.subi %at, %c1 : index
      %next = arith.remui %before, %n : index
      tile.copy %sum, %theirSums[%part, %b * 1024] [1, 1024]
      world.signal %theirFlags[%b] add 1
      %early = arith.addi %steps, %s : index
      %count = arith.addi %early, %c1 : index
      %value = arith.index_cast %count : index to i64
      %token = world.wait %arrived[%b] ge %value
      %ready = world.acquire %y after %token
      tile.copy %ready[%next, %b * 1024] [1, 1024], %sum
    }
  }
  return
}

func.func @reference(%x: memref<?x?x?xf32>, %parts: memref<?x?x?xf32>, %arrived: memref<?x?xi64>, %y: memref<?x?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %n = memref.dim %x, %c0 : memref<?x?x?xf32>
  %size = memref.dim %x, %c2 : memref<?x?x?xf32>
  %zero = arith.constant 0.0 : f64
  scf.for %part = %c0 to %n step %c1 {
    scf.for %i = %c0 to %size step %c1 {
      %sum = scf.for %r = %c0 to %n step %c1 iter_args(%acc = %zero) -> f64 {
        %v = memref.load %x[%r, %part, %i] : memref<?x?x?xf32>
        %e = arith.extf %v : f32 to f64
        %next = arith.addf %acc, %e : f64
        scf.yield %next : f64
      }
      %t = arith.truncf %sum : f64 to f32
      scf.for %r = %c0 to %n step %c1 {
        memref.store %t, %y[%r, %part, %i] : memref<?x?x?xf32>
      }
    }
  }
  return
}
