// Divisions by sizes that are known at launch: in grids, in offsets of copies, in the bodies of loops. A size of 0 divides, too.

// REQUIRES: tile-run, nvidia, amd, ascend
// RUN: tile-run %s | FileCheck %s
// RUN: tile-run %s --target=cuda --chip=sm_80 --device=model | FileCheck %s
// RUN: tile-run %s --target=cuda --chip=sm_90a --device=model | FileCheck %s
// RUN: tile-run %s --target=hip --chip=gfx942 --device=model | FileCheck %s
// RUN: tile-run %s --target=hip --chip=gfx950 --device=model | FileCheck %s
// RUN: tile-run %s --target=hip --chip=gfx1100 --device=model | FileCheck %s
// RUN: tile-run %s --target=ascend --chip=910B | FileCheck %s
// RUN: tile-run %s --target=ascend --chip=950 | FileCheck %s
// CHECK: {{^}}16 passed, 0 failed{{$}}

// Each head of H has the table of its group of G: what grouped-query attention does with keys.
func.func @groups(%q: memref<?x?x32xf32> {tile.shape = "HxSx32", tile.init = "integers(-9,9)"},
                  %k: memref<?x?x32xf32> {tile.shape = "GxSx32", tile.init = "integers(-9,9)"},
                  %o: memref<?x?x32xf32> {tile.shape = "HxSx32", tile.result})
    attributes {tile.reference = @groups_reference, tile.cases = ["H=8 G=2 S=33", "H=3 G=3 S=1", "H=7 G=1 S=16", "H=0 G=0 S=5"]} {
  tile.kernel (%x, %h) in (ceildiv(dim(%q, 1), 16), dim(%q, 0)) threads(64) {
    %t = tile.alloc : memref<16x32xf32, #tile.shared>
    %s = tile.alloc : memref<16x32xf32, #tile.fragment>
    tile.copy %q[%h, %x * 16, 0], %t
    tile.copy %k[%h floordiv (dim(%q, 0) floordiv dim(%k, 0)), %x * 16, 0], %s
    tile.parallel (%i, %j) in (16, 32) do %s[%i, %j] = %s[%i, %j] + %t[%i, %j]
    tile.copy %s, %o[%h, %x * 16, 0]
  }
  return
}
func.func private @groups_reference(%q: memref<?x?x32xf32>, %k: memref<?x?x32xf32>, %o: memref<?x?x32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %heads = memref.dim %q, %c0 : memref<?x?x32xf32>
  %groups = memref.dim %k, %c0 : memref<?x?x32xf32>
  %n = memref.dim %q, %c1 : memref<?x?x32xf32>
  affine.for %h = 0 to %heads {
    %p = arith.muli %h, %groups : index
    %g = arith.divui %p, %heads : index
    affine.for %s = 0 to %n {
      affine.for %d = 0 to 32 {
        %a = memref.load %q[%h, %s, %d] : memref<?x?x32xf32>
        %b = memref.load %k[%g, %s, %d] : memref<?x?x32xf32>
        %sum = arith.addf %a, %b : f32
        memref.store %sum, %o[%h, %s, %d] : memref<?x?x32xf32>
      }
    }
  }
  return
}

// A transposition by the numbers of elements alone: element n of x goes to (n mod C, n floordiv C).
func.func @transposed(%x: memref<?xi32> {tile.shape = "N", tile.init = "integers(-99,99)"},
                      %y: memref<?x?xi32> {tile.shape = "CxR", tile.result})
    attributes {tile.reference = @transposed_reference, tile.cases = ["N=35 C=7 R=5", "N=129 C=1 R=129", "N=258 C=129 R=2", "N=0 C=0 R=4"]} {
  tile.kernel (%b) in (ceildiv(dim(%x, 0), 64)) threads(64) {
    tile.parallel (%i) in (64) do {
      %n = %b * 64 + %i
      if %n < dim(%x, 0) { %y[%n mod dim(%y, 0), %n floordiv dim(%y, 0)] = %x[%n] }
    }
  }
  return
}
func.func private @transposed_reference(%x: memref<?xi32>, %y: memref<?x?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %columns = memref.dim %y, %c0 : memref<?x?xi32>
  %rows = memref.dim %y, %c1 : memref<?x?xi32>
  affine.for %r = 0 to %rows {
    affine.for %c = 0 to %columns {
      %p = arith.muli %r, %columns : index
      %n = arith.addi %p, %c : index
      %v = memref.load %x[%n] : memref<?xi32>
      memref.store %v, %y[%c, %r] : memref<?x?xi32>
    }
  }
  return
}

