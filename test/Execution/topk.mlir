// REQUIRES: tile-run
// RUN: tile-run %s | FileCheck %s
// RUN: tile-run --target=ascend %s | FileCheck %s

// tile.topk on the CPU and on the Ascend model: ties, NaN, rows, lengths that no group divides, old content in any order.

// CHECK-NOT: FAIL
// CHECK: {{^}}8 passed, 0 failed

// Several rows, many ties, f16, no base: the place in the row.
func.func @rows(%x: memref<4x100xf16> {tile.init = "integers(-5,5)"}, %v: memref<4x7xf16> {tile.result},
                %p: memref<4x7xi32> {tile.result})
    attributes {tile.reference = @rows_reference} {
  tile.kernel (%b) in (1) threads(128) {
    %xs = tile.alloc : memref<4x100xf16, #tile.shared>
    %vs = tile.alloc : memref<4x7xf16, #tile.fragment>
    %ps = tile.alloc : memref<4x7xi32, #tile.shared>
    tile.copy %x, %xs : memref<4x100xf16>, memref<4x100xf16, #tile.shared>
    tile.topk %xs, %vs, %ps : memref<4x100xf16, #tile.shared>, memref<4x7xf16, #tile.fragment>, memref<4x7xi32, #tile.shared>
    tile.copy %vs, %v : memref<4x7xf16, #tile.fragment>, memref<4x7xf16>
    tile.copy %ps, %p : memref<4x7xi32, #tile.shared>, memref<4x7xi32>
  }
  return
}

func.func @rows_reference(%x: memref<4x100xf16>, %v: memref<4x7xf16>, %p: memref<4x7xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  affine.for %r = 0 to 4 {
    affine.for %i = 0 to 100 {
      %e = affine.load %x[%r, %i] : memref<4x100xf16>
      %rank = affine.for %j = 0 to 100 iter_args(%n = %c0) -> index {
        %o = affine.load %x[%r, %j] : memref<4x100xf16>
        %larger = arith.cmpf ogt, %o, %e : f16
        %equal = arith.cmpf oeq, %o, %e : f16
        %left = arith.cmpi ult, %j, %i : index
        %tie = arith.andi %equal, %left : i1
        %first = arith.ori %larger, %tie : i1
        %one = arith.select %first, %c1, %c0 : index
        %next = arith.addi %n, %one : index
        affine.yield %next : index
      }
      %in = arith.cmpi ult, %rank, %c7 : index
      scf.if %in {
        %i32 = arith.index_cast %i : index to i32
        memref.store %e, %v[%r, %rank] : memref<4x7xf16>
        memref.store %i32, %p[%r, %rank] : memref<4x7xi32>
      }
    }
  }
  return
}

// The whole row: a sort. A NaN, made of 0, counts as -inf, behind all numbers, in its order.
func.func @sort(%x: memref<300xf32> {tile.init = "integers(-20,20)"}, %v: memref<300xf32> {tile.result},
                %p: memref<300xi32> {tile.result})
    attributes {tile.reference = @sort_reference} {
  %c1000 = arith.constant 1000 : index
  tile.kernel (%b) in (1) threads(128) {
    %xs = tile.alloc : memref<300xf32, #tile.shared>
    %vs = tile.alloc : memref<300xf32, #tile.shared>
    %ps = tile.alloc : memref<300xi32, #tile.shared>
    tile.copy %x, %xs : memref<300xf32>, memref<300xf32, #tile.shared>
    tile.parallel (%i) in (300) {
      %e = memref.load %xs[%i] : memref<300xf32, #tile.shared>
      %one = arith.divf %e, %e : f32
      %same = arith.mulf %e, %one : f32
      memref.store %same, %xs[%i] : memref<300xf32, #tile.shared>
    }
    tile.topk %xs, %vs, %ps base(%c1000)
        : memref<300xf32, #tile.shared>, memref<300xf32, #tile.shared>, memref<300xi32, #tile.shared>
    tile.copy %vs, %v : memref<300xf32, #tile.shared>, memref<300xf32>
    tile.copy %ps, %p : memref<300xi32, #tile.shared>, memref<300xi32>
  }
  return
}

