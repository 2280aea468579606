// REQUIRES: tile-run
// RUN: tile-run --target=ascend %s | FileCheck %s
// RUN: tile-run --target=ascend --chip=950 %s | FileCheck %s
// RUN: env TILE_ASCEND_ORDERS=20 tile-run --target=ascend %s --func=histogram --func=ranks | FileCheck %s --check-prefix=ORDERS

// Single elements, bits and integers in tile.parallel on the Ascend model. Expected values are those of references in plain
// loops.

// CHECK-NOT: FAIL
// CHECK: {{^}}11 passed, 0 failed
// ORDERS-NOT: FAIL
// ORDERS: {{^}}3 passed, 0 failed

// Updates at places that are read, of neighbours, and of one element by all; in a tile, with old values.

func.func @histogram(%x: memref<?xi32> {tile.shape = "N", tile.init = "integers(0,15)"}, %y: memref<16xi32> {tile.init = "integers(0,3)", tile.result},
                     %z: memref<?xf32> {tile.shape = "N", tile.init = "ones", tile.result}, %count: memref<1xi32> {tile.init = "zeros", tile.result})
    attributes {tile.reference = @histogram_reference, tile.cases = ["N=128", "N=90"]} {
  %one = arith.constant 1 : i32
  %half = arith.constant 0.5 : f32
  tile.kernel (%b) in (ceildiv(dim(%x, 0), 64)) {
    tile.parallel (%i) in (64) {
      %c0 = arith.constant 0 : index
      %n = memref.dim %x, %c0 : memref<?xi32>
      %p = affine.apply affine_map<(b, i) -> (b * 64 + i)>(%b, %i)
      %inside = arith.cmpi slt, %p, %n : index
      scf.if %inside {
        %v = memref.load %x[%p] : memref<?xi32>
        %bin = arith.index_cast %v : i32 to index
        tile.atomic add %one, %y[%bin] : i32, memref<16xi32>
        tile.atomic add %one, %count[0] : i32, memref<1xi32>
      }
      tile.atomic add %half, %z[%p] : f32, memref<?xf32>
    }
  }
  return
}
func.func @histogram_reference(%x: memref<?xi32>, %y: memref<16xi32>, %z: memref<?xf32>, %count: memref<1xi32>) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i32
  %half = arith.constant 0.5 : f32
  %n = memref.dim %x, %c0 : memref<?xi32>
  affine.for %i = 0 to %n {
    %v = affine.load %x[%i] : memref<?xi32>
    %bin = arith.index_cast %v : i32 to index
    %a = memref.load %y[%bin] : memref<16xi32>
    %s = arith.addi %a, %one : i32
    memref.store %s, %y[%bin] : memref<16xi32>
    %c = affine.load %count[0] : memref<1xi32>
    %d = arith.addi %c, %one : i32
    affine.store %d, %count[0] : memref<1xi32>
    %e = affine.load %z[%i] : memref<?xf32>
    %f = arith.addf %e, %half : f32
    affine.store %f, %z[%i] : memref<?xf32>
  }
  return
}

func.func @ranks(%x: memref<50xi32> {tile.init = "integers(0,3)"}, %y: memref<4xi32> {tile.result}, %m: memref<4xf32> {tile.result})
    attributes {tile.reference = @ranks_reference, tile.cases = [""]} {
  %one = arith.constant 1 : i32
  tile.kernel (%b) in (1) {
    %bins = tile.alloc : memref<4xi32, #tile.shared>
    %most = tile.alloc : memref<4xf32, #tile.shared>
    tile.fill %bins, 0 : memref<4xi32, #tile.shared>
    tile.fill %most, -1.0 : memref<4xf32, #tile.shared>
    tile.parallel (%i) in (50) {
      %v = memref.load %x[%i] : memref<50xi32>
      %bin = arith.index_cast %v : i32 to index
      %old = tile.atomic add %one, %bins[%bin] : i32, memref<4xi32, #tile.shared> -> i32
      %f = arith.sitofp %old : i32 to f32
      tile.atomic max %f, %most[%bin] : f32, memref<4xf32, #tile.shared>
    }
    tile.copy %bins, %y : memref<4xi32, #tile.shared>, memref<4xi32>
    tile.copy %most, %m : memref<4xf32, #tile.shared>, memref<4xf32>
  }
  return
}
func.func @ranks_reference(%x: memref<50xi32>, %y: memref<4xi32>, %m: memref<4xf32>) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  affine.for %bin = 0 to 4 {
    %number = arith.index_cast %bin : index to i32
    %s = affine.for %i = 0 to 50 iter_args(%s = %zero) -> i32 {
      %v = affine.load %x[%i] : memref<50xi32>
      %same = arith.cmpi eq, %v, %number : i32
      %d = arith.extui %same : i1 to i32
      %r = arith.addi %s, %d : i32
      affine.yield %r : i32
    }
    affine.store %s, %y[%bin] : memref<4xi32>
    %last = arith.subi %s, %one : i32
    %f = arith.sitofp %last : i32 to f32
    affine.store %f, %m[%bin] : memref<4xf32>
  }
  return
}

