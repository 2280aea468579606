// REQUIRES: tile-run
// RUN: tile-run --target=ascend %s | FileCheck %s
// RUN: tile-run --target=ascend --chip=950 %s | FileCheck %s
// RUN: env TILE_ASCEND_ORDERS=20 tile-run --target=ascend %s --func=tile_branches --func=loops --func=route --func=halve | FileCheck %s --check-prefix=ORDERS

// Branches and loops in tile.parallel on the Ascend model. Expected values are those of references in plain loops.

// CHECK-NOT: FAIL
// CHECK: {{^}}20 passed, 0 failed
// ORDERS-NOT: FAIL
// ORDERS: {{^}}11 passed, 0 failed

!v = memref<?xf32>
!m = memref<?x?xf32>

// Both sides of a branch store: NaN takes the second one. Tails, and a length below a vector.

func.func @branches(%x: !v {tile.shape = "N"}, %y: !v {tile.shape = "N", tile.result})
    attributes {tile.reference = @branches_reference, tile.atol = 1.0e-6, tile.rtol = 1.0e-6, tile.cases = ["N=300", "N=100", "N=7"]} {
  tile.kernel (%b) in (ceildiv(dim(%x, 0), 100)) {
    %t = tile.alloc : memref<100xf32, #tile.shared>
    tile.parallel (%i) in (100) do {
      %u = %x[%b * 100 + %i]
      if %u > 0.0 { %t[%i] = sqrt(%u) } else { %t[%i] = 2.0 * %u - 1.0 }
    }
    tile.copy %t, %y[%b * 100]
  }
  return
}
func.func @branches_reference(%x: !v, %y: !v) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %two = arith.constant 2.0 : f32
  %n = memref.dim %x, %c0 : !v
  affine.for %i = 0 to %n {
    %u = affine.load %x[%i] : !v
    %positive = arith.cmpf ogt, %u, %zero : f32
    %r = scf.if %positive -> f32 {
      %s = math.sqrt %u : f32
      scf.yield %s : f32
    } else {
      %d = arith.mulf %two, %u : f32
      %s = arith.subf %d, %one : f32
      scf.yield %s : f32
    }
    affine.store %r, %y[%i] : !v
  }
  return
}

// Branches in branches that read beside the element, outside of the tile where they are not taken, and leave others as they are.

func.func @tile_branches(%x: memref<33x50xf32>, %y: memref<33x50xf32> {tile.result})
    attributes {tile.reference = @tile_branches_reference, tile.cases = [""]} {
  tile.kernel (%b) in (1) {
    %s = tile.alloc : memref<33x50xf32, #tile.shared>
    %t = tile.alloc : memref<33x50xf32, #tile.shared>
    tile.copy %x, %s
    tile.fill %t, 7.0
    tile.parallel (%i, %j) in (33, 50) do {
      if %j > 0 {
        %left = %s[%i, %j - 1]
        if %left > 0.0 { %t[%i, %j] = %left } else { if %i > 2 { %t[%i, %j] = %s[%i - 3, %j] } }
      }
    }
    tile.copy %t, %y
  }
  return
}
func.func @tile_branches_reference(%x: memref<33x50xf32>, %y: memref<33x50xf32>) {
  %zero = arith.constant 0.0 : f32
  %seven = arith.constant 7.0 : f32
  affine.for %i = 0 to 33 {
    affine.for %j = 0 to 50 {
      affine.store %seven, %y[%i, %j] : memref<33x50xf32>
      affine.if affine_set<(j) : (j - 1 >= 0)>(%j) {
        %left = affine.load %x[%i, %j - 1] : memref<33x50xf32>
        %above = affine.if affine_set<(i) : (i - 3 >= 0)>(%i) -> f32 {
          %v = affine.load %x[%i - 3, %j] : memref<33x50xf32>
          affine.yield %v : f32
        } else {
          affine.yield %seven : f32
        }
        %positive = arith.cmpf ogt, %left, %zero : f32
        %r = arith.select %positive, %left, %above : f32
        affine.store %r, %y[%i, %j] : memref<33x50xf32>
      }
    }
  }
  return
}

// A loop that carries two values, of N iterations: none, one, several. A branch in it that goes with its variable.

