// Products on the CPU that read global memory and write it themselves: sums that live on while the part of the result that a step
// writes changes, regions that begin before their buffers, and a result that overlaps the left operand.

// REQUIRES: tile-run
// RUN: tile-run %s | FileCheck %s
// CHECK: {{^}}9 passed, 0 failed{{$}}

// The first step writes fewer rows than the second one, which writes what both have summed up.
!rows = memref<?x16xf32>
func.func @carried(%a: memref<64x8xf32> {tile.init = "integers(-3,3)"}, %b: memref<16x16xf32> {tile.init = "integers(-3,3)"},
    %c: !rows {tile.shape = "Rx16", tile.result})
    attributes {tile.reference = @carried_reference, tile.atol = 0.0, tile.rtol = 0.0,
                tile.cases = ["R=40", "R=64", "R=32", "R=7", "R=33"]} {
  tile.kernel (%x) in (1) {
    %as = tile.alloc : memref<32x8xf32, #tile.shared>
    %bs = tile.alloc : memref<8x16xf32, #tile.shared>
    %sum = tile.alloc : memref<32x16xf32, #tile.fragment>
    tile.fill %sum, 0.0
    tile.pipelined %k = 0 to 2 {
      tile.copy %a[%k * 32, 0], %as
      tile.copy %b[%k * 8, 0], %bs
      tile.gemm %as, %bs, %sum
      tile.copy %sum, %c[(1 - %k) * 32, 0]
    }
  }
  return
}
// Sums that the next step writes, before it adds to new ones.
func.func @late(%a: memref<64x8xf32> {tile.init = "integers(-3,3)"}, %b: memref<16x16xf32> {tile.init = "integers(-3,3)"},
    %c: !rows {tile.shape = "Rx16", tile.result})
    attributes {tile.reference = @late_reference, tile.atol = 0.0, tile.rtol = 0.0, tile.cases = ["R=40"]} {
  tile.kernel (%x) in (1) {
    %as = tile.alloc : memref<32x8xf32, #tile.shared>
    %bs = tile.alloc : memref<8x16xf32, #tile.shared>
    %sum = tile.alloc : memref<32x16xf32, #tile.fragment>
    tile.fill %sum, 0.0
    tile.pipelined %k = 0 to 2 {
      tile.copy %sum, %c[(1 - %k) * 32, 0]
      tile.fill %sum, 0.0
      tile.copy %a[%k * 32, 0], %as
      tile.copy %b[%k * 8, 0], %bs
      tile.gemm %as, %bs, %sum
    }
  }
  return
}
func.func private @carried_reference(%a: memref<64x8xf32>, %b: memref<16x16xf32>, %c: !rows) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %r = memref.dim %c, %c0 : !rows
  affine.for %i = 0 to %r {
    affine.for %j = 0 to 16 {
      // Rows from 32 on are of the first step; those before are of both.
      %sum = affine.for %l = 0 to affine_map<(i) -> (16 - 8 * (i floordiv 32))>(%i) iter_args(%old = %zero) -> f32 {
        %x = affine.load %a[%i mod 32 + 32 * (%l floordiv 8), %l mod 8] : memref<64x8xf32>
        %y = affine.load %b[%l, %j] : memref<16x16xf32>
        %xy = arith.mulf %x, %y : f32
        %new = arith.addf %old, %xy : f32
        affine.yield %new : f32
      }
      affine.store %sum, %c[%i, %j] : !rows
    }
  }
  return
}
func.func private @late_reference(%a: memref<64x8xf32>, %b: memref<16x16xf32>, %c: !rows) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %r = memref.dim %c, %c0 : !rows
  affine.for %i = 0 to %r {
    affine.for %j = 0 to 16 {
      %sum = affine.for %l = 0 to affine_map<(i) -> (8 - 8 * (i floordiv 32))>(%i) iter_args(%old = %zero) -> f32 {
        %x = affine.load %a[%i mod 32, %l] : memref<64x8xf32>
        %y = affine.load %b[%l, %j] : memref<16x16xf32>
        %xy = arith.mulf %x, %y : f32
        %new = arith.addf %old, %xy : f32
        affine.yield %new : f32
      }
      affine.store %sum, %c[%i, %j] : !rows
    }
  }
  return
}

