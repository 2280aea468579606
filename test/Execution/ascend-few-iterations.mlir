// REQUIRES: tile-run
// RUN: tile-run --target=ascend %s | FileCheck %s
// RUN: tile-run --target=ascend --chip=950 %s | FileCheck %s

// Loops of both cores whose number of iterations depends on the block, and is known to be small since the grid is: an iteration that no block
// has needs no flag, and is none of those that the proof of the order tries.

// CHECK-NOT: FAIL
// CHECK: {{^}}3 passed, 0 failed

!matrix = memref<80x32xf16>
!result = memref<80x32xf32>

// As many products as the block has a number, and one.
func.func @growing(%q: !matrix {tile.init = "integers(-2, 2)"}, %k: !matrix {tile.init = "integers(-2, 2)"},
    %v: !matrix {tile.init = "integers(-2, 2)"}, %o: !result {tile.result})
    attributes {tile.reference = @growing_reference, tile.atol = 0.0, tile.rtol = 0.0} {
  tile.kernel (%b) in (3) threads(64) {
    %qs = tile.alloc : memref<32x32xf16, #tile.shared>
    %ks = tile.alloc : memref<16x32xf16, #tile.shared>
    %vs = tile.alloc : memref<16x32xf16, #tile.shared>
    %s = tile.alloc : memref<32x16xf32, #tile.fragment>
    %p = tile.alloc : memref<32x16xf16, #tile.fragment>
    %acc = tile.alloc : memref<32x32xf32, #tile.fragment>
    tile.copy %q[%b * 32, 0], %qs
    tile.fill %acc, 0.0
    tile.pipelined %t = 0 to %b + 1 stages(2) {
      tile.copy %k[%t * 16, 0], %ks
      tile.gemm %qs, %ks, %s {clear, transpose_b}
      tile.copy %s, %p
      tile.copy %v[%t * 16, 0], %vs
      tile.gemm %p, %vs, %acc
    }
    tile.copy %acc, %o[%b * 32, 0]
  }
  return
}
func.func private @growing_reference(%q: !matrix, %k: !matrix, %v: !matrix, %o: !result) {
  %zero = arith.constant 0.0 : f32
  affine.for %i = 0 to 80 {
    affine.for %j = 0 to 32 {
      %sum = affine.for %t = max affine_map<(i) -> (0)>(%i) to min affine_map<(i) -> (i floordiv 32 + 1)>(%i) iter_args(%all = %zero) -> f32 {
        %part = affine.for %r = 0 to 16 iter_args(%old = %all) -> f32 {
          %score = affine.for %d = 0 to 32 iter_args(%dot = %zero) -> f32 {
            %x = affine.load %q[%i, %d] : !matrix
            %y = affine.load %k[%t * 16 + %r, %d] : !matrix
            %xf = arith.extf %x : f16 to f32
            %yf = arith.extf %y : f16 to f32
            %m = arith.mulf %xf, %yf : f32
            %n = arith.addf %dot, %m : f32
            affine.yield %n : f32
          }
          %w = affine.load %v[%t * 16 + %r, %j] : !matrix
          %wf = arith.extf %w : f16 to f32
          %m = arith.mulf %score, %wf : f32
          %n = arith.addf %old, %m : f32
          affine.yield %n : f32
        }
        affine.yield %part : f32
      }
      affine.store %sum, %o[%i, %j] : !result
    }
  }
  return
}