func.func @loops(%x: !m {tile.shape = "NxM"}, %y: !v {tile.shape = "M", tile.result}, %z: !v {tile.shape = "M", tile.result})
    attributes {tile.reference = @loops_reference, tile.atol = 1.0e-5, tile.rtol = 1.0e-5,
                tile.cases = ["N=5 M=130", "N=1 M=64", "N=0 M=70", "N=2 M=3"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %n = memref.dim %x, %c0 : !m
  tile.kernel (%b) in (ceildiv(dim(%x, 1), 64)) {
    tile.parallel (%i) in (64) {
      %p = affine.apply affine_map<(b, i) -> (b * 64 + i)>(%b, %i)
      %s, %q = scf.for %k = %c0 to %n step %c1 iter_args(%s = %zero, %q = %one) -> (f32, f32) {
        %v = memref.load %x[%k, %p] : !m
        // The values of the iteration before are exchanged.
        %sum = arith.addf %q, %v : f32
        %isLate = arith.cmpi sgt, %k, %c3 : index
        %r = scf.if %isLate -> f32 {
          %twice = arith.addf %s, %s : f32
          scf.yield %twice : f32
        } else {
          scf.yield %s : f32
        }
        scf.yield %sum, %r : f32, f32
      }
      memref.store %s, %y[%p] : !v
      memref.store %q, %z[%p] : !v
    }
  }
  return
}
func.func @loops_reference(%x: !m, %y: !v, %z: !v) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %two = arith.constant 2.0 : f32
  %n = memref.dim %x, %c0 : !m
  %m = memref.dim %x, %c1 : !m
  affine.for %p = 0 to %m {
    %s, %q = affine.for %k = 0 to %n iter_args(%s = %zero, %q = %one) -> (f32, f32) {
      %v = affine.load %x[%k, %p] : !m
      %sum = arith.addf %q, %v : f32
      %isLate = arith.cmpi sgt, %k, %c3 : index
      %factor = arith.select %isLate, %two, %one : f32
      %r = arith.mulf %s, %factor : f32
      affine.yield %sum, %r : f32, f32
    }
    affine.store %s, %y[%p] : !v
    affine.store %q, %z[%p] : !v
  }
  return
}

// A convolution: a loop over taps, each a shifted row. Bounds that differ between rows, and that are read.

func.func @taps(%x: memref<300xf32>, %w: memref<5xf32>, %y: memref<296xf32> {tile.result})
    attributes {tile.reference = @taps_reference, tile.atol = 1.0e-5, tile.rtol = 1.0e-5, tile.cases = [""]} {
  tile.kernel (%b) in (3) {
    tile.parallel (%i) in (100) do %y[%b * 100 + %i] = sum(%k = 0 to 5, %x[%b * 100 + %i + %k] * %w[%k])
  }
  return
}
func.func @taps_reference(%x: memref<300xf32>, %w: memref<5xf32>, %y: memref<296xf32>) {
  %zero = arith.constant 0.0 : f32
  affine.for %i = 0 to 296 {
    %s = affine.for %k = 0 to 5 iter_args(%s = %zero) -> f32 {
      %a = affine.load %x[%i + %k] : memref<300xf32>
      %c = affine.load %w[%k] : memref<5xf32>
      %p = arith.mulf %a, %c : f32
      %r = arith.addf %s, %p : f32
      affine.yield %r : f32
    }
    affine.store %s, %y[%i] : memref<296xf32>
  }
  return
}