// Bits of floats as integers and back: an exponent, the absolute value; f16, too.

func.func @bits(%x: memref<200xf32> {tile.init = "uniform(-9,9)"}, %h: memref<200xf16>, %y: memref<200xf32> {tile.result},
                %e: memref<200xi32> {tile.result}, %g: memref<200xf16> {tile.result})
    attributes {tile.reference = @bits_reference, tile.cases = [""]} {
  %mask = arith.constant 0x7fffffff : i32
  %short = arith.constant 0x7fff : i16
  %shift = arith.constant 23 : i32
  tile.kernel (%b) in (1) {
    tile.parallel (%i) in (200) {
      %v = memref.load %x[%i] : memref<200xf32>
      %w = arith.bitcast %v : f32 to i32
      %a = arith.andi %w, %mask : i32
      %r = arith.bitcast %a : i32 to f32
      %s = arith.shrui %a, %shift : i32
      %u = memref.load %h[%i] : memref<200xf16>
      %k = arith.bitcast %u : f16 to i16
      %l = arith.andi %k, %short : i16
      %t = arith.bitcast %l : i16 to f16
      memref.store %r, %y[%i] : memref<200xf32>
      memref.store %s, %e[%i] : memref<200xi32>
      memref.store %t, %g[%i] : memref<200xf16>
    }
  }
  return
}
func.func @bits_reference(%x: memref<200xf32>, %h: memref<200xf16>, %y: memref<200xf32>, %e: memref<200xi32>, %g: memref<200xf16>) {
  %mask = arith.constant 0xff : i32
  %shift = arith.constant 23 : i32
  affine.for %i = 0 to 200 {
    %v = affine.load %x[%i] : memref<200xf32>
    %r = math.absf %v : f32
    %w = arith.bitcast %v : f32 to i32
    %s = arith.shrui %w, %shift : i32
    %t = arith.andi %s, %mask : i32
    %u = affine.load %h[%i] : memref<200xf16>
    %a = math.absf %u : f16
    affine.store %r, %y[%i] : memref<200xf32>
    affine.store %t, %e[%i] : memref<200xi32>
    affine.store %a, %g[%i] : memref<200xf16>
  }
  return
}

// Products of 64 bits: halves of extended ones, signed and not, and those of a wide multiplication that is shifted.

