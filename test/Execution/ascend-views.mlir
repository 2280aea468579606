// REQUIRES: tile-run
// RUN: tile-run --target=ascend %s | FileCheck %s

// A tile of three dimensions that the vector cores make is an operand as a matrix, and a product's result a tile of three
// dimensions again; the buffers have tails in all of them.

// CHECK-NOT: FAIL
// CHECK: {{^}}2 passed, 0 failed

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
