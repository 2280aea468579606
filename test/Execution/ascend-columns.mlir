// Columns of matrices and parts of pairs: copies of elements that are no neighbours, past the ends of buffers, with padding, into
// operands of gemms and out of sums.

// REQUIRES: tile-run, ascend
// RUN: tile-run %s | FileCheck %s
// RUN: tile-run %s --target=ascend | FileCheck %s
// RUN: tile-run %s --target=ascend --chip=950 | FileCheck %s
// CHECK: {{^}}10 passed, 0 failed{{$}}

// The real part of a product of complex numbers, pairs side by side.
!pairs = memref<?x?x2xf16>
func.func @real_part(%a: !pairs {tile.shape = "MxKx2"}, %b: !pairs {tile.shape = "KxNx2"}, %c: memref<?x?xf32> {tile.shape = "MxN", tile.result})
    attributes {tile.reference = @real_part_reference, tile.atol = 1.0e-3, tile.cases = ["M=33 N=20 K=40", "M=1 N=1 K=1", "M=2 N=3 K=0"]} {
  tile.kernel (%x, %y) in (ceildiv(dim(%c, 1), 32), ceildiv(dim(%c, 0), 32)) {
    %ar = tile.alloc : memref<32x16xf16, #tile.shared>
    %ai = tile.alloc : memref<32x16xf16, #tile.shared>
    %br = tile.alloc : memref<16x32xf16, #tile.shared>
    %bi = tile.alloc : memref<16x32xf16, #tile.shared>
    %re = tile.alloc : memref<32x32xf32, #tile.fragment>
    tile.fill %re, 0.0
    tile.pipelined %k = 0 to ceildiv(dim(%a, 1), 16) stages(2) {
      tile.copy %a[%y * 32, %k * 16, 0] [32, 16, 1], %ar
      tile.copy %a[%y * 32, %k * 16, 1] [32, 16, 1], %ai
      tile.copy %b[%k * 16, %x * 32, 0] [16, 32, 1], %br
      tile.copy %b[%k * 16, %x * 32, 1] [16, 32, 1], %bi
      tile.parallel (%i, %j) in (32, 16) do %ai[%i, %j] = -%ai[%i, %j]
      tile.gemm %ar, %br, %re
      tile.gemm %ai, %bi, %re
    }
    tile.copy %re, %c[%y * 32, %x * 32]
  }
  return
}
func.func private @real_part_reference(%a: !pairs, %b: !pairs, %c: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = memref.dim %a, %c0 : !pairs
  %k = memref.dim %a, %c1 : !pairs
  %n = memref.dim %b, %c1 : !pairs
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      %sum = affine.for %l = 0 to %k iter_args(%s = %zero) -> f32 {
        %p = affine.load %a[%i, %l, 0] : !pairs
        %q = affine.load %a[%i, %l, 1] : !pairs
        %u = affine.load %b[%l, %j, 0] : !pairs
        %v = affine.load %b[%l, %j, 1] : !pairs
        %pf = arith.extf %p : f16 to f32
        %qf = arith.extf %q : f16 to f32
        %uf = arith.extf %u : f16 to f32
        %vf = arith.extf %v : f16 to f32
        %pu = arith.mulf %pf, %uf : f32
        %qv = arith.mulf %qf, %vf : f32
        %d = arith.subf %pu, %qv : f32
        %t = arith.addf %s, %d : f32
        affine.yield %t : f32
      }
      affine.store %sum, %c[%i, %j] : memref<?x?xf32>
    }
  }
  return
}

