// tile.atomic max and min of elements of global memory on NPUs: tiles, rows, elements at places that data decide, the results of the
// cube, tails, and NaN, which is left out.

// REQUIRES: tile-run, ascend
// RUN: tile-run %s | FileCheck %s
// RUN: tile-run %s --target=ascend --chip=910B | FileCheck %s
// RUN: tile-run %s --target=ascend --chip=950 | FileCheck %s
// CHECK: {{^}}13 passed, 0 failed{{$}}

// The largest and the smallest element of each column: f32.
func.func @columns(%x: memref<?x?xf32> {tile.shape = "MxN"}, %most: memref<?xf32> {tile.shape = "N", tile.init = "integers(0,0)", tile.result},
                   %least: memref<?xf32> {tile.shape = "N", tile.init = "integers(0,0)", tile.result})
    attributes {tile.reference = @columns_reference, tile.cases = ["M=1 N=1", "M=37 N=77", "M=16 N=64", "M=0 N=3"]} {
  tile.kernel (%b, %c) in (ceildiv(dim(%x, 0), 16), ceildiv(dim(%x, 1), 64)) {
    %t = tile.alloc : memref<16x64xf32, #tile.shared>
    %m = tile.alloc : memref<64xf32, #tile.shared>
    %l = tile.alloc : memref<64xf32, #tile.shared>
    tile.copy %x[%b * 16, %c * 64], %t
    tile.reduce max %t, %m dim(0)
    tile.reduce min %t, %l dim(0)
    tile.atomic max %m, %most[%c * 64]
    tile.atomic min %l, %least[%c * 64]
  }
  return
}

func.func private @columns_reference(%x: memref<?x?xf32>, %most: memref<?xf32>, %least: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %x, %c0 : memref<?x?xf32>
  %n = memref.dim %x, %c1 : memref<?x?xf32>
  scf.for %j = %c0 to %n step %c1 {
    scf.for %i = %c0 to %m step %c1 {
      %v = memref.load %x[%i, %j] : memref<?x?xf32>
      %a = memref.load %most[%j] : memref<?xf32>
      %b = memref.load %least[%j] : memref<?xf32>
      %p = arith.maxnumf %a, %v : f32
      %q = arith.minnumf %b, %v : f32
      memref.store %p, %most[%j] : memref<?xf32>
      memref.store %q, %least[%j] : memref<?xf32>
    }
  }
  return
}

// Of all elements, those that are inside.
func.func @limits(%x: memref<?xi32> {tile.shape = "N", tile.init = "integers(-99999,99999)"}, %y: memref<2xi32> {tile.init = "integers(5,5)", tile.result})
    attributes {tile.reference = @limits_reference, tile.cases = ["N=201", "N=1", "N=64"]} {
  tile.kernel (%b) in (ceildiv(dim(%x, 0), 64)) {
    tile.parallel (%i) in (64) do {
      if %b * 64 + %i < dim(%x, 0) {
        tile.atomic max %x[%b * 64 + %i], %y[0]
        tile.atomic min %x[%b * 64 + %i], %y[1]
      }
    }
  }
  return
}

func.func private @limits_reference(%x: memref<?xi32>, %y: memref<2xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : memref<?xi32>
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %x[%i] : memref<?xi32>
    %a = memref.load %y[%c0] : memref<2xi32>
    %b = memref.load %y[%c1] : memref<2xi32>
    %p = arith.maxsi %a, %v : i32
    %q = arith.minsi %b, %v : i32
    memref.store %p, %y[%c0] : memref<2xi32>
    memref.store %q, %y[%c1] : memref<2xi32>
  }
  return
}