func.func @products(%x: memref<100xi32> {tile.init = "integers(-2147483648,2147483647)"}, %y: memref<100xi32> {tile.init = "integers(-2147483648,2147483647)"},
                    %u: memref<100xi32> {tile.result}, %s: memref<100xi32> {tile.result}, %l: memref<100xi32> {tile.result}, %w: memref<100xi32> {tile.result})
    attributes {tile.reference = @products_reference, tile.cases = [""]} {
  %c32 = arith.constant 32 : i64
  tile.kernel (%b) in (1) {
    tile.parallel (%i) in (100) {
      %a = memref.load %x[%i] : memref<100xi32>
      %c = memref.load %y[%i] : memref<100xi32>
      %low, %high = arith.mului_extended %a, %c : i32
      %slow, %shigh = arith.mulsi_extended %a, %c : i32
      %p = arith.extui %a : i32 to i64
      %q = arith.extui %c : i32 to i64
      %r = arith.muli %p, %q : i64
      %h = arith.shrui %r, %c32 : i64
      %t = arith.trunci %h : i64 to i32
      memref.store %high, %u[%i] : memref<100xi32>
      memref.store %shigh, %s[%i] : memref<100xi32>
      memref.store %slow, %l[%i] : memref<100xi32>
      memref.store %t, %w[%i] : memref<100xi32>
    }
  }
  return
}
func.func @products_reference(%x: memref<100xi32>, %y: memref<100xi32>, %u: memref<100xi32>, %s: memref<100xi32>, %l: memref<100xi32>, %w: memref<100xi32>) {
  %c32 = arith.constant 32 : i64
  affine.for %i = 0 to 100 {
    %a = affine.load %x[%i] : memref<100xi32>
    %c = affine.load %y[%i] : memref<100xi32>
    %p = arith.extui %a : i32 to i64
    %q = arith.extui %c : i32 to i64
    %r = arith.muli %p, %q : i64
    %h = arith.shrui %r, %c32 : i64
    %t = arith.trunci %h : i64 to i32
    %m = arith.trunci %r : i64 to i32
    %d = arith.extsi %a : i32 to i64
    %e = arith.extsi %c : i32 to i64
    %f = arith.muli %d, %e : i64
    %g = arith.shrui %f, %c32 : i64
    %k = arith.trunci %g : i64 to i32
    affine.store %t, %u[%i] : memref<100xi32>
    affine.store %k, %s[%i] : memref<100xi32>
    affine.store %m, %l[%i] : memref<100xi32>
    affine.store %t, %w[%i] : memref<100xi32>
  }
  return
}

// Divisions, remainders and shifts by amounts of their own: the scalar unit computes them.

func.func @divisions(%x: memref<70xi32> {tile.init = "integers(-1000,1000)"}, %y: memref<70xi32> {tile.init = "integers(1,30)"},
                     %q: memref<70xi32> {tile.result}, %r: memref<70xi32> {tile.result}, %s: memref<70xi32> {tile.result}, %u: memref<70xi8> {tile.result})
    attributes {tile.reference = @divisions_reference, tile.cases = [""]} {
  %one = arith.constant 1 : i32
  tile.kernel (%b) in (3) {
    tile.parallel (%i) in (32) {
      %p = affine.apply affine_map<(b, i) -> (b * 32 + i)>(%b, %i)
      %a = memref.load %x[%p] : memref<70xi32>
      %padded = memref.load %y[%p] : memref<70xi32>
      %c = arith.maxsi %padded, %one : i32
      %d = arith.divsi %a, %c : i32
      %e = arith.remsi %a, %c : i32
      %f = arith.shli %a, %c : i32
      %g = arith.divui %a, %c : i32
      %h = arith.trunci %g : i32 to i8
      memref.store %d, %q[%p] : memref<70xi32>
      memref.store %e, %r[%p] : memref<70xi32>
      memref.store %f, %s[%p] : memref<70xi32>
      memref.store %h, %u[%p] : memref<70xi8>
    }
  }
  return
}
func.func @divisions_reference(%x: memref<70xi32>, %y: memref<70xi32>, %q: memref<70xi32>, %r: memref<70xi32>, %s: memref<70xi32>, %u: memref<70xi8>) {
  affine.for %p = 0 to 70 {
    %a = affine.load %x[%p] : memref<70xi32>
    %c = affine.load %y[%p] : memref<70xi32>
    %d = arith.divsi %a, %c : i32
    %e = arith.remsi %a, %c : i32
    %f = arith.shli %a, %c : i32
    %g = arith.divui %a, %c : i32
    %h = arith.trunci %g : i32 to i8
    affine.store %d, %q[%p] : memref<70xi32>
    affine.store %e, %r[%p] : memref<70xi32>
    affine.store %f, %s[%p] : memref<70xi32>
    affine.store %h, %u[%p] : memref<70xi8>
  }
  return
}

// What is made of indices: bits, remainders, comparisons of them.