// Three columns from and to matrices of three, one of them shifted down.
func.func @columns(%x: memref<?x3xi32> {tile.shape = "Nx3"}, %y: memref<?x3xi32> {tile.shape = "Nx3", tile.result})
    attributes {tile.reference = @columns_reference, tile.cases = ["N=37", "N=1", "N=16", "N=0"]} {
  tile.kernel (%b) in (ceildiv(dim(%x, 0), 16)) {
    tile.padding_value %x, -9
    %r = tile.alloc : memref<16xi32, #tile.shared>
    %s = tile.alloc : memref<16xi32, #tile.shared>
    %t = tile.alloc : memref<16xi32, #tile.shared>
    tile.copy %x[%b * 16, 0] [16, 1], %r
    tile.copy %x[%b * 16 - 1, 1] [16, 1], %s
    tile.copy %x[%b * 16, 2] [16, 1], %t
    tile.parallel (%i) in (16) do %t[%i] = %t[%i] + %r[%i]
    tile.copy %s, %y[%b * 16, 0] [16, 1]
    tile.copy %t, %y[%b * 16, 1] [16, 1]
    tile.copy %r, %y[%b * 16, 2] [16, 1]
  }
  return
}
func.func private @columns_reference(%x: memref<?x3xi32>, %y: memref<?x3xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %none = arith.constant -9 : i32
  %n = memref.dim %x, %c0 : memref<?x3xi32>
  affine.for %i = 0 to %n {
    %before = arith.subi %i, %c1 : index
    %is = arith.cmpi sgt, %i, %c0 : index
    %s = scf.if %is -> i32 {
      %v = memref.load %x[%before, %c1] : memref<?x3xi32>
      scf.yield %v : i32
    } else {
      scf.yield %none : i32
    }
    %r = affine.load %x[%i, 0] : memref<?x3xi32>
    %t = affine.load %x[%i, 2] : memref<?x3xi32>
    %u = arith.addi %t, %r : i32
    affine.store %s, %y[%i, 0] : memref<?x3xi32>
    affine.store %u, %y[%i, 1] : memref<?x3xi32>
    affine.store %r, %y[%i, 2] : memref<?x3xi32>
  }
  return
}

// Columns that are converted on the way: into a tile of one column and into one of one dimension, with padding, as unsigned numbers, and
// out to narrower floats.
func.func @converted(%x: memref<?x5xf16> {tile.shape = "Nx5", tile.init = "integers(-99,99)"}, %u: memref<?x3xi8> {tile.shape = "Nx3", tile.init = "integers(-128,127)"},
                     %k: index {tile.init = "integers(2,2)"}, %y: memref<?x2xf32> {tile.shape = "Nx2", tile.result}, %z: memref<?x7xbf16> {tile.shape = "Nx7", tile.init = "zeros", tile.result})
    attributes {tile.reference = @converted_reference, tile.cases = ["N=1", "N=64", "N=101"]} {
  tile.kernel (%b) in (ceildiv(dim(%x, 0), 64)) {
    %t = tile.alloc : memref<64x1xf32, #tile.shared>
    %s = tile.alloc : memref<64xi32, #tile.shared>
    tile.copy %x[%b * 64, %k], %t
    tile.copy %u[%b * 64, 1] [64, 1], %s {is_unsigned}
    tile.parallel (%i) in (64) do {
      %y[%b * 64 + %i, 0] = %t[%i, 0] * 2.0
      %y[%b * 64 + %i, 1] = f32(%s[%i])
    }
    tile.copy %t, %z[%b * 64, 4]
  }
  return
}
func.func private @converted_reference(%x: memref<?x5xf16>, %u: memref<?x3xi8>, %k: index, %y: memref<?x2xf32>, %z: memref<?x7xbf16>) {
  %c0 = arith.constant 0 : index
  %two = arith.constant 2.0 : f32
  %n = memref.dim %x, %c0 : memref<?x5xf16>
  affine.for %i = 0 to %n {
    %v = memref.load %x[%i, %k] : memref<?x5xf16>
    %w = affine.load %u[%i, 1] : memref<?x3xi8>
    %f = arith.extf %v : f16 to f32
    %twice = arith.mulf %f, %two : f32
    %g = arith.uitofp %w : i8 to f32
    %h = arith.truncf %f : f32 to bf16
    affine.store %twice, %y[%i, 0] : memref<?x2xf32>
    affine.store %g, %y[%i, 1] : memref<?x2xf32>
    affine.store %h, %z[%i, 4] : memref<?x7xbf16>
  }
  return
}