// A row in parts, as many as the caller has places for sums: the grid, the length of a loop and offsets are quotients.
func.func @parts(%x: memref<?xf32> {tile.shape = "N", tile.init = "integers(-9,9)"}, %y: memref<?xf32> {tile.shape = "P", tile.result})
    attributes {tile.reference = @parts_reference, tile.cases = ["N=1000 P=3", "N=1 P=1", "N=129 P=7", "N=5 P=9", "N=0 P=2"]} {
  tile.kernel (%p) in (dim(%y, 0)) threads(64) {
    %t = tile.alloc : memref<64xf32, #tile.fragment>
    %sum = tile.alloc : memref<1xf32, #tile.fragment>
    tile.fill %sum, 0.0
    tile.pipelined %k = 0 to ceildiv(ceildiv(dim(%x, 0), dim(%y, 0)), 64) {
      tile.copy %x[%p * ceildiv(dim(%x, 0), dim(%y, 0)) + %k * 64], %t
      tile.parallel (%i) in (64) do
        %t[%i] = select(%k * 64 + %i < ceildiv(dim(%x, 0), dim(%y, 0)), %t[%i], 0.0)
      tile.reduce sum %t, %sum dim(0) {combine}
    }
    tile.copy %sum, %y[%p]
  }
  return
}
func.func private @parts_reference(%x: memref<?xf32>, %y: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %n = memref.dim %x, %c0 : memref<?xf32>
  %parts = memref.dim %y, %c0 : memref<?xf32>
  %more = arith.addi %n, %parts : index
  %most = arith.subi %more, %c1 : index
  affine.for %p = 0 to %parts {
    memref.store %zero, %y[%p] : memref<?xf32>
  }
  affine.for %i = 0 to %n {
    %length = arith.divui %most, %parts : index
    %p = arith.divui %i, %length : index
    %v = memref.load %x[%i] : memref<?xf32>
    %old = memref.load %y[%p] : memref<?xf32>
    %new = arith.addf %old, %v : f32
    memref.store %new, %y[%p] : memref<?xf32>
  }
  return
}

// The windows of three elements of all rows of a matrix, one behind the other, as a convolution along rows reads them: how many
// there are of a row is known at launch.
func.func @windows(%x: memref<?x?xf32> {tile.shape = "HxW"}, %n: index {tile.shape = "N"}, %y: memref<3x?xf32> {tile.shape = "3xL", tile.result})
    attributes {tile.reference = @windows_reference, tile.cases = ["H=7 W=15 N=13 L=100", "H=3 W=3 N=1 L=3", "H=2 W=2 N=0 L=5"]} {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  tile.kernel (%b) in (ceildiv(dim(%y, 1), 64)) {
    %t = tile.alloc : memref<3x64xf32, #tile.shared>
    tile.parallel (%i, %j) in (3, 64) {
      %p = affine.apply affine_map<(b, j) -> (b * 64 + j)>(%b, %j)
      %width = arith.maxui %n, %c1 : index
      %at = arith.remui %p, %width : index
      %row = arith.divui %p, %width : index
      %column = affine.apply affine_map<(a, i) -> (a + i)>(%at, %i)
      %v = memref.load %x[%row, %column] : memref<?x?xf32>
      memref.store %v, %t[%i, %j] : memref<3x64xf32, #tile.shared>
    }
    tile.copy %t, %y[0, %b * 64]
  }
  return
}
func.func private @windows_reference(%x: memref<?x?xf32>, %n: index, %y: memref<3x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %h = memref.dim %x, %c0 : memref<?x?xf32>
  %w = memref.dim %x, %c1 : memref<?x?xf32>
  %l = memref.dim %y, %c1 : memref<3x?xf32>
  %width = arith.maxui %n, %c1 : index
  affine.for %i = 0 to 3 {
    affine.for %p = 0 to %l {
      %row = arith.divui %p, %width : index
      %at = arith.remui %p, %width : index
      %column = arith.addi %at, %i : index
      %above = arith.cmpi ult, %row, %h : index
      %before = arith.cmpi ult, %column, %w : index
      %is = arith.andi %above, %before : i1
      %v = scf.if %is -> f32 {
        %u = memref.load %x[%row, %column] : memref<?x?xf32>
        scf.yield %u : f32
      } else {
        scf.yield %zero : f32
      }
      affine.store %v, %y[%i, %p] : memref<3x?xf32>
    }
  }
  return
}