// The largest of each group: places are data.
func.func @groups(%x: memref<?xf16> {tile.shape = "N"}, %g: memref<?xi32> {tile.shape = "N", tile.init = "integers(0,6)"},
                  %y: memref<7xf16> {tile.init = "integers(0,0)", tile.result})
    attributes {tile.reference = @groups_reference, tile.cases = ["N=100", "N=1"]} {
  tile.kernel (%b) in (ceildiv(dim(%x, 0), 64)) {
    tile.parallel (%i) in (64) do tile.atomic max %x[%b * 64 + %i], %y[index(%g[%b * 64 + %i])]
  }
  return
}

func.func private @groups_reference(%x: memref<?xf16>, %g: memref<?xi32>, %y: memref<7xf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : memref<?xf16>
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %x[%i] : memref<?xf16>
    %k = memref.load %g[%i] : memref<?xi32>
    %p = arith.index_cast %k : i32 to index
    %a = memref.load %y[%p] : memref<7xf16>
    %m = arith.maxnumf %a, %v : f16
    memref.store %m, %y[%p] : memref<7xf16>
  }
  return
}

// NaN is left out: square roots of negative numbers.
func.func @numbers(%x: memref<?xf32> {tile.shape = "N", tile.init = "integers(-9,9)"}, %y: memref<?xf32> {tile.shape = "N", tile.init = "integers(1,2)", tile.result})
    attributes {tile.reference = @numbers_reference, tile.cases = ["N=3", "N=150"]} {
  tile.kernel (%b) in (ceildiv(dim(%x, 0), 64)) {
    tile.parallel (%i) in (64) do tile.atomic max sqrt(%x[%b * 64 + %i]), %y[%b * 64 + %i]
  }
  return
}

func.func private @numbers_reference(%x: memref<?xf32>, %y: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %x[%i] : memref<?xf32>
    %r = math.sqrt %v : f32
    %a = memref.load %y[%i] : memref<?xf32>
    %m = arith.maxnumf %a, %r : f32
    memref.store %m, %y[%i] : memref<?xf32>
  }
  return
}

// Products: the sums go to a vector core, as the cube only adds.
func.func @products(%a: memref<?x32xf16> {tile.shape = "Mx32", tile.init = "integers(-3,3)"}, %w: memref<32x48xf16> {tile.init = "integers(-3,3)"},
                    %y: memref<16x48xf32> {tile.init = "integers(0,0)", tile.result})
    attributes {tile.reference = @products_reference, tile.cases = ["M=16", "M=80"]} {
  tile.kernel (%b) in (ceildiv(dim(%a, 0), 16)) {
    %as = tile.alloc : memref<16x32xf16, #tile.shared>
    %ws = tile.alloc : memref<32x48xf16, #tile.shared>
    %acc = tile.alloc : memref<16x48xf32, #tile.fragment>
    tile.copy %a[%b * 16, 0], %as
    tile.copy %w, %ws
    tile.fill %acc, 0.0
    tile.gemm %as, %ws, %acc
    tile.atomic max %acc, %y
  }
  return
}

func.func private @products_reference(%a: memref<?x32xf16>, %w: memref<32x48xf16>, %y: memref<16x48xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %c48 = arith.constant 48 : index
  %zero = arith.constant 0.0 : f32
  %m = memref.dim %a, %c0 : memref<?x32xf16>
  scf.for %i = %c0 to %m step %c1 {
    %r = arith.remui %i, %c16 : index
    scf.for %j = %c0 to %c48 step %c1 {
      %sum = scf.for %k = %c0 to %c32 step %c1 iter_args(%s = %zero) -> f32 {
        %p = memref.load %a[%i, %k] : memref<?x32xf16>
        %q = memref.load %w[%k, %j] : memref<32x48xf16>
        %pf = arith.extf %p : f16 to f32
        %qf = arith.extf %q : f16 to f32
        %pq = arith.mulf %pf, %qf : f32
        %n = arith.addf %s, %pq : f32
        scf.yield %n : f32
      }
      %old = memref.load %y[%r, %j] : memref<16x48xf32>
      %new = arith.maxnumf %old, %sum : f32
      memref.store %new, %y[%r, %j] : memref<16x48xf32>
    }
  }
  return
}
