// C = A * B on a grid of ranks, each of which has one part of A, B and C (SUMMA): in step k, rank (i, j) multiplies the part of A of rank
// (i, k) with the part of B of rank (k, j). A rank begins with its own column, so that not all ask the same one.
//
// tile-run summa.mlir

func.func @summa(%w: !world.ranks<2x2>,
    %a: memref<?x?xf32, #world.symmetric> {tile.shape = "MxK"},
    %b: memref<?x?xf32, #world.symmetric> {tile.shape = "KxN"},
    %c: memref<?x?xf32> {tile.shape = "MxN", tile.result})
    attributes {world.reference = @reference, tile.cases = ["M=48 N=40 K=36", "M=33 N=70 K=1"], tile.atol = 1.0e-4, tile.rtol = 1.0e-4} {
  tile.kernel (%x, %y) in (ceildiv(dim(%a, 0), 32), ceildiv(dim(%b, 1), 32)) {
    %i, %j = world.rank %w
    %rows, %columns = world.size %w
    %ta = tile.alloc : memref<32x32xf32, #tile.shared>
    %tb = tile.alloc : memref<32x32xf32, #tile.shared>
    %acc = tile.alloc : memref<32x32xf32, #tile.fragment>
    tile.fill %acc, 0.0
    %all = world.barrier %w
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    scf.for %s = %c0 to %columns step %c1 {
      %from = arith.addi %j, %s : index
      %k = arith.remui %from, %columns : index
      %pa = world.peer %a at %w[%i, %k]
      %pb = world.peer %b at %w[%k, %j]
      %left = world.acquire %pa after %all
      %right = world.acquire %pb after %all
      tile.pipelined %step = 0 to ceildiv(dim(%a, 1), 32) stages(2) {
        tile.copy %left[%x * 32, %step * 32], %ta
        tile.copy %right[%step * 32, %y * 32], %tb
        tile.gemm %ta, %tb, %acc
      }
    }
    tile.copy %acc, %c[%x * 32, %y * 32]
    // Others may still read this rank's parts.
    %done = world.barrier %w
  }
  return
}

func.func @reference(%a: memref<2x2x?x?xf32>, %b: memref<2x2x?x?xf32>, %c: memref<2x2x?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %m = memref.dim %a, %c2 : memref<2x2x?x?xf32>
  %k = memref.dim %a, %c3 : memref<2x2x?x?xf32>
  %n = memref.dim %b, %c3 : memref<2x2x?x?xf32>
  %zero = arith.constant 0.0 : f32
  scf.for %i = %c0 to %c2 step %c1 {
    scf.for %j = %c0 to %c2 step %c1 {
      scf.for %x = %c0 to %m step %c1 {
        scf.for %y = %c0 to %n step %c1 {
          %sum = scf.for %q = %c0 to %c2 step %c1 iter_args(%outer = %zero) -> f32 {
            %inner = scf.for %l = %c0 to %k step %c1 iter_args(%acc = %outer) -> f32 {
              %u = memref.load %a[%i, %q, %x, %l] : memref<2x2x?x?xf32>
              %v = memref.load %b[%q, %j, %l, %y] : memref<2x2x?x?xf32>
              %p = arith.mulf %u, %v : f32
              %s = arith.addf %acc, %p : f32
              scf.yield %s : f32
            }
            scf.yield %inner : f32
          }
          memref.store %sum, %c[%i, %j, %x, %y] : memref<2x2x?x?xf32>
        }
      }
    }
  }
  return
}