func.func @sort_reference(%x: memref<300xf32>, %v: memref<300xf32>, %p: memref<300xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c1000 = arith.constant 1000 : index
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  affine.for %i = 0 to 300 {
    %e0 = affine.load %x[%i] : memref<300xf32>
    %nan = arith.cmpf oeq, %e0, %zero : f32
    %e = arith.select %nan, %lowest, %e0 : f32
    %rank = affine.for %j = 0 to 300 iter_args(%n = %c0) -> index {
      %o0 = affine.load %x[%j] : memref<300xf32>
      %onan = arith.cmpf oeq, %o0, %zero : f32
      %o = arith.select %onan, %lowest, %o0 : f32
      %larger = arith.cmpf ogt, %o, %e : f32
      %equal = arith.cmpf oeq, %o, %e : f32
      %left = arith.cmpi ult, %j, %i : index
      %tie = arith.andi %equal, %left : i1
      %first = arith.ori %larger, %tie : i1
      %one = arith.select %first, %c1, %c0 : index
      %next = arith.addi %n, %one : index
      affine.yield %next : index
    }
    %at = arith.addi %i, %c1000 : index
    %i32 = arith.index_cast %at : index to i32
    memref.store %e, %v[%rank] : memref<300xf32>
    memref.store %i32, %p[%rank] : memref<300xi32>
  }
  return
}

// The targets hold 20 pairs in any order; 10 elements, fewer than are taken, come to them.
func.func @combine(%o: memref<20xf32> {tile.init = "integers(-9,9)"}, %q: memref<20xi32> {tile.init = "integers(-99,99)"},
                   %x: memref<10xf32> {tile.init = "integers(-9,9)"}, %v: memref<20xf32> {tile.result},
                   %p: memref<20xi32> {tile.result})
    attributes {tile.reference = @combine_reference} {
  tile.kernel (%b) in (1) threads(128) {
    %xs = tile.alloc : memref<10xf32, #tile.fragment>
    %vs = tile.alloc : memref<20xf32, #tile.fragment>
    %ps = tile.alloc : memref<20xi32, #tile.fragment>
    tile.copy %x, %xs : memref<10xf32>, memref<10xf32, #tile.fragment>
    tile.copy %o, %vs : memref<20xf32>, memref<20xf32, #tile.fragment>
    tile.copy %q, %ps : memref<20xi32>, memref<20xi32, #tile.fragment>
    tile.topk %xs, %vs, %ps {combine}
        : memref<10xf32, #tile.fragment>, memref<20xf32, #tile.fragment>, memref<20xi32, #tile.fragment>
    tile.copy %vs, %v : memref<20xf32, #tile.fragment>, memref<20xf32>
    tile.copy %ps, %p : memref<20xi32, #tile.fragment>, memref<20xi32>
  }
  return
}

func.func @combine_reference(%o: memref<20xf32>, %q: memref<20xi32>, %x: memref<10xf32>, %v: memref<20xf32>,
                             %p: memref<20xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c20 = arith.constant 20 : index
  %keys = memref.alloca() : memref<30xf32>
  %places = memref.alloca() : memref<30xi32>
  affine.for %i = 0 to 20 {
    %k = affine.load %o[%i] : memref<20xf32>
    %a = affine.load %q[%i] : memref<20xi32>
    affine.store %k, %keys[%i] : memref<30xf32>
    affine.store %a, %places[%i] : memref<30xi32>
  }
  affine.for %i = 0 to 10 {
    %k = affine.load %x[%i] : memref<10xf32>
    %a = arith.index_cast %i : index to i32
    affine.store %k, %keys[%i + 20] : memref<30xf32>
    affine.store %a, %places[%i + 20] : memref<30xi32>
  }
  affine.for %i = 0 to 30 {
    %e = affine.load %keys[%i] : memref<30xf32>
    %rank = affine.for %j = 0 to 30 iter_args(%n = %c0) -> index {
      %other = affine.load %keys[%j] : memref<30xf32>
      %larger = arith.cmpf ogt, %other, %e : f32
      %equal = arith.cmpf oeq, %other, %e : f32
      %left = arith.cmpi ult, %j, %i : index
      %tie = arith.andi %equal, %left : i1
      %first = arith.ori %larger, %tie : i1
      %one = arith.select %first, %c1, %c0 : index
      %next = arith.addi %n, %one : index
      affine.yield %next : index
    }
    %in = arith.cmpi ult, %rank, %c20 : index
    scf.if %in {
      %a = affine.load %places[%i] : memref<30xi32>
      memref.store %e, %v[%rank] : memref<20xf32>
      memref.store %a, %p[%rank] : memref<20xi32>
    }
  }
  return
}

