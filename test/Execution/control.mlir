// Kernels, loops and buffers: which points are visited, in which order, and what a buffer holds.

// REQUIRES: tile-run
// RUN: tile-run %s | FileCheck %s
// CHECK: {{^}}60 passed, 0 failed{{$}}

// A grid of three dimensions: all blocks run, and coordinates come in the order of the grid.

func.func @grid3(%c: memref<?x?x?xi32> {tile.shape = "XxYxZ", tile.result})
    attributes {tile.reference = @coordinates, tile.cases = ["X=3 Y=4 Z=5", "X=1 Y=1 Z=7", "X=2 Y=0 Z=3", "X=1 Y=1 Z=1"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %x = memref.dim %c, %c0 : memref<?x?x?xi32>
  %y = memref.dim %c, %c1 : memref<?x?x?xi32>
  %z = memref.dim %c, %c2 : memref<?x?x?xi32>
  tile.kernel (%i, %j, %k) in (%x, %y, %z) {
    tile.parallel (%t) in (1) {
      %p = affine.apply affine_map<(i, j, k) -> (i * 10000 + j * 100 + k)>(%i, %j, %k)
      %v = arith.index_cast %p : index to i32
      memref.store %v, %c[%i, %j, %k] : memref<?x?x?xi32>
    }
  }
  return
}

func.func @grid2(%c: memref<?x?x1xi32> {tile.shape = "XxYx1", tile.result})
    attributes {tile.reference = @coordinates2, tile.cases = ["X=3 Y=4", "X=0 Y=4", "X=1 Y=9"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = memref.dim %c, %c0 : memref<?x?x1xi32>
  %y = memref.dim %c, %c1 : memref<?x?x1xi32>
  tile.kernel (%i, %j) in (%x, %y) {
    tile.parallel (%t) in (1) {
      %p = affine.apply affine_map<(i, j) -> (i * 10000 + j * 100)>(%i, %j)
      %v = arith.index_cast %p : index to i32
      memref.store %v, %c[%i, %j, %c0] : memref<?x?x1xi32>
    }
  }
  return
}

func.func @parallel3(%c: memref<?x?x?xi32> {tile.shape = "XxYxZ", tile.result})
    attributes {tile.reference = @coordinates, tile.cases = ["X=3 Y=4 Z=5", "X=33 Y=1 Z=7", "X=2 Y=3 Z=0", "X=1 Y=1 Z=1"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %x = memref.dim %c, %c0 : memref<?x?x?xi32>
  %y = memref.dim %c, %c1 : memref<?x?x?xi32>
  %z = memref.dim %c, %c2 : memref<?x?x?xi32>
  tile.kernel (%b) in (1) {
    tile.parallel (%i, %j, %k) in (%x, %y, %z) {
      %p = affine.apply affine_map<(i, j, k) -> (i * 10000 + j * 100 + k)>(%i, %j, %k)
      %v = arith.index_cast %p : index to i32
      memref.store %v, %c[%i, %j, %k] : memref<?x?x?xi32>
    }
  }
  return
}

func.func @coordinates(%c: memref<?x?x?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %x = memref.dim %c, %c0 : memref<?x?x?xi32>
  %y = memref.dim %c, %c1 : memref<?x?x?xi32>
  %z = memref.dim %c, %c2 : memref<?x?x?xi32>
  affine.for %i = 0 to %x {
    affine.for %j = 0 to %y {
      affine.for %k = 0 to %z {
        %p = affine.apply affine_map<(i, j, k) -> (i * 10000 + j * 100 + k)>(%i, %j, %k)
        %v = arith.index_cast %p : index to i32
        affine.store %v, %c[%i, %j, %k] : memref<?x?x?xi32>
      }
    }
  }
  return
}

func.func @coordinates2(%c: memref<?x?x1xi32>) {
  %d = memref.cast %c : memref<?x?x1xi32> to memref<?x?x?xi32>
  func.call @coordinates(%d) : (memref<?x?x?xi32>) -> ()
  return
}

// Scalar accesses leave global buffers on both sides: reads yield the padding value, writes are dropped.

func.func @guarded(%x: memref<?xi32> {tile.shape = "N"}, %y: memref<?xi32> {tile.shape = "M", tile.init = "ones", tile.result})
    attributes {tile.reference = @guarded_reference,
                tile.cases = ["N=20 M=20", "N=3 M=40", "N=40 M=3", "N=1 M=1", "N=0 M=5", "N=5 M=0"]} {
  %safe = arith.constant 7 : i32
  tile.kernel (%b) in (4) {
    tile.padding_value %x, %safe : memref<?xi32>
    tile.parallel (%i) in (10) {
      %before = affine.apply affine_map<(b, i) -> (b * 10 + i - 5)>(%b, %i)
      %after = affine.apply affine_map<(b, i) -> (b * 10 + i + 3)>(%b, %i)
      %u = memref.load %x[%before] : memref<?xi32>
      %v = memref.load %x[%after] : memref<?xi32>
      %s = arith.muli %u, %v : i32
      %at = affine.apply affine_map<(b, i) -> (b * 10 + i - 2)>(%b, %i)
      memref.store %s, %y[%at] : memref<?xi32>
    }
  }
  return
}
func.func @guarded_reference(%x: memref<?xi32>, %y: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %safe = arith.constant 7 : i32
  %n = memref.dim %x, %c0 : memref<?xi32>
  %m = memref.dim %y, %c0 : memref<?xi32>
  affine.for %at = -2 to 38 {
    %below = arith.cmpi slt, %at, %m : index
    %above = arith.cmpi sge, %at, %c0 : index
    %inside = arith.andi %below, %above : i1
    scf.if %inside {
      %before = affine.apply affine_map<(i) -> (i - 3)>(%at)
      %after = affine.apply affine_map<(i) -> (i + 5)>(%at)
      %u = func.call @read(%x, %before, %safe) : (memref<?xi32>, index, i32) -> i32
      %v = func.call @read(%x, %after, %safe) : (memref<?xi32>, index, i32) -> i32
      %s = arith.muli %u, %v : i32
      memref.store %s, %y[%at] : memref<?xi32>
    }
  }
  return
}
func.func private @read(%x: memref<?xi32>, %i: index, %safe: i32) -> i32 {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?xi32>
  %inside = arith.cmpi ult, %i, %n : index
  %v = scf.if %inside -> i32 {
    %l = memref.load %x[%i] : memref<?xi32>
    scf.yield %l : i32
  } else {
    scf.yield %safe : i32
  }
  return %v : i32
}

// A pipelined loop is a serial one: its trace, h := 3h + k, depends on the order and the number of iterations.

func.func @pipelined(%lb: index {tile.shape = "L"}, %ub: index {tile.shape = "U"}, %step: index {tile.shape = "S"},
                     %c: memref<1xi32> {tile.init = "ones", tile.result})
    attributes {tile.reference = @pipelined_reference,
                tile.cases = ["L=0 U=0 S=1", "L=0 U=1 S=1", "L=0 U=2 S=1", "L=0 U=3 S=1", "L=0 U=4 S=1", "L=5 U=4 S=1",
                              "L=3 U=10 S=3", "L=3 U=9 S=3", "L=3 U=12 S=3", "L=7 U=8 S=100"]} {
  tile.kernel (%b) in (1) {
    %t = tile.alloc : memref<1xi32, #tile.shared>
    tile.copy %c, %t : memref<1xi32>, memref<1xi32, #tile.shared>
    tile.pipelined %k = %lb to %ub step %step stages(3) {
      tile.parallel (%i) in (1) {
        func.call @trace(%t, %k) : (memref<1xi32, #tile.shared>, index) -> ()
      }
    }
    tile.copy %t, %c : memref<1xi32, #tile.shared>, memref<1xi32>
  }
  return
}
func.func private @trace(%t: memref<1xi32, #tile.shared>, %k: index) {
  %c0 = arith.constant 0 : index
  %three = arith.constant 3 : i32
  %ki = arith.index_cast %k : index to i32
  %old = memref.load %t[%c0] : memref<1xi32, #tile.shared>
  %scaled = arith.muli %old, %three : i32
  %new = arith.addi %scaled, %ki : i32
  memref.store %new, %t[%c0] : memref<1xi32, #tile.shared>
  return
}
func.func @pipelined_reference(%lb: index, %ub: index, %step: index, %c: memref<1xi32>) {
  %c0 = arith.constant 0 : index
  %three = arith.constant 3 : i32
  %first = memref.load %c[%c0] : memref<1xi32>
  %h = scf.for %k = %lb to %ub step %step iter_args(%old = %first) -> i32 {
    %ki = arith.index_cast %k : index to i32
    %scaled = arith.muli %old, %three : i32
    %new = arith.addi %scaled, %ki : i32
    scf.yield %new : i32
  }
  memref.store %h, %c[%c0] : memref<1xi32>
  return
}

// Copies and reductions in nested pipelined loops, with trip counts below and above the number of stages.

func.func @nested(%x: memref<?x?xi32> {tile.shape = "MxN", tile.init = "integers(-50,50)"},
                  %s: memref<1xi32> {tile.result})
    attributes {tile.reference = @nested_reference,
                tile.cases = ["M=0 N=8", "M=1 N=1", "M=4 N=8", "M=9 N=17", "M=13 N=40", "M=3 N=0"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %m = memref.dim %x, %c0 : memref<?x?xi32>
  %n = memref.dim %x, %c1 : memref<?x?xi32>
  tile.kernel (%b) in (1) {
    %t = tile.alloc : memref<4x8xi32, #tile.shared>
    %rows = tile.alloc : memref<4xi32, #tile.fragment>
    %sum = tile.alloc : memref<1xi32, #tile.fragment>
    tile.fill %sum, %zero : memref<1xi32, #tile.fragment>
    tile.pipelined %i = %c0 to %m step %c4 stages(2) {
      tile.fill %rows, %zero : memref<4xi32, #tile.fragment>
      tile.pipelined %j = %c0 to %n step %c8 stages(3) {
        tile.copy %x[%i, %j], %t : memref<?x?xi32>, memref<4x8xi32, #tile.shared>
        tile.reduce sum %t, %rows dim(1) {combine} : memref<4x8xi32, #tile.shared>, memref<4xi32, #tile.fragment>
      }
      tile.reduce sum %rows, %sum dim(0) {combine} : memref<4xi32, #tile.fragment>, memref<1xi32, #tile.fragment>
    }
    tile.copy %sum, %s : memref<1xi32, #tile.fragment>, memref<1xi32>
  }
  return
}
func.func @nested_reference(%x: memref<?x?xi32>, %s: memref<1xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %m = memref.dim %x, %c0 : memref<?x?xi32>
  %n = memref.dim %x, %c1 : memref<?x?xi32>
  %sum = affine.for %i = 0 to %m iter_args(%outer = %zero) -> i32 {
    %row = affine.for %j = 0 to %n iter_args(%acc = %outer) -> i32 {
      %v = affine.load %x[%i, %j] : memref<?x?xi32>
      %next = arith.addi %acc, %v : i32
      affine.yield %next : i32
    }
    affine.yield %row : i32
  }
  memref.store %sum, %s[%c0] : memref<1xi32>
  return
}

// Each point of a persistent domain is visited once, whatever the grid, the group and the domain are.

func.func @persistent1(%p: index {tile.shape = "P"}, %c: memref<?x1x1xi32> {tile.shape = "Xx1x1", tile.init = "zeros", tile.result})
    attributes {tile.reference = @once1, tile.cases = ["P=1 X=7", "P=3 X=7", "P=7 X=7", "P=20 X=7", "P=2 X=0"]} {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i32
  %x = memref.dim %c, %c0 : memref<?x1x1xi32>
  tile.kernel (%b) in (%p) {
    tile.persistent (%i) in (%x) {
      tile.parallel (%t) in (1) {
        tile.atomic add %one, %c[%i, 0, 0] : i32, memref<?x1x1xi32>
      }
    }
  }
  return
}
func.func @once1(%p: index, %c: memref<?x1x1xi32>) {
  %d = memref.cast %c : memref<?x1x1xi32> to memref<?x?x?xi32>
  func.call @once(%p, %d) : (index, memref<?x?x?xi32>) -> ()
  return
}

func.func @persistent2(%p: index {tile.shape = "P"}, %c: memref<?x?x1xi32> {tile.shape = "XxYx1", tile.init = "zeros", tile.result})
    attributes {tile.reference = @once2, tile.cases = ["P=1 X=7 Y=5", "P=4 X=7 Y=5", "P=3 X=3 Y=4", "P=50 X=2 Y=5",
                                                       "P=2 X=0 Y=3", "P=2 X=3 Y=0", "P=3 X=1 Y=9"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i32
  %x = memref.dim %c, %c0 : memref<?x?x1xi32>
  %y = memref.dim %c, %c1 : memref<?x?x1xi32>
  tile.kernel (%b) in (%p) {
    tile.persistent (%i, %j) in (%x, %y) group(3) {
      tile.parallel (%t) in (1) {
        tile.atomic add %one, %c[%i, %j, 0] : i32, memref<?x?x1xi32>
      }
    }
  }
  return
}
func.func @once2(%p: index, %c: memref<?x?x1xi32>) {
  %d = memref.cast %c : memref<?x?x1xi32> to memref<?x?x?xi32>
  func.call @once(%p, %d) : (index, memref<?x?x?xi32>) -> ()
  return
}

func.func @persistent3(%p: index {tile.shape = "P"}, %c: memref<?x?x?xi32> {tile.shape = "XxYxZ", tile.init = "zeros", tile.result})
    attributes {tile.reference = @once, tile.cases = ["P=1 X=5 Y=3 Z=4", "P=3 X=5 Y=3 Z=4", "P=100 X=5 Y=3 Z=4",
                                                      "P=2 X=1 Y=1 Z=6", "P=2 X=8 Y=2 Z=2", "P=2 X=2 Y=2 Z=0"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %one = arith.constant 1 : i32
  %x = memref.dim %c, %c0 : memref<?x?x?xi32>
  %y = memref.dim %c, %c1 : memref<?x?x?xi32>
  %z = memref.dim %c, %c2 : memref<?x?x?xi32>
  // A grid of three dimensions counts its blocks through.
  tile.kernel (%bx, %by, %bz) in (2, %p, 3) {
    tile.persistent (%i, %j, %k) in (%x, %y, %z) group(2) {
      tile.parallel (%t) in (1) {
        tile.atomic add %one, %c[%i, %j, %k] : i32, memref<?x?x?xi32>
      }
    }
  }
  return
}
func.func @once(%p: index, %c: memref<?x?x?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %one = arith.constant 1 : i32
  %x = memref.dim %c, %c0 : memref<?x?x?xi32>
  %y = memref.dim %c, %c1 : memref<?x?x?xi32>
  %z = memref.dim %c, %c2 : memref<?x?x?xi32>
  affine.for %i = 0 to %x {
    affine.for %j = 0 to %y {
      affine.for %k = 0 to %z {
        affine.store %one, %c[%i, %j, %k] : memref<?x?x?xi32>
      }
    }
  }
  return
}

// An extent below 0 has no points; two of them have no points either.

func.func @negative_grid(%c: memref<?xi32> {tile.shape = "N", tile.init = "zeros", tile.result})
    attributes {tile.reference = @four_of_seven, tile.cases = ["N=3", "N=5", "N=7"]} {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i32
  %n = memref.dim %c, %c0 : memref<?xi32>
  %e = affine.apply affine_map<(n) -> (n - 5)>(%n)
  tile.kernel (%i, %j) in (%e, %e) {
    tile.parallel (%t) in (1) {
      %p = affine.apply affine_map<(i, j, t) -> (i * 2 + j + t)>(%i, %j, %t)
      memref.store %one, %c[%p] : memref<?xi32>
    }
  }
  return
}

func.func @negative_domain(%c: memref<?xi32> {tile.shape = "N", tile.init = "zeros", tile.result})
    attributes {tile.reference = @four_of_seven, tile.cases = ["N=3", "N=5", "N=7"]} {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i32
  %n = memref.dim %c, %c0 : memref<?xi32>
  %e = affine.apply affine_map<(n) -> (n - 5)>(%n)
  tile.kernel (%b) in (3) {
    tile.persistent (%i, %j) in (%e, %e) {
      tile.parallel (%t) in (1) {
        %p = affine.apply affine_map<(i, j, t) -> (i * 2 + j + t)>(%i, %j, %t)
        memref.store %one, %c[%p] : memref<?xi32>
      }
    }
  }
  return
}

func.func @negative_parallel(%c: memref<?xi32> {tile.shape = "N", tile.init = "zeros", tile.result})
    attributes {tile.reference = @four_of_seven, tile.cases = ["N=3", "N=5", "N=7"]} {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i32
  %n = memref.dim %c, %c0 : memref<?xi32>
  %e = affine.apply affine_map<(n) -> (n - 5)>(%n)
  tile.kernel (%b) in (1) {
    tile.parallel (%i, %j) in (%e, %e) {
      %p = affine.apply affine_map<(i, j) -> (i * 2 + j)>(%i, %j)
      memref.store %one, %c[%p] : memref<?xi32>
    }
  }
  return
}

// Four points where there are seven elements, none where there are fewer.
func.func @four_of_seven(%c: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c7 = arith.constant 7 : index
  %one = arith.constant 1 : i32
  %n = memref.dim %c, %c0 : memref<?xi32>
  %all = arith.cmpi eq, %n, %c7 : index
  scf.if %all {
    scf.for %i = %c0 to %c4 step %c1 {
      memref.store %one, %c[%i] : memref<?xi32>
    }
  }
  return
}