// From the block's number on, with sums on the vector cores.
func.func @moving(%q: !matrix {tile.init = "integers(-2, 2)"}, %k: !matrix {tile.init = "integers(-2, 2)"},
    %v: !matrix {tile.init = "integers(-2, 2)"}, %o: !result {tile.result})
    attributes {tile.reference = @moving_reference, tile.atol = 0.0, tile.rtol = 0.0} {
  tile.kernel (%b) in (3) threads(64) {
    %qs = tile.alloc : memref<32x32xf16, #tile.shared>
    %ks = tile.alloc : memref<16x32xf16, #tile.shared>
    %vs = tile.alloc : memref<16x32xf16, #tile.shared>
    %s = tile.alloc : memref<32x16xf32, #tile.fragment>
    %p = tile.alloc : memref<32x16xf16, #tile.fragment>
    %acc = tile.alloc : memref<32x32xf32, #tile.fragment>
    tile.copy %q[%b * 32, 0], %qs
    tile.fill %acc, 0.0
    tile.pipelined %t = %b to %b * 2 + 1 stages(2) {
      tile.copy %k[%t * 16, 0], %ks
      tile.gemm %qs, %ks, %s {clear, transpose_b}
      tile.parallel (%i, %j) in (32, 32) do %acc[%i, %j] = %acc[%i, %j] + %acc[%i, %j]
      tile.copy %s, %p
      tile.copy %v[%t * 16, 0], %vs
      tile.gemm %p, %vs, %acc
    }
    tile.copy %acc, %o[%b * 32, 0]
  }
  return
}
func.func private @moving_reference(%q: !matrix, %k: !matrix, %v: !matrix, %o: !result) {
  %zero = arith.constant 0.0 : f32
  affine.for %i = 0 to 80 {
    affine.for %j = 0 to 32 {
      %sum = affine.for %t = max affine_map<(i) -> (i floordiv 32)>(%i) to min affine_map<(i) -> (i floordiv 32 * 2 + 1)>(%i) iter_args(%all = %zero) -> f32 {
        %twice = arith.addf %all, %all : f32
        %part = affine.for %r = 0 to 16 iter_args(%old = %twice) -> f32 {
          %score = affine.for %d = 0 to 32 iter_args(%dot = %zero) -> f32 {
            %x = affine.load %q[%i, %d] : !matrix
            %y = affine.load %k[%t * 16 + %r, %d] : !matrix
            %xf = arith.extf %x : f16 to f32
            %yf = arith.extf %y : f16 to f32
            %m = arith.mulf %xf, %yf : f32
            %n = arith.addf %dot, %m : f32
            affine.yield %n : f32
          }
          %w = affine.load %v[%t * 16 + %r, %j] : !matrix
          %wf = arith.extf %w : f16 to f32
          %m = arith.mulf %score, %wf : f32
          %n = arith.addf %old, %m : f32
          affine.yield %n : f32
        }
        affine.yield %part : f32
      }
      affine.store %sum, %o[%i, %j] : !result
    }
  }
  return
}

// The tiles next to those of the block, as of a window that slides.
func.func @window(%q: !matrix {tile.init = "integers(-2, 2)"}, %k: !matrix {tile.init = "integers(-2, 2)"},
    %v: !matrix {tile.init = "integers(-2, 2)"}, %o: !result {tile.result})
    attributes {tile.reference = @window_reference, tile.atol = 0.0, tile.rtol = 0.0} {
  tile.kernel (%b) in (3) threads(64) {
    %qs = tile.alloc : memref<32x32xf16, #tile.shared>
    %ks = tile.alloc : memref<16x32xf16, #tile.shared>
    %vs = tile.alloc : memref<16x32xf16, #tile.shared>
    %s = tile.alloc : memref<32x16xf32, #tile.fragment>
    %p = tile.alloc : memref<32x16xf16, #tile.fragment>
    %acc = tile.alloc : memref<32x32xf32, #tile.fragment>
    tile.copy %q[%b * 32, 0], %qs
    tile.fill %acc, 0.0
    tile.pipelined %t = max(%b * 2 - 2, 0) to min(%b * 2 + 2, 5) stages(2) {
      tile.copy %k[%t * 16, 0], %ks
      tile.gemm %qs, %ks, %s {clear, transpose_b}
      tile.copy %s, %p
      tile.copy %v[%t * 16, 0], %vs
      tile.gemm %p, %vs, %acc
    }
    tile.copy %acc, %o[%b * 32, 0]
  }
  return
}
func.func private @window_reference(%q: !matrix, %k: !matrix, %v: !matrix, %o: !result) {
  %zero = arith.constant 0.0 : f32
  affine.for %i = 0 to 80 {
    affine.for %j = 0 to 32 {
      %sum = affine.for %t = max affine_map<(i) -> (i floordiv 32 * 2 - 2, 0)>(%i) to min affine_map<(i) -> (i floordiv 32 * 2 + 2, 5)>(%i) iter_args(%all = %zero) -> f32 {
        %part = affine.for %r = 0 to 16 iter_args(%old = %all) -> f32 {
          %score = affine.for %d = 0 to 32 iter_args(%dot = %zero) -> f32 {
            %x = affine.load %q[%i, %d] : !matrix
            %y = affine.load %k[%t * 16 + %r, %d] : !matrix
            %xf = arith.extf %x : f16 to f32
            %yf = arith.extf %y : f16 to f32
            %m = arith.mulf %xf, %yf : f32
            %n = arith.addf %dot, %m : f32
            affine.yield %n : f32
          }
          %w = affine.load %v[%t * 16 + %r, %j] : !matrix
          %wf = arith.extf %w : f16 to f32
          %m = arith.mulf %score, %wf : f32
          %n = arith.addf %old, %m : f32
          affine.yield %n : f32
        }
        affine.yield %part : f32
      }
      affine.store %sum, %o[%i, %j] : !result
    }
  }
  return
}
