// C = A * B on a grid of ranks, each of which has one part of A, B and C (Cannon): parts of A go to the left and parts of B go up, from
// rank to rank, so that rank (i, j) gets A(i, k) and B(k, j) for k = i + j, i + j + 1 ... Each part has a place for each step, so nobody
// waits before it writes, and each tile a counter of the steps that it has come for.
//
// tile-run cannon.mlir

!square = memref<?x?xf32>
!steps = memref<3x?x?xf32, #world.symmetric>
!flags = memref<?xi64, #world.symmetric>
func.func @cannon(%w: !world.ranks<3x3>,
    %a: !square {tile.shape = "MxK"}, %b: !square {tile.shape = "KxN"},
    %as: !steps {tile.shape = "3xMxK"}, %bs: !steps {tile.shape = "3xKxN"},
    %arrivedA: !flags {tile.shape = "FLAGSA", tile.init = "zeros"}, %arrivedB: !flags {tile.shape = "FLAGSB", tile.init = "zeros"},
    %c: !square {tile.shape = "MxN", tile.result})
    attributes {world.reference = @reference, tile.atol = 1.0e-4, tile.rtol = 1.0e-4,
                tile.cases = ["M=48 N=40 K=36 FLAGSA=12 FLAGSB=12", "M=33 N=70 K=1 FLAGSA=6 FLAGSB=9"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %m = memref.dim %a, %c0 : !square
  %k = memref.dim %a, %c1 : !square
  %n = memref.dim %b, %c1 : !square
  %size = arith.constant 32 : index
  %rows = arith.ceildivui %m, %size : index
  %inner = arith.ceildivui %k, %size : index
  %columns = arith.ceildivui %n, %size : index

  // Step 0: rank (i, j) puts its part of A to where it is first needed, (i, j - i), and then sends on what comes.
  tile.kernel (%x, %z) in (ceildiv(dim(%a, 0), 32), ceildiv(dim(%a, 1), 32)) {
    %i, %j = world.rank %w
    %t = tile.alloc : memref<32x32xf32, #tile.shared>
    %row = arith.muli %x, %inner : index
    %tile = arith.addi %row, %z : index
    %far = arith.subi %c3, %i : index
    %skewed = arith.addi %j, %far : index
    %first = arith.remui %skewed, %c3 : index
    %near = arith.addi %j, %c2 : index
    %left = arith.remui %near, %c3 : index
    tile.copy %a[%x * 32, %z * 32], %t
    scf.for %s = %c0 to %c3 step %c1 {
      %begins = arith.cmpi eq, %s, %c0 : index
      %to = arith.select %begins, %first, %left : index
      %there = world.peer %as at %w[%i, %to]
      %flags = world.peer %arrivedA at %w[%i, %to]
      tile.copy %t, %there[%s, %x * 32, %z * 32] [1, 32, 32]
      %places = arith.muli %tile, %c3 : index
      %flag = arith.addi %places, %s : index
      world.signal %flags[%flag] add 1
      %token = world.wait %arrivedA[%flag] ge 1
      %here = world.acquire %as after %token
      tile.copy %here[%s, %x * 32, %z * 32] [1, 32, 32], %t
    }
  }
  tile.kernel (%z, %y) in (ceildiv(dim(%b, 0), 32), ceildiv(dim(%b, 1), 32)) {
    %i, %j = world.rank %w
    %t = tile.alloc : memref<32x32xf32, #tile.shared>
    %row = arith.muli %z, %columns : index
    %tile = arith.addi %row, %y : index
    %far = arith.subi %c3, %j : index
    %skewed = arith.addi %i, %far : index
    %first = arith.remui %skewed, %c3 : index
    %near = arith.addi %i, %c2 : index
    %up = arith.remui %near, %c3 : index
    tile.copy %b[%z * 32, %y * 32], %t
    scf.for %s = %c0 to %c3 step %c1 {
      %begins = arith.cmpi eq, %s, %c0 : index
      %to = arith.select %begins, %first, %up : index
      %there = world.peer %bs at %w[%to, %j]
      %flags = world.peer %arrivedB at %w[%to, %j]
      tile.copy %t, %there[%s, %z * 32, %y * 32] [1, 32, 32]
      %places = arith.muli %tile, %c3 : index
      %flag = arith.addi %places, %s : index
      world.signal %flags[%flag] add 1
      %token = world.wait %arrivedB[%flag] ge 1
      %here = world.acquire %bs after %token
      tile.copy %here[%s, %z * 32, %y * 32] [1, 32, 32], %t
    }
  }

  tile.kernel (%x, %y) in (ceildiv(dim(%a, 0), 32), ceildiv(dim(%b, 1), 32)) {
    %ta = tile.alloc : memref<32x32xf32, #tile.shared>
    %tb = tile.alloc : memref<32x32xf32, #tile.shared>
    %acc = tile.alloc : memref<32x32xf32, #tile.fragment>
    tile.fill %acc, 0.0
    scf.for %s = %c0 to %c3 step %c1 {
      scf.for %z = %c0 to %inner step %c1 {
        %rowA = arith.muli %x, %inner : index
        %tileA = arith.addi %rowA, %z : index
        %rowB = arith.muli %z, %columns : index
        %tileB = arith.addi %rowB, %y : index
        %placesA = arith.muli %tileA, %c3 : index
        %flagA = arith.addi %placesA, %s : index
        %placesB = arith.muli %tileB, %c3 : index
        %flagB = arith.addi %placesB, %s : index
        %tokenA = world.wait %arrivedA[%flagA] ge 1
        %tokenB = world.wait %arrivedB[%flagB] ge 1
        %left = world.acquire %as after %tokenA
        %right = world.acquire %bs after %tokenB
        tile.copy %left[%s, %x * 32, %z * 32] [1, 32, 32], %ta
        tile.copy %right[%s, %z * 32, %y * 32] [1, 32, 32], %tb
        tile.gemm %ta, %tb, %acc
      }
    }
    tile.copy %acc, %c[%x * 32, %y * 32]
  }
  return
}

func.func @reference(%a: memref<3x3x?x?xf32>, %b: memref<3x3x?x?xf32>, %as: memref<3x3x3x?x?xf32>, %bs: memref<3x3x3x?x?xf32>,
                     %arrivedA: memref<3x3x?xi64>, %arrivedB: memref<3x3x?xi64>, %c: memref<3x3x?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %m = memref.dim %a, %c2 : memref<3x3x?x?xf32>
  %k = memref.dim %a, %c3 : memref<3x3x?x?xf32>
  %n = memref.dim %b, %c3 : memref<3x3x?x?xf32>
  %zero = arith.constant 0.0 : f32
  scf.for %i = %c0 to %c3 step %c1 {
    scf.for %j = %c0 to %c3 step %c1 {
      scf.for %x = %c0 to %m step %c1 {
        scf.for %y = %c0 to %n step %c1 {
          %sum = scf.for %q = %c0 to %c3 step %c1 iter_args(%outer = %zero) -> f32 {
            %inner = scf.for %l = %c0 to %k step %c1 iter_args(%acc = %outer) -> f32 {
              %u = memref.load %a[%i, %q, %x, %l] : memref<3x3x?x?xf32>
              %v = memref.load %b[%q, %j, %l, %y] : memref<3x3x?x?xf32>
              %p = arith.mulf %u, %v : f32
              %s = arith.addf %acc, %p : f32
              scf.yield %s : f32
            }
            scf.yield %inner : f32
          }
          memref.store %sum, %c[%i, %j, %x, %y] : memref<3x3x?x?xf32>
        }
      }
    }
  }
  return
}