// Gathers: rows and elements of GM, elements of a tile. What is outside of GM reads as its padding value.
func.func @gathers(%x: memref<?x40xf32> {tile.shape = "Nx40"}, %y: memref<?xf32> {tile.shape = "N"},
                   %i: memref<64xi32> {tile.init = "integers(-3,20)"}, %t: memref<32xi32> {tile.init = "integers(0,39)"},
                   %rows: memref<64x40xf32> {tile.result}, %elements: memref<64xf32> {tile.result},
                   %picked: memref<32xf32> {tile.result})
    attributes {tile.reference = @gathers_reference, tile.cases = ["N=17", "N=41", "N=1"]} {
  %c0 = arith.constant 0 : index
  %seven = arith.constant 7.0 : f32
  tile.kernel (%b) in (1) threads(128) {
    tile.padding_value %y, %seven : memref<?xf32>
    %is = tile.alloc : memref<64xi32, #tile.shared>
    %ts = tile.alloc : memref<32xi32, #tile.shared>
    %row = tile.alloc : memref<40xf32, #tile.shared>
    %rs = tile.alloc : memref<64x40xf32, #tile.shared>
    %es = tile.alloc : memref<64xf32, #tile.shared>
    %ps = tile.alloc : memref<32xf32, #tile.shared>
    tile.copy %i, %is : memref<64xi32>, memref<64xi32, #tile.shared>
    tile.copy %t, %ts : memref<32xi32>, memref<32xi32, #tile.shared>
    tile.copy %x[0, 0], %row : memref<?x40xf32>, memref<40xf32, #tile.shared>
    tile.parallel (%j, %k) in (64, 40) {
      %w = memref.load %is[%j] : memref<64xi32, #tile.shared>
      %at = arith.index_cast %w : i32 to index
      %e = memref.load %x[%at, %k] : memref<?x40xf32>
      memref.store %e, %rs[%j, %k] : memref<64x40xf32, #tile.shared>
    }
    tile.parallel (%j) in (64) {
      %w = memref.load %is[%j] : memref<64xi32, #tile.shared>
      %at = arith.index_cast %w : i32 to index
      %e = memref.load %y[%at] : memref<?xf32>
      memref.store %e, %es[%j] : memref<64xf32, #tile.shared>
    }
    tile.parallel (%j) in (32) {
      %w = memref.load %ts[%j] : memref<32xi32, #tile.shared>
      %at = arith.index_cast %w : i32 to index
      %e = memref.load %row[%at] : memref<40xf32, #tile.shared>
      memref.store %e, %ps[%j] : memref<32xf32, #tile.shared>
    }
    tile.copy %rs, %rows : memref<64x40xf32, #tile.shared>, memref<64x40xf32>
    tile.copy %es, %elements : memref<64xf32, #tile.shared>, memref<64xf32>
    tile.copy %ps, %picked : memref<32xf32, #tile.shared>, memref<32xf32>
  }
  return
}

