// REQUIRES: tile-run
// RUN: tile-run --target=ascend %s | FileCheck %s
// RUN: tile-run --target=ascend --chip=950 %s | FileCheck %s

// A tile of three dimensions that the vector cores make is an operand as a matrix, and a product's result a tile of three
// dimensions again; the buffers have tails in all of them. A row is a matrix of shorter rows and back, in place.

// CHECK-NOT: FAIL
// CHECK: {{^}}8 passed, 0 failed

!block = memref<?x?x?xf16>
func.func @views(%x: !block {tile.shape = "AxBxK"}, %w: memref<?x?xf16> {tile.shape = "KxN"}, %y: memref<?x?x?xf32> {tile.shape = "AxBxN", tile.result})
    attributes {tile.reference = @views_reference, tile.atol = 1.0e-3, tile.rtol = 1.0e-3, tile.cases = ["A=3 B=9 K=30 N=20", "A=4 B=8 K=32 N=32"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %two = arith.constant 2.0 : f16
  %a = memref.dim %x, %c0 : !block
  %b = memref.dim %x, %c1 : !block
  %as = affine.apply affine_map<(n) -> (n ceildiv 2)>(%a)
  %bs = affine.apply affine_map<(n) -> (n ceildiv 8)>(%b)
  tile.kernel (%i, %j) in (%as, %bs) {
    %xs = tile.alloc : memref<2x8x32xf16, #tile.shared>
    %ws = tile.alloc : memref<32x32xf16, #tile.shared>
    %acc = tile.alloc : memref<16x32xf32, #tile.fragment>
    tile.copy %x[%i * 2, %j * 8, 0], %xs : !block, memref<2x8x32xf16, #tile.shared>
    tile.copy %w[0, 0], %ws : memref<?x?xf16>, memref<32x32xf16, #tile.shared>
    tile.parallel (%p, %q, %k) in (2, 8, 32) {
      %v = memref.load %xs[%p, %q, %k] : memref<2x8x32xf16, #tile.shared>
      %d = arith.mulf %v, %two : f16
      memref.store %d, %xs[%p, %q, %k] : memref<2x8x32xf16, #tile.shared>
    }
    %flat = tile.reshape %xs : memref<2x8x32xf16, #tile.shared> to memref<16x32xf16, #tile.shared>
    tile.gemm %flat, %ws, %acc {clear} : memref<16x32xf16, #tile.shared>, memref<32x32xf16, #tile.shared>, memref<16x32xf32, #tile.fragment>
    %t = tile.reshape %acc : memref<16x32xf32, #tile.fragment> to memref<2x8x32xf32, #tile.fragment>
    tile.copy %t, %y[%i * 2, %j * 8, 0] : memref<2x8x32xf32, #tile.fragment>, memref<?x?x?xf32>
  }
  return
}
func.func @views_reference(%x: !block, %w: memref<?x?xf16>, %y: memref<?x?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %two = arith.constant 2.0 : f32
  %a = memref.dim %x, %c0 : !block
  %b = memref.dim %x, %c1 : !block
  %k = memref.dim %w, %c0 : memref<?x?xf16>
  %n = memref.dim %w, %c1 : memref<?x?xf16>
  affine.for %i = 0 to %a {
    affine.for %j = 0 to %b {
      affine.for %f = 0 to %n {
        %sum = affine.for %l = 0 to %k iter_args(%old = %zero) -> f32 {
          %u = affine.load %x[%i, %j, %l] : !block
          %v = affine.load %w[%l, %f] : memref<?x?xf16>
          %ud = arith.extf %u : f16 to f32
          %vd = arith.extf %v : f16 to f32
          %p = arith.mulf %ud, %vd : f32
          %q = arith.mulf %p, %two : f32
          %next = arith.addf %old, %q : f32
          affine.yield %next : f32
        }
        affine.store %sum, %y[%i, %j, %f] : memref<?x?x?xf32>
      }
    }
  }
  return
}

!lines = memref<?x512xf16>
// What is loaded as a row is changed as 8 rows, summed up as 2 x 8 x 32 and stored as a row; each iteration loads another one.
func.func @rows(%x: !lines {tile.shape = "Mx512"}, %y: !lines {tile.shape = "Mx512", tile.result}, %z: memref<?x2x8xf32> {tile.shape = "Mx2x8", tile.result})
    attributes {tile.reference = @rows_reference, tile.atol = 1.0e-4, tile.rtol = 1.0e-4, tile.cases = ["M=1", "M=2", "M=7"]} {
  tile.kernel (%b) in (1) {
    %row = tile.alloc : memref<512xf16, #tile.shared>
    %short = tile.reshape %row : memref<512xf16, #tile.shared> to memref<8x64xf16, #tile.shared>
    %wide = tile.alloc : memref<8x64xf32, #tile.fragment>
    %cube = tile.reshape %wide : memref<8x64xf32, #tile.fragment> to memref<2x8x32xf32, #tile.fragment>
    %sums = tile.alloc : memref<2x8xf32, #tile.fragment>
    tile.pipelined %i = 0 to dim(%x, 0) stages(2) {
      tile.copy %x[%i, 0], %row
      tile.parallel (%r, %c) in (8, 64) do {
        %v = f32(%short[%r, %c]) + f32(i32(%r))
        %wide[%r, %c] = %v
        %short[%r, %c] = f16(%v)
      }
      tile.reduce sum %cube, %sums dim(2)
      tile.copy %sums, %z[%i, 0, 0]
      tile.copy %row, %y[%i, 0]
    }
  }
  return
}
func.func @rows_reference(%x: !lines, %y: !lines, %z: memref<?x2x8xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %m = memref.dim %x, %c0 : !lines
  affine.for %i = 0 to %m {
    affine.for %p = 0 to 16 {
      %sum = affine.for %q = 0 to 32 iter_args(%old = %zero) -> f32 {
        %u = affine.load %x[%i, %p * 32 + %q] : !lines
        %r = affine.apply affine_map<(p) -> (p floordiv 2)>(%p)
        %ri = arith.index_cast %r : index to i32
        %rf = arith.sitofp %ri : i32 to f32
        %uf = arith.extf %u : f16 to f32
        %v = arith.addf %uf, %rf : f32
        %h = arith.truncf %v : f32 to f16
        affine.store %h, %y[%i, %p * 32 + %q] : !lines
        %next = arith.addf %old, %v : f32
        affine.yield %next : f32
      }
      affine.store %sum, %z[%i, %p floordiv 8, %p mod 8] : memref<?x2x8xf32>
    }
  }
  return
}

// Rows of 8 elements of f32 fill whole blocks of 32 bytes.
func.func @turns(%x: memref<?x16x8xf32> {tile.shape = "Mx16x8"}, %y: memref<?x128xf32> {tile.shape = "Mx128", tile.result})
    attributes {tile.reference = @turns_reference, tile.atol = 0.0, tile.rtol = 0.0, tile.cases = ["M=1", "M=3", "M=4"]} {
  tile.kernel (%b) in (dim(%x, 0)) {
    %t = tile.alloc : memref<16x8xf32, #tile.shared>
    %flat = tile.reshape %t : memref<16x8xf32, #tile.shared> to memref<128xf32, #tile.shared>
    %two = tile.reshape %flat : memref<128xf32, #tile.shared> to memref<2x64xf32, #tile.shared>
    tile.copy %x[%b, 0, 0], %t
    tile.parallel (%i, %j) in (2, 64) do %two[%i, %j] = %two[%i, %j] * 2.0
    tile.copy %flat, %y[%b, 0]
  }
  return
}
func.func @turns_reference(%x: memref<?x16x8xf32>, %y: memref<?x128xf32>) {
  %c0 = arith.constant 0 : index
  %two = arith.constant 2.0 : f32
  %m = memref.dim %x, %c0 : memref<?x16x8xf32>
  affine.for %b = 0 to %m {
    affine.for %i = 0 to 128 {
      %v = affine.load %x[%b, %i floordiv 8, %i mod 8] : memref<?x16x8xf32>
      %d = arith.mulf %v, %two : f32
      affine.store %d, %y[%b, %i] : memref<?x128xf32>
    }
  }
  return
}