// Regions that begin before their buffers, by numbers.
func.func @before(%a: memref<16x512xf32> {tile.init = "integers(-3,3)"}, %b: memref<512x16xf32> {tile.init = "integers(-3,3)"},
    %c: memref<16x16xf32> {tile.init = "zeros", tile.result})
    attributes {tile.reference = @before_reference, tile.atol = 0.0, tile.rtol = 0.0} {
  tile.kernel (%x) in (1) {
    %as = tile.alloc : memref<16x512xf32, #tile.shared>
    %bs = tile.alloc : memref<512x16xf32, #tile.shared>
    %sum = tile.alloc : memref<16x16xf32, #tile.fragment>
    tile.fill %sum, 0.0
    tile.pipelined %k = 0 to 1 {
      tile.copy %a[-3, 0], %as
      tile.copy %b, %bs
      tile.gemm %as, %bs, %sum
    }
    tile.copy %sum, %c[-5, -1]
  }
  return
}
func.func private @before_reference(%a: memref<16x512xf32>, %b: memref<512x16xf32>, %c: memref<16x16xf32>) {
  affine.for %i = 0 to 11 {
    affine.for %j = 0 to 15 {
      affine.for %l = 0 to 512 {
        %x = affine.load %a[%i + 2, %l] : memref<16x512xf32>
        %y = affine.load %b[%l, %j + 1] : memref<512x16xf32>
        %old = affine.load %c[%i, %j] : memref<16x16xf32>
        %xy = arith.mulf %x, %y : f32
        %new = arith.addf %old, %xy : f32
        affine.store %new, %c[%i, %j] : memref<16x16xf32>
      }
    }
  }
  return
}

// Rows of the result are rows of the left operand that the same product still reads.
func.func @overlap(%a: memref<?x512xf32> {tile.shape = "Mx512", tile.init = "integers(-3,3)", tile.result},
    %b: memref<512x32xf32> {tile.init = "integers(-3,3)"})
    attributes {tile.reference = @overlap_reference, tile.atol = 0.0, tile.rtol = 0.0, tile.cases = ["M=19", "M=14"]} {
  tile.kernel (%x) in (1) {
    %as = tile.alloc : memref<16x512xf32, #tile.shared>
    %bs = tile.alloc : memref<512x32xf32, #tile.shared>
    %sum = tile.alloc : memref<16x32xf32, #tile.fragment>
    tile.fill %sum, 0.0
    tile.pipelined %k = 0 to 1 {
      tile.copy %a[0, 0], %as
      tile.copy %b, %bs
      tile.gemm %as, %bs, %sum
    }
    tile.copy %sum, %a[3, 8]
  }
  return
}
func.func private @overlap_reference(%a: memref<?x512xf32>, %b: memref<512x32xf32>) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %m = memref.dim %a, %c0 : memref<?x512xf32>
  %sums = memref.alloc() : memref<16x32xf32>
  affine.for %i = 0 to min affine_map<()[m] -> (16, m)>()[%m] {
    affine.for %j = 0 to 32 {
      %sum = affine.for %l = 0 to 512 iter_args(%old = %zero) -> f32 {
        %x = affine.load %a[%i, %l] : memref<?x512xf32>
        %y = affine.load %b[%l, %j] : memref<512x32xf32>
        %xy = arith.mulf %x, %y : f32
        %new = arith.addf %old, %xy : f32
        affine.yield %new : f32
      }
      affine.store %sum, %sums[%i, %j] : memref<16x32xf32>
    }
  }
  affine.for %i = 0 to min affine_map<()[m] -> (16, m - 3)>()[%m] {
    affine.for %j = 0 to 32 {
      %sum = affine.load %sums[%i, %j] : memref<16x32xf32>
      affine.store %sum, %a[%i + 3, %j + 8] : memref<?x512xf32>
    }
  }
  memref.dealloc %sums : memref<16x32xf32>
  return
}
