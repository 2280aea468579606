// Memory of static shape that is seen as another one, where it is read, written, multiplied, and by elements: by `tile.reshape` and by
// the views that bufferization leaves, outside and inside of kernels, with tiles past its end.

// REQUIRES: tile-run
// RUN: tile-run %s | FileCheck %s
// RUN: tile-run --target=ascend %s | FileCheck %s
// RUN: tile-run --target=ascend --chip=950 %s | FileCheck %s
// RUN: tile-run --target=cuda --chip=sm_90a --device=model %s | FileCheck %s
// RUN: tile-run --target=hip --chip=gfx942 --device=model %s | FileCheck %s

// CHECK-NOT: FAIL
// CHECK: {{^}}4 passed, 0 failed

!cube = memref<5x4x6xf32>
!matrix = memref<20x6xf32>
func.func @rows(%x: !cube, %y: !matrix {tile.result}) attributes {tile.reference = @rows_reference, tile.atol = 0.0, tile.rtol = 0.0} {
  %rows = tile.reshape %x : !cube to !matrix
  tile.kernel (%b) in (3) {
    %t = tile.alloc : memref<8x8xf32, #tile.fragment>
    tile.copy %rows[%b * 8, 0], %t
    tile.parallel (%i, %j) in (8, 8) do %t[%i, %j] = %t[%i, %j] * 2.0 + %rows[%i, %j]
    tile.copy %t, %y[%b * 8, 0]
  }
  return
}

func.func @rows_inside(%x: !cube, %y: !matrix {tile.result}) attributes {tile.reference = @rows_reference, tile.atol = 0.0, tile.rtol = 0.0} {
  tile.kernel (%b) in (3) {
    %rows = tile.reshape %x : !cube to !matrix
    %t = tile.alloc : memref<8x8xf32, #tile.fragment>
    tile.copy %rows[%b * 8, 0], %t
    tile.parallel (%i, %j) in (8, 8) do %t[%i, %j] = %t[%i, %j] * 2.0 + %rows[%i, %j]
    tile.copy %t, %y[%b * 8, 0]
  }
  return
}

func.func private @rows_reference(%x: !cube, %y: !matrix) {
  %two = arith.constant 2.0 : f32
  affine.for %i = 0 to 20 {
    affine.for %j = 0 to 6 {
      %v = affine.load %x[%i floordiv 4, %i mod 4, %j] : !cube
      %w = affine.load %x[(%i mod 8) floordiv 4, %i mod 4, %j] : !cube
      %p = arith.mulf %v, %two : f32
      %s = arith.addf %p, %w : f32
      affine.store %s, %y[%i, %j] : !matrix
    }
  }
  return
}

// What a frontend makes of a result that is kept with a dimension of 1.
func.func @column(%x: memref<7x5xf32>, %y: memref<7x1xf32> {tile.result}, %z: memref<7x5xf32> {tile.result})
    attributes {tile.reference = @column_reference, tile.atol = 0.0, tile.rtol = 0.0} {
  %flat = memref.collapse_shape %y [[0, 1]] : memref<7x1xf32> into memref<7xf32>
  tile.kernel (%b) in (1) {
    tile.parallel (%i) in (7) do %flat[%i] = %x[%i, 0] * 4.0
    tile.parallel (%i, %j) in (7, 5) do %z[%i, %j] = %x[%i, %j] - %x[%i, 0]
  }
  return
}

func.func private @column_reference(%x: memref<7x5xf32>, %y: memref<7x1xf32>, %z: memref<7x5xf32>) {
  %four = arith.constant 4.0 : f32
  affine.for %i = 0 to 7 {
    %first = affine.load %x[%i, 0] : memref<7x5xf32>
    %p = arith.mulf %first, %four : f32
    affine.store %p, %y[%i, 0] : memref<7x1xf32>
    affine.for %j = 0 to 5 {
      %v = affine.load %x[%i, %j] : memref<7x5xf32>
      %d = arith.subf %v, %first : f32
      affine.store %d, %z[%i, %j] : memref<7x5xf32>
    }
  }
  return
}

!left = memref<2x16x32xf16>
!right = memref<32x4x8xf16>
!product = memref<4x8x32xf32>
func.func @multiplied(%x: !left {tile.init = "integers(-4, 5)"}, %w: !right {tile.init = "integers(-4, 5)"}, %y: !product {tile.result})
    attributes {tile.reference = @multiplied_reference, tile.atol = 0.0, tile.rtol = 0.0} {
  %a = tile.reshape %x : !left to memref<32x32xf16>
  %b = memref.collapse_shape %w [[0], [1, 2]] : !right into memref<32x32xf16>
  %c = tile.reshape %y : !product to memref<32x32xf32>
  tile.kernel (%g) in (1) {
    %as = tile.alloc : memref<32x32xf16, #tile.shared>
    %bs = tile.alloc : memref<32x32xf16, #tile.shared>
    %acc = tile.alloc : memref<32x32xf32, #tile.fragment>
    tile.copy %a, %as
    tile.copy %b, %bs
    tile.gemm %as, %bs, %acc {clear}
    tile.copy %acc, %c
  }
  return
}

func.func private @multiplied_reference(%x: !left, %w: !right, %y: !product) {
  %zero = arith.constant 0.0 : f32
  affine.for %i = 0 to 32 {
    affine.for %j = 0 to 32 {
      %sum = affine.for %k = 0 to 32 iter_args(%old = %zero) -> f32 {
        %u = affine.load %x[%i floordiv 16, %i mod 16, %k] : !left
        %v = affine.load %w[%k, %j floordiv 8, %j mod 8] : !right
        %ue = arith.extf %u : f16 to f32
        %ve = arith.extf %v : f16 to f32
        %p = arith.mulf %ue, %ve : f32
        %next = arith.addf %old, %p : f32
        affine.yield %next : f32
      }
      affine.store %sum, %y[%i floordiv 8, %i mod 8, %j] : !product
    }
  }
  return
}