func.func @gathers_reference(%x: memref<?x40xf32>, %y: memref<?xf32>, %i: memref<64xi32>, %t: memref<32xi32>,
                             %rows: memref<64x40xf32>, %elements: memref<64xf32>, %picked: memref<32xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %seven = arith.constant 7.0 : f32
  %n = memref.dim %y, %c0 : memref<?xf32>
  affine.for %j = 0 to 64 {
    %w = affine.load %i[%j] : memref<64xi32>
    %at = arith.index_cast %w : i32 to index
    %inside = arith.cmpi ult, %at, %n : index
    affine.for %k = 0 to 40 {
      %e = scf.if %inside -> f32 {
        %v = memref.load %x[%at, %k] : memref<?x40xf32>
        scf.yield %v : f32
      } else {
        scf.yield %zero : f32
      }
      affine.store %e, %rows[%j, %k] : memref<64x40xf32>
    }
    %e = scf.if %inside -> f32 {
      %v = memref.load %y[%at] : memref<?xf32>
      scf.yield %v : f32
    } else {
      scf.yield %seven : f32
    }
    affine.store %e, %elements[%j] : memref<64xf32>
  }
  affine.for %j = 0 to 32 {
    %w = affine.load %t[%j] : memref<32xi32>
    %at = arith.index_cast %w : i32 to index
    %e = memref.load %x[%c0, %at] : memref<?x40xf32>
    affine.store %e, %picked[%j] : memref<32xf32>
  }
  return
}

// A long row of few numbers, zeros of both signs, which are equal: the leftmost ones, then NaN, which counts as -inf.
func.func @long(%x: memref<1500xf32> {tile.init = "integers(0,40)"}, %v: memref<100xf32> {tile.result},
                %p: memref<100xi32> {tile.result})
    attributes {tile.reference = @long_reference} {
  %zero = arith.constant 0.0 : f32
  %minus = arith.constant -0.0 : f32
  %one = arith.constant 1.0 : f32
  %nan = arith.constant 0x7FC00000 : f32
  tile.kernel (%b) in (1) threads(128) {
    %xs = tile.alloc : memref<1500xf32, #tile.shared>
    %vs = tile.alloc : memref<100xf32, #tile.fragment>
    %ps = tile.alloc : memref<100xi32, #tile.shared>
    tile.copy %x, %xs : memref<1500xf32>, memref<1500xf32, #tile.shared>
    tile.parallel (%i) in (1500) {
      %e = memref.load %xs[%i] : memref<1500xf32, #tile.shared>
      %is_zero = arith.cmpf oeq, %e, %zero : f32
      %is_one = arith.cmpf oeq, %e, %one : f32
      %rest = arith.select %is_one, %minus, %nan : f32
      %new = arith.select %is_zero, %zero, %rest : f32
      memref.store %new, %xs[%i] : memref<1500xf32, #tile.shared>
    }
    tile.topk %xs, %vs, %ps
        : memref<1500xf32, #tile.shared>, memref<100xf32, #tile.fragment>, memref<100xi32, #tile.shared>
    tile.copy %vs, %v : memref<100xf32, #tile.fragment>, memref<100xf32>
    tile.copy %ps, %p : memref<100xi32, #tile.shared>, memref<100xi32>
  }
  return
}

// First those of 0 or 1 in their order, then the others in theirs.
func.func @long_reference(%x: memref<1500xf32>, %v: memref<100xf32>, %p: memref<100xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c100 = arith.constant 100 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %numbers = affine.for %i = 0 to 1500 iter_args(%n = %c0) -> index {
    %e = affine.load %x[%i] : memref<1500xf32>
    %is = arith.cmpf ole, %e, %one : f32
    %inside = arith.cmpi ult, %n, %c100 : index
    %both = arith.andi %is, %inside : i1
    scf.if %both {
      %i32 = arith.index_cast %i : index to i32
      memref.store %zero, %v[%n] : memref<100xf32>
      memref.store %i32, %p[%n] : memref<100xi32>
    }
    %one_more = arith.select %is, %c1, %c0 : index
    %next = arith.addi %n, %one_more : index
    affine.yield %next : index
  }
  %all = affine.for %i = 0 to 1500 iter_args(%n = %numbers) -> index {
    %e = affine.load %x[%i] : memref<1500xf32>
    %is = arith.cmpf ogt, %e, %one : f32
    %inside = arith.cmpi ult, %n, %c100 : index
    %both = arith.andi %is, %inside : i1
    scf.if %both {
      %i32 = arith.index_cast %i : index to i32
      memref.store %lowest, %v[%n] : memref<100xf32>
      memref.store %i32, %p[%n] : memref<100xi32>
    }
    %one_more = arith.select %is, %c1, %c0 : index
    %next = arith.addi %n, %one_more : index
    affine.yield %next : index
  }
  return
}