func.func @indices(%y: memref<9x40xf32> {tile.result}, %z: memref<9x40xi32> {tile.result})
    attributes {tile.reference = @indices_reference, tile.cases = [""]} {
  %one = arith.constant 1.0 : f32
  %zero = arith.constant 0.0 : f32
  tile.kernel (%b) in (1) {
    tile.parallel (%i, %j) in (9, 40) {
      %c2 = arith.constant 2 : index
      %c0 = arith.constant 0 : index
      %x = arith.xori %i, %j : index
      %bit = arith.andi %x, %c2 : index
      %set = arith.cmpi ne, %bit, %c0 : index
      %r = arith.select %set, %one, %zero : f32
      %m = affine.apply affine_map<(i, j) -> ((i * 40 + j) mod 7 + j floordiv 3)>(%i, %j)
      %n = arith.index_cast %m : index to i32
      memref.store %r, %y[%i, %j] : memref<9x40xf32>
      memref.store %n, %z[%i, %j] : memref<9x40xi32>
    }
  }
  return
}
func.func @indices_reference(%y: memref<9x40xf32>, %z: memref<9x40xi32>) {
  affine.for %i = 0 to 9 {
    affine.for %j = 0 to 40 {
      // Bit 1 of the sum of the bits, without a carry.
      %d = affine.apply affine_map<(i, j) -> (((i floordiv 2) mod 2 + (j floordiv 2) mod 2) mod 2)>(%i, %j)
      %w = arith.index_cast %d : index to i32
      %f = arith.sitofp %w : i32 to f32
      %m = affine.apply affine_map<(i, j) -> ((i * 40 + j) mod 7 + j floordiv 3)>(%i, %j)
      %n = arith.index_cast %m : index to i32
      affine.store %f, %y[%i, %j] : memref<9x40xf32>
      affine.store %n, %z[%i, %j] : memref<9x40xi32>
    }
  }
  return
}

// A label of each row picks an element of the row: in global memory, and in a tile.

func.func @labels(%x: memref<?x100xf32> {tile.shape = "Rx100"}, %t: memref<?xi32> {tile.shape = "R", tile.init = "integers(0,99)"},
                  %y: memref<?xf32> {tile.shape = "R", tile.result}, %z: memref<?xf32> {tile.shape = "R", tile.result})
    attributes {tile.reference = @labels_reference, tile.cases = ["R=20", "R=16", "R=1"]} {
  tile.kernel (%b) in (ceildiv(dim(%x, 0), 16)) {
    %s = tile.alloc : memref<16x100xf32, #tile.shared>
    %p = tile.alloc : memref<16xf32, #tile.shared>
    tile.copy %x[%b * 16, 0], %s
    tile.parallel (%i) in (16) {
      %row = affine.apply affine_map<(b, i) -> (b * 16 + i)>(%b, %i)
      %label = memref.load %t[%row] : memref<?xi32>
      %at = arith.index_cast %label : i32 to index
      %v = memref.load %x[%row, %at] : memref<?x100xf32>
      memref.store %v, %y[%row] : memref<?xf32>
    }
    tile.parallel (%i) in (16) {
      %row = affine.apply affine_map<(b, i) -> (b * 16 + i)>(%b, %i)
      %label = memref.load %t[%row] : memref<?xi32>
      %at = arith.index_cast %label : i32 to index
      %v = memref.load %s[%i, %at] : memref<16x100xf32, #tile.shared>
      memref.store %v, %p[%i] : memref<16xf32, #tile.shared>
    }
    tile.copy %p, %z[%b * 16]
  }
  return
}
func.func @labels_reference(%x: memref<?x100xf32>, %t: memref<?xi32>, %y: memref<?xf32>, %z: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?x100xf32>
  affine.for %row = 0 to %n {
    %label = affine.load %t[%row] : memref<?xi32>
    %at = arith.index_cast %label : i32 to index
    %v = memref.load %x[%row, %at] : memref<?x100xf32>
    affine.store %v, %y[%row] : memref<?xf32>
    affine.store %v, %z[%row] : memref<?xf32>
  }
  return
}

// A buffer without dimensions has one element.
func.func @scalar(%x: memref<f32>, %y: memref<4xf32> {tile.result, tile.init = "zeros"})
    attributes {tile.reference = @scalar_reference} {
  tile.kernel (%b) in (1) {
    %c2 = arith.constant 2 : index
    tile.parallel (%i) in (1) {
      %v = memref.load %x[] : memref<f32>
      memref.store %v, %y[%c2] : memref<4xf32>
    }
  }
  return
}

func.func @scalar_reference(%x: memref<f32>, %y: memref<4xf32>) {
  %c2 = arith.constant 2 : index
  %v = memref.load %x[] : memref<f32>
  memref.store %v, %y[%c2] : memref<4xf32>
  return
}