func.func @lengths(%x: !m {tile.shape = "RxN"}, %n: memref<?xi32> {tile.shape = "R", tile.init = "integers(0,6)"},
                   %y: !m {tile.shape = "Rx40", tile.result})
    attributes {tile.reference = @lengths_reference, tile.atol = 1.0e-5, tile.rtol = 1.0e-5, tile.cases = ["R=8 N=40", "R=5 N=40"]} {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.kernel (%b) in (ceildiv(dim(%x, 0), 8)) {
    tile.parallel (%i, %j) in (8, 40) {
      %p = affine.apply affine_map<(b, i) -> (b * 8 + i)>(%b, %i)
      %length = memref.load %n[%p] : memref<?xi32>
      %end = arith.index_cast %length : i32 to index
      %s = scf.for %k = %c0 to %end step %c1 iter_args(%s = %zero) -> f32 {
        %v = memref.load %x[%p, %j] : !m
        %r = arith.addf %s, %v : f32
        scf.yield %r : f32
      }
      memref.store %s, %y[%p, %j] : !m
    }
  }
  return
}
func.func @lengths_reference(%x: !m, %n: memref<?xi32>, %y: !m) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = memref.dim %x, %c0 : !m
  affine.for %i = 0 to %rows {
    %length = affine.load %n[%i] : memref<?xi32>
    %end = arith.index_cast %length : i32 to index
    affine.for %j = 0 to 40 {
      %v = affine.load %x[%i, %j] : !m
      %s = scf.for %k = %c0 to %end step %c1 iter_args(%s = %zero) -> f32 {
        %r = arith.addf %s, %v : f32
        scf.yield %r : f32
      }
      affine.store %s, %y[%i, %j] : !m
    }
  }
  return
}

// Rows that are stored where a list says so, and only if it does: what no row goes to keeps its content.

func.func @route(%x: !m {tile.shape = "Rx70"}, %to: memref<?xi32> {tile.shape = "R", tile.init = "iota"},
                 %y: !m {tile.shape = "Rx70", tile.init = "ones", tile.result})
    attributes {tile.reference = @route_reference, tile.cases = ["R=16", "R=19", "R=1"]} {
  %c4 = arith.constant 4 : i32
  tile.kernel (%b) in (ceildiv(dim(%x, 0), 16)) {
    tile.parallel (%i, %j) in (16, 70) {
      %p = affine.apply affine_map<(b, i) -> (b * 16 + i)>(%b, %i)
      %c0 = arith.constant 0 : index
      %rows = memref.dim %x, %c0 : !m
      %inside = arith.cmpi slt, %p, %rows : index
      scf.if %inside {
        %row = memref.load %to[%p] : memref<?xi32>
        %late = arith.cmpi sge, %row, %c4 : i32
        scf.if %late {
          %place = arith.index_cast %row : i32 to index
          %q = affine.apply affine_map<(p)[n] -> (n - 1 - p)>(%place)[%rows]
          %v = memref.load %x[%p, %j] : !m
          memref.store %v, %y[%q, %j] : !m
        }
      }
    }
  }
  return
}
func.func @route_reference(%x: !m, %to: memref<?xi32>, %y: !m) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : i32
  %rows = memref.dim %x, %c0 : !m
  affine.for %i = 0 to %rows {
    %row = affine.load %to[%i] : memref<?xi32>
    %late = arith.cmpi sge, %row, %c4 : i32
    scf.if %late {
      %place = arith.index_cast %row : i32 to index
      %last = arith.subi %rows, %place : index
      %c1 = arith.constant 1 : index
      %q = arith.subi %last, %c1 : index
      affine.for %j = 0 to 70 {
        %v = affine.load %x[%i, %j] : !m
        memref.store %v, %y[%q, %j] : !m
      }
    }
  }
  return
}

// Values that a loop around tiles carries: a number, an index, and the two of a Fibonacci sequence.