// Integers of tiles compared, and chosen: all predicates, a scalar on either side, numbers that f32 cannot hold.
func.func @compare(%x: memref<64xi32> {tile.init = "integers(-4,4)"}, %y: memref<64xi32> {tile.init = "integers(-4,4)"},
                   %r: memref<64xi32> {tile.result})
    attributes {tile.reference = @compare_reference} {
  %two = arith.constant 2 : i32
  %big = arith.constant 16777217 : i32
  %least = arith.constant -2147483648 : i32
  tile.kernel (%b) in (1) threads(128) {
    %xs = tile.alloc : memref<64xi32, #tile.shared>
    %ys = tile.alloc : memref<64xi32, #tile.shared>
    tile.copy %x, %xs : memref<64xi32>, memref<64xi32, #tile.shared>
    tile.copy %y, %ys : memref<64xi32>, memref<64xi32, #tile.shared>
    tile.parallel (%i) in (64) {
      %a = memref.load %xs[%i] : memref<64xi32, #tile.shared>
      %c = memref.load %ys[%i] : memref<64xi32, #tile.shared>
      %lt = arith.cmpi slt, %a, %c : i32
      %ge = arith.cmpi sge, %a, %two : i32
      %ne = arith.cmpi ne, %a, %two : i32
      %gt = arith.cmpi sgt, %two, %c : i32
      %le = arith.cmpi sle, %c, %least : i32
      %eq = arith.cmpi eq, %a, %c : i32
      %s0 = arith.select %lt, %big, %a : i32
      %s1 = arith.select %ge, %c, %s0 : i32
      %s2 = arith.select %ne, %s1, %least : i32
      %s3 = arith.select %gt, %s2, %big : i32
      %s4 = arith.select %le, %two, %s3 : i32
      %s5 = arith.select %eq, %two, %s4 : i32
      memref.store %s5, %xs[%i] : memref<64xi32, #tile.shared>
    }
    tile.copy %xs, %r : memref<64xi32, #tile.shared>, memref<64xi32>
  }
  return
}

func.func @compare_reference(%x: memref<64xi32>, %y: memref<64xi32>, %r: memref<64xi32>) {
  %two = arith.constant 2 : i32
  %big = arith.constant 16777217 : i32
  %least = arith.constant -2147483648 : i32
  affine.for %i = 0 to 64 {
    %a = affine.load %x[%i] : memref<64xi32>
    %c = affine.load %y[%i] : memref<64xi32>
    %lt = arith.cmpi slt, %a, %c : i32
    %ge = arith.cmpi sge, %a, %two : i32
    %ne = arith.cmpi ne, %a, %two : i32
    %gt = arith.cmpi sgt, %two, %c : i32
    %le = arith.cmpi sle, %c, %least : i32
    %eq = arith.cmpi eq, %a, %c : i32
    %s0 = arith.select %lt, %big, %a : i32
    %s1 = arith.select %ge, %c, %s0 : i32
    %s2 = arith.select %ne, %s1, %least : i32
    %s3 = arith.select %gt, %s2, %big : i32
    %s4 = arith.select %le, %two, %s3 : i32
    %s5 = arith.select %eq, %two, %s4 : i32
    affine.store %s5, %r[%i] : memref<64xi32>
  }
  return
}
