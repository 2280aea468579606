// REQUIRES: tile-run
// RUN: tile-run --target=ascend %s | FileCheck %s
// RUN: tile-run --target=ascend --chip=950 %s | FileCheck %s
// RUN: env TILE_ASCEND_ORDERS=20 tile-run --target=ascend %s --func=scalars --func=transposes | FileCheck %s --check-prefix=ORDERS

// Numbers, large iteration spaces and transposes on the Ascend model. Expected values are those of references in plain loops.

// CHECK-NOT: FAIL
// CHECK: {{^}}4 passed, 0 failed
// ORDERS-NOT: FAIL
// ORDERS: {{^}}2 passed, 0 failed

// Functions of scalars: of a sum, of an argument, in a loop; and an element that scalar code stores.

func.func @scalars(%x: memref<3x90xf32> {tile.init = "uniform(0.5,2)"}, %y: memref<3x90xf32> {tile.result}, %n: memref<3xf32> {tile.result})
    attributes {tile.reference = @scalars_reference, tile.atol = 1.0e-5, tile.rtol = 1.0e-5, tile.cases = [""]} {
  %c0 = arith.constant 0 : index
  %inverse = arith.constant 0.0111111112 : f32
  tile.kernel (%b) in (3) {
    %s = tile.alloc : memref<90xf32, #tile.shared>
    %sum = tile.alloc : memref<1xf32, #tile.shared>
    tile.copy %x[%b, 0], %s
    tile.reduce sum %s, %sum dim(0) : memref<90xf32, #tile.shared>, memref<1xf32, #tile.shared>
    %all = memref.load %sum[%c0] : memref<1xf32, #tile.shared>
    %mean = arith.mulf %all, %inverse : f32
    %scale = math.rsqrt %mean : f32
    memref.store %scale, %n[%b] : memref<3xf32>
    tile.parallel (%i) in (90) {
      %v = memref.load %s[%i] : memref<90xf32, #tile.shared>
      %e = math.exp %mean : f32
      %f = arith.mulf %v, %e : f32
      %r = arith.mulf %f, %scale : f32
      memref.store %r, %y[%b, %i] : memref<3x90xf32>
    }
  }
  return
}
func.func @scalars_reference(%x: memref<3x90xf32>, %y: memref<3x90xf32>, %n: memref<3xf32>) {
  %zero = arith.constant 0.0 : f32
  %count = arith.constant 90.0 : f32
  affine.for %b = 0 to 3 {
    %sum = affine.for %i = 0 to 90 iter_args(%s = %zero) -> f32 {
      %v = affine.load %x[%b, %i] : memref<3x90xf32>
      %r = arith.addf %s, %v : f32
      affine.yield %r : f32
    }
    %mean = arith.divf %sum, %count : f32
    %scale = math.rsqrt %mean : f32
    %e = math.exp %mean : f32
    %factor = arith.mulf %scale, %e : f32
    affine.store %scale, %n[%b] : memref<3xf32>
    affine.for %i = 0 to 90 {
      %v = affine.load %x[%b, %i] : memref<3x90xf32>
      %r = arith.mulf %v, %factor : f32
      affine.store %r, %y[%b, %i] : memref<3x90xf32>
    }
  }
  return
}

// Iterations of more elements than UB holds: rows, parts of rows, and one long row.

func.func @large(%x: memref<?xf32> {tile.shape = "M"}, %w: memref<?xf32> {tile.shape = "N"}, %y: memref<?x?xf32> {tile.shape = "MxN", tile.result},
                 %z: memref<?xf32> {tile.shape = "N", tile.result})
    attributes {tile.reference = @large_reference, tile.atol = 1.0e-6, tile.rtol = 1.0e-6, tile.cases = ["M=300 N=700", "M=37 N=70000"]} {
  tile.kernel (%b) in (1) {
    tile.parallel (%i, %j) in (300, 700) do %y[%i, %j] = %x[%i] + %w[%j]
    tile.parallel (%i, %j) in (37, 70000) do %y[%i, %j] = %x[%i] + %w[%j]
    tile.parallel (%i) in (70000) do %z[%i] = exp(%w[%i])
  }
  return
}
func.func @large_reference(%x: memref<?xf32>, %w: memref<?xf32>, %y: memref<?x?xf32>, %z: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %m = memref.dim %x, %c0 : memref<?xf32>
  %n = memref.dim %w, %c0 : memref<?xf32>
  affine.for %i = 0 to %m {
    %u = affine.load %x[%i] : memref<?xf32>
    affine.for %j = 0 to %n {
      %v = affine.load %w[%j] : memref<?xf32>
      %s = arith.addf %u, %v : f32
      affine.store %s, %y[%i, %j] : memref<?x?xf32>
    }
  }
  affine.for %j = 0 to %n {
    %v = affine.load %w[%j] : memref<?xf32>
    %e = math.exp %v : f32
    affine.store %e, %z[%j] : memref<?xf32>
  }
  return
}

// Transposes of 4, 2 and 1 bytes, of odd extents.

func.func @transposes(%a: memref<33x70xf32>, %b: memref<17x40xf16>, %c: memref<20x9xi8> {tile.init = "integers(-128,127)"},
                      %d: memref<70x33xf32> {tile.result}, %e: memref<40x17xf16> {tile.result}, %f: memref<9x20xi8> {tile.result})
    attributes {tile.reference = @transposes_reference, tile.cases = [""]} {
  tile.kernel (%k) in (1) {
    %p = tile.alloc : memref<33x70xf32, #tile.shared>
    %q = tile.alloc : memref<70x33xf32, #tile.shared>
    %r = tile.alloc : memref<17x40xf16, #tile.shared>
    %s = tile.alloc : memref<40x17xf16, #tile.shared>
    %t = tile.alloc : memref<20x9xi8, #tile.shared>
    %u = tile.alloc : memref<9x20xi8, #tile.shared>
    tile.copy %a, %p
    tile.copy %b, %r
    tile.copy %c, %t
    tile.transpose %p, %q
    tile.transpose %r, %s
    tile.transpose %t, %u
    tile.copy %q, %d
    tile.copy %s, %e
    tile.copy %u, %f
  }
  return
}
func.func @transposes_reference(%a: memref<33x70xf32>, %b: memref<17x40xf16>, %c: memref<20x9xi8>,
                                %d: memref<70x33xf32>, %e: memref<40x17xf16>, %f: memref<9x20xi8>) {
  affine.for %i = 0 to 33 {
    affine.for %j = 0 to 70 {
      %v = affine.load %a[%i, %j] : memref<33x70xf32>
      affine.store %v, %d[%j, %i] : memref<70x33xf32>
    }
  }
  affine.for %i = 0 to 17 {
    affine.for %j = 0 to 40 {
      %v = affine.load %b[%i, %j] : memref<17x40xf16>
      affine.store %v, %e[%j, %i] : memref<40x17xf16>
    }
  }
  affine.for %i = 0 to 20 {
    affine.for %j = 0 to 9 {
      %v = affine.load %c[%i, %j] : memref<20x9xi8>
      affine.store %v, %f[%j, %i] : memref<9x20xi8>
    }
  }
  return
}