func.func @carried(%x: memref<64xf32>, %n: index {tile.shape = "N"}, %y: memref<64xf32> {tile.result})
    attributes {tile.reference = @carried_reference, tile.cases = ["N=6", "N=1", "N=0"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  tile.kernel (%b) in (1) {
    %t = tile.alloc : memref<64xf32, #tile.shared>
    tile.copy %x, %t : memref<64xf32>, memref<64xf32, #tile.shared>
    %r:3 = scf.for %k = %c0 to %n step %c1 iter_args(%p = %one, %q = %one, %at = %c0) -> (f32, f32, index) {
      tile.parallel (%i) in (64) {
        %v = memref.load %t[%i] : memref<64xf32, #tile.shared>
        %s = arith.addf %v, %q : f32
        memref.store %s, %t[%i] : memref<64xf32, #tile.shared>
      }
      %sum = arith.addf %p, %q : f32
      %next = arith.addi %at, %k : index
      scf.yield %q, %sum, %next : f32, f32, index
    }
    %last = arith.index_cast %r#2 : index to i32
    %count = arith.sitofp %last : i32 to f32
    tile.parallel (%i) in (64) {
      %v = memref.load %t[%i] : memref<64xf32, #tile.shared>
      %s = arith.addf %v, %r#1 : f32
      %w = arith.addf %s, %count : f32
      memref.store %w, %y[%i] : memref<64xf32>
    }
  }
  return
}
func.func @carried_reference(%x: memref<64xf32>, %n: index, %y: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %zero = arith.constant 0.0 : f32
  affine.for %i = 0 to 64 {
    %v = affine.load %x[%i] : memref<64xf32>
    %r:4 = scf.for %k = %c0 to %n step %c1 iter_args(%w = %v, %p = %one, %q = %one, %at = %zero) -> (f32, f32, f32, f32) {
      %s = arith.addf %w, %q : f32
      %sum = arith.addf %p, %q : f32
      %word = arith.index_cast %k : index to i32
      %number = arith.sitofp %word : i32 to f32
      %next = arith.addf %at, %number : f32
      scf.yield %s, %q, %sum, %next : f32, f32, f32, f32
    }
    %s = arith.addf %r#0, %r#2 : f32
    %w = arith.addf %s, %r#3 : f32
    affine.store %w, %y[%i] : memref<64xf32>
  }
  return
}

// Loops without a number of iterations: for each element, of which some have none, and around tiles.

func.func @halve(%x: memref<70xi32> {tile.init = "integers(-5,900)"}, %y: memref<70xi32> {tile.result}, %n: index {tile.shape = "N"}, %s: memref<1xi32> {tile.result})
    attributes {tile.reference = @halve_reference, tile.cases = ["N=0", "N=1", "N=100"]} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  tile.kernel (%b) in (3) {
    tile.parallel (%i) in (32) {
      %p = affine.apply affine_map<(b, i) -> (b * 32 + i)>(%b, %i)
      %v = memref.load %x[%p] : memref<70xi32>
      %r:2 = scf.while (%w = %v, %count = %zero) : (i32, i32) -> (i32, i32) {
        %more = arith.cmpi sgt, %w, %zero : i32
        scf.condition(%more) %w, %count : i32, i32
      } do {
      ^bb0(%w: i32, %count: i32):
        %half = arith.shrsi %w, %one : i32
        %next = arith.addi %count, %one : i32
        scf.yield %half, %next : i32, i32
      }
      memref.store %r#1, %y[%p] : memref<70xi32>
    }
  }
  %word = arith.index_cast %n : index to i32
  tile.kernel (%b) in (1) {
    %t = tile.alloc : memref<8xi32, #tile.shared>
    %sum = tile.alloc : memref<1xi32, #tile.shared>
    tile.fill %t, 1
    tile.fill %sum, 0
    scf.while : () -> () {
      %v = memref.load %sum[%c0] : memref<1xi32, #tile.shared>
      %more = arith.cmpi slt, %v, %word : i32
      scf.condition(%more)
    } do {
      tile.reduce sum %t, %sum dim(0)
      tile.parallel (%i) in (8) do %t[%i] = %t[%i] * 2
      scf.yield
    }
    tile.copy %sum, %s
  }
  return
}
func.func @halve_reference(%x: memref<70xi32>, %y: memref<70xi32>, %n: index, %s: memref<1xi32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %eight = arith.constant 8 : i32
  affine.for %i = 0 to 70 {
    %v = affine.load %x[%i] : memref<70xi32>
    %r:2 = affine.for %k = 0 to 32 iter_args(%w = %v, %count = %zero) -> (i32, i32) {
      %more = arith.cmpi sgt, %w, %zero : i32
      %step = arith.extui %more : i1 to i32
      %next = arith.addi %count, %step : i32
      %half = arith.shrsi %w, %one : i32
      affine.yield %half, %next : i32, i32
    }
    affine.store %r#1, %y[%i] : memref<70xi32>
  }
  %word = arith.index_cast %n : index to i32
  %r:2 = affine.for %k = 0 to 32 iter_args(%sum = %zero, %term = %eight) -> (i32, i32) {
    %more = arith.cmpi slt, %sum, %word : i32
    %new = arith.select %more, %term, %sum : i32
    %double = arith.muli %term, %two : i32
    %term2 = arith.select %more, %double, %term : i32
    affine.yield %new, %term2 : i32, i32
  }
  affine.store %r#0, %s[%c0] : memref<1xi32>
  return
}
