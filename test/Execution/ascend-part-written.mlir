// REQUIRES: tile-run, ascend
// RUN: tile-run %s | FileCheck %s
// RUN: tile-run --target=ascend --chip=910B %s | FileCheck %s
// RUN: tile-run --target=ascend --chip=950 %s | FileCheck %s

// A table that is filled along its diagonals: branches whose loads go before them, in loops of the scalar unit, where the
// elements that nothing uses have not been written. The table lives from one iteration to the next, also where its alloc is in
// the loop.

// CHECK: {{^}}5 passed, 0 failed

func.func @cheapest_path(%w: memref<12x12xi32> {tile.init = "integers(0, 99)"}, %o: memref<12x12xi32> {tile.result})
    attributes {tile.reference = @reference} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c23 = arith.constant 23 : index
  tile.kernel (%b) in (1) threads(32) {
    %d = tile.alloc : memref<12x12xi32, #tile.shared>
    scf.for %k = %c0 to %c23 step %c1 {
      tile.parallel (%i) in (12) do {
        %j = %k - %i
        if and(%j >= 0, %j < 12) {
          if %i == 0 {
            if %j == 0 { %d[%i, %j] = %w[%i, %j] } else { %d[%i, %j] = %d[%i, %j - 1] + %w[%i, %j] }
          } else {
            if %j == 0 {
              %d[%i, %j] = %d[%i - 1, %j] + %w[%i, %j]
            } else {
              %d[%i, %j] = min(%d[%i - 1, %j], %d[%i, %j - 1]) + %w[%i, %j]
            }
          }
        }
      }
    }
    tile.copy %d, %o
  }
  return
}

func.func @inner_alloc(%w: memref<12x12xi32> {tile.init = "integers(0, 99)"}, %o: memref<12x12xi32> {tile.result})
    attributes {tile.reference = @reference} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c22 = arith.constant 22 : index
  %c23 = arith.constant 23 : index
  tile.kernel (%b) in (1) threads(32) {
    scf.for %k = %c0 to %c23 step %c1 {
      %d = tile.alloc : memref<12x12xi32, #tile.shared>
      tile.parallel (%i) in (12) do {
        %j = %k - %i
        if and(%j >= 0, %j < 12) {
          %left = select(%j == 0, 1000000, %d[%i, max(%j - 1, 0)])
          if %i == 0 {
            %d[%i, %j] = select(%j == 0, 0, %left) + %w[%i, %j]
          } else {
            %d[%i, %j] = min(%d[%i - 1, %j], %left) + %w[%i, %j]
          }
        }
      }
      %last = arith.cmpi eq, %k, %c22 : index
      scf.if %last {
        tile.copy %d, %o
      }
    }
  }
  return
}

func.func @reference(%w: memref<12x12xi32>, %o: memref<12x12xi32>) {
  %far = arith.constant 1000000 : i32
  %zero = arith.constant 0 : i32
  affine.for %i = 0 to 12 {
    affine.for %j = 0 to 12 {
      %v = affine.load %w[%i, %j] : memref<12x12xi32>
      %up = affine.if affine_set<(i) : (i - 1 >= 0)>(%i) -> i32 {
        %u = affine.load %o[%i - 1, %j] : memref<12x12xi32>
        affine.yield %u : i32
      } else {
        affine.yield %far : i32
      }
      %left = affine.if affine_set<(j) : (j - 1 >= 0)>(%j) -> i32 {
        %u = affine.load %o[%i, %j - 1] : memref<12x12xi32>
        affine.yield %u : i32
      } else {
        affine.yield %far : i32
      }
      %least = arith.minsi %up, %left : i32
      %first = arith.cmpi eq, %least, %far : i32
      %before = arith.select %first, %zero, %least : i32
      %sum = arith.addi %before, %v : i32
      affine.store %sum, %o[%i, %j] : memref<12x12xi32>
    }
  }
  return
}

// A number that each iteration keeps, written in branches alone: the scalar unit, which multiplies in 64 bits, reads those of the iterations
// that take none, too.
func.func @kept(%x: memref<?xi32> {tile.shape = "N"}, %y: memref<?xi32> {tile.shape = "N", tile.result})
    attributes {tile.reference = @kept_reference, tile.cases = ["N=300", "N=1", "N=0"]} {
  tile.kernel (%b) in (ceildiv(dim(%x, 0), 64)) threads(64) {
    %h = tile.alloc : memref<2xi32, #tile.local>
    tile.parallel (%i) in (64) do {
      if %b * 64 + %i < dim(%x, 0) {
        %h[0] = %x[%b * 64 + %i]
        %h[1] = xor(%h[0], ushr(%h[0], 16))
        %h[0] = i32(ushr(i64(%h[1]) * 3528531795, 7)) + %h[0]
        %y[%b * 64 + %i] = %h[0]
      }
    }
  }
  return
}
func.func @kept_reference(%x: memref<?xi32>, %y: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %sixteen = arith.constant 16 : i32
  %seven = arith.constant 7 : i64
  %factor = arith.constant 3528531795 : i64
  %n = memref.dim %x, %c0 : memref<?xi32>
  affine.for %i = 0 to %n {
    %v = affine.load %x[%i] : memref<?xi32>
    %s = arith.shrui %v, %sixteen : i32
    %t = arith.xori %v, %s : i32
    %w = arith.extsi %t : i32 to i64
    %p = arith.muli %w, %factor : i64
    %q = arith.shrui %p, %seven : i64
    %r = arith.trunci %q : i64 to i32
    %z = arith.addi %r, %v : i32
    affine.store %z, %y[%i] : memref<?xi32>
  }
  return
}
