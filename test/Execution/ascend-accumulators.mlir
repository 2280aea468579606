// REQUIRES: tile-run
// RUN: tile-run --target=ascend %s | FileCheck %s
// RUN: tile-run --target=ascend --chip=950 %s | FileCheck %s
// RUN: %python %S/Inputs/gemm.py > %t.mlir
// RUN: tile-run --target=ascend --func=gemm_0_0 --func=gemm_0_2 --func=gemm_1_1 --func=gemm_1_2 --func=gemm_3_2 %t.mlir | FileCheck %s --check-prefix=ONE
// RUN: tile-run --target=ascend --chip=950 --func=gemm_0_0 --func=gemm_0_2 --func=gemm_1_1 --func=gemm_1_2 --func=gemm_3_2 %t.mlir | FileCheck %s --check-prefix=ONE

// Accumulators that the vector unit holds: loaded and stored, so that a block has one vector core; cleared under a
// condition; of types that are rounded after each product; of one element, row or column.

// CHECK-NOT: FAIL
// CHECK: {{^}}9 passed, 0 failed
// ONE-NOT: FAIL
// ONE: {{^}}5 passed, 0 failed

// The sum of the blocks of K from the last multiple of 3 on, and twice that: a condition clears the accumulator.
func.func @clear_in_loop(%a: memref<33x?xf16> {tile.shape = "33xK", tile.init = "integers(-8,8)"},
    %b: memref<?x24xf16> {tile.shape = "Kx24", tile.init = "integers(-8,8)"},
    %c: memref<33x24xf32> {tile.result, tile.init = "zeros"})
    attributes {tile.reference = @clear_in_loop_reference, tile.atol = 0.0, tile.rtol = 0.0,
                tile.cases = ["K=0", "K=16", "K=80", "K=112"]} {
  tile.kernel (%block) in (1) {
    %as = tile.alloc : memref<33x16xf16, #tile.shared>
    %bs = tile.alloc : memref<16x24xf16, #tile.shared>
    %acc = tile.alloc : memref<33x24xf32, #tile.fragment>
    tile.fill %acc, 0.0
    tile.pipelined %t = 0 to ceildiv(dim(%a, 1), 16) stages(2) {
      tile.copy %a[0, %t * 16], %as
      tile.copy %b[%t * 16, 0], %bs
      %r = affine.apply affine_map<(t) -> (t mod 3)>(%t)
      %none = arith.constant 0 : index
      %first = arith.cmpi eq, %r, %none : index
      tile.gemm %as, %bs, %acc clear_if(%first)
    }
    tile.parallel (%i, %j) in (33, 24) do %acc[%i, %j] = %acc[%i, %j] * 2.0
    tile.copy %acc, %c
  }
  return
}

func.func @clear_in_loop_reference(%a: memref<33x?xf16>, %b: memref<?x24xf16>, %c: memref<33x24xf32>) {
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %two = arith.constant 2.0 : f32
  %k = memref.dim %a, %c1 : memref<33x?xf16>
  %begin = affine.apply affine_map<(k) -> (((k - 1) floordiv 48) * 48)>(%k)
  affine.for %i = 0 to 33 {
    affine.for %j = 0 to 24 {
      %sum = affine.for %l = max affine_map<(n) -> (n, 0)>(%begin) to %k iter_args(%old = %zero) -> f32 {
        %x = memref.load %a[%i, %l] : memref<33x?xf16>
        %y = memref.load %b[%l, %j] : memref<?x24xf16>
        %xw = arith.extf %x : f16 to f32
        %yw = arith.extf %y : f16 to f32
        %p = arith.mulf %xw, %yw : f32
        %next = arith.addf %old, %p : f32
        affine.yield %next : f32
      }
      %r = arith.mulf %sum, %two : f32
      memref.store %r, %c[%i, %j] : memref<33x24xf32>
    }
  }
  return
}

// Each product is rounded to the type of the accumulator: 2048 + 1 = 2048 in f16, for any number of ones.
func.func @rounded(%a: memref<32x?xf16> {tile.shape = "32xK", tile.init = "ones"},
    %b: memref<?x32xf16> {tile.shape = "Kx32", tile.init = "ones"}, %c: memref<32x32xf16> {tile.result})
    attributes {tile.reference = @rounded_reference, tile.atol = 0.0, tile.rtol = 0.0, tile.cases = ["K=0", "K=3", "K=9"]} {
  tile.kernel (%block) in (1) {
    %as = tile.alloc : memref<32x1xf16, #tile.shared>
    %bs = tile.alloc : memref<1x32xf16, #tile.shared>
    %acc = tile.alloc : memref<32x32xf16, #tile.fragment>
    tile.fill %acc, 2044.0
    tile.pipelined %t = 0 to dim(%a, 1) stages(2) {
      tile.copy %a[0, %t], %as
      tile.copy %b[%t, 0], %bs
      tile.gemm %as, %bs, %acc
    }
    tile.copy %acc, %c
  }
  return
}

func.func @rounded_reference(%a: memref<32x?xf16>, %b: memref<?x32xf16>, %c: memref<32x32xf16>) {
  %c1 = arith.constant 1 : index
  %k = memref.dim %a, %c1 : memref<32x?xf16>
  %start = arith.constant 2044.0 : f16
  %sum = affine.for %l = 0 to %k iter_args(%old = %start) -> f16 {
    %one = arith.constant 1.0 : f16
    %next = arith.addf %old, %one : f16
    affine.yield %next : f16
  }
  affine.for %i = 0 to 32 {
    affine.for %j = 0 to 32 {
      memref.store %sum, %c[%i, %j] : memref<32x32xf16>
    }
  }
  return
}

// One query, as in decoding: scores of one row go from the cube to the vector cores and back.
func.func @one_row(%q: memref<1x64xf16> {tile.init = "integers(-3,3)"}, %k: memref<48x64xf16> {tile.init = "integers(-3,3)"},
    %v: memref<48x80xf16> {tile.init = "integers(-3,3)"}, %o: memref<1x80xf32> {tile.result})
    attributes {tile.reference = @one_row_reference, tile.atol = 0.0, tile.rtol = 0.0} {
  tile.kernel (%block) in (1) {
    %qs = tile.alloc : memref<1x64xf16, #tile.shared>
    %ks = tile.alloc : memref<48x64xf16, #tile.shared>
    %vs = tile.alloc : memref<48x80xf16, #tile.shared>
    %s = tile.alloc : memref<1x48xf32, #tile.fragment>
    %p = tile.alloc : memref<1x48xf16, #tile.fragment>
    %r = tile.alloc : memref<1x80xf32, #tile.fragment>
    tile.copy %q, %qs
    tile.copy %k, %ks
    tile.copy %v, %vs
    tile.gemm %qs, %ks, %s {clear, transpose_b}
    tile.parallel (%i, %j) in (1, 48) do %s[%i, %j] = %s[%i, %j] + 1.0
    tile.copy %s, %p
    tile.gemm %p, %vs, %r {clear}
    tile.parallel (%i, %j) in (1, 80) do %r[%i, %j] = %r[%i, %j] * 0.5
    tile.copy %r, %o
  }
  return
}

func.func @one_row_reference(%q: memref<1x64xf16>, %k: memref<48x64xf16>, %v: memref<48x80xf16>, %o: memref<1x80xf32>) {
  %one = arith.constant 1.0 : f32
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  affine.for %j = 0 to 80 {
    %sum = affine.for %t = 0 to 48 iter_args(%all = %zero) -> f32 {
      %score = affine.for %d = 0 to 64 iter_args(%old = %one) -> f32 {
        %x = affine.load %q[0, %d] : memref<1x64xf16>
        %y = affine.load %k[%t, %d] : memref<48x64xf16>
        %xw = arith.extf %x : f16 to f32
        %yw = arith.extf %y : f16 to f32
        %p = arith.mulf %xw, %yw : f32
        %next = arith.addf %old, %p : f32
        affine.yield %next : f32
      }
      %w = affine.load %v[%t, %j] : memref<48x80xf16>
      %ww = arith.extf %w : f16 to f32
      %p = arith.mulf %score, %ww : f32
      %next = arith.addf %all, %p : f32
      affine.yield %next : f32
    }
    %r = arith.mulf %sum, %half : f32
    affine.store %r, %o[0, %j] : memref<1x80xf32>
  }
  return
}

// A matrix times a vector, with a function of each sum: a column goes from core to core.
func.func @one_column(%a: memref<64x48xf16> {tile.init = "integers(-3,3)"}, %b: memref<48x1xf16> {tile.init = "integers(-3,3)"},
    %c: memref<64x1xf32> {tile.result})
    attributes {tile.reference = @one_column_reference, tile.atol = 0.0, tile.rtol = 0.0} {
  tile.kernel (%block) in (1) {
    %as = tile.alloc : memref<64x48xf16, #tile.shared>
    %bs = tile.alloc : memref<48x1xf16, #tile.shared>
    %r = tile.alloc : memref<64x1xf32, #tile.fragment>
    tile.copy %a, %as
    tile.copy %b, %bs
    tile.gemm %as, %bs, %r {clear}
    tile.parallel (%i, %j) in (64, 1) do %r[%i, %j] = %r[%i, %j] + 1.0
    tile.copy %r, %c
  }
  return
}

func.func @one_column_reference(%a: memref<64x48xf16>, %b: memref<48x1xf16>, %c: memref<64x1xf32>) {
  %one = arith.constant 1.0 : f32
  affine.for %i = 0 to 64 {
    %sum = affine.for %l = 0 to 48 iter_args(%old = %one) -> f32 {
      %x = affine.load %a[%i, %l] : memref<64x48xf16>
      %y = affine.load %b[%l, 0] : memref<48x1xf16>
      %xw = arith.extf %x : f16 to f32
      %yw = arith.extf %y : f16 to f32
      %p = arith.mulf %xw, %yw : f32
      %next = arith.addf %old, %p : f32
      affine.yield %next : f32
    }
    affine.store %sum, %c[%i, 0] : memref<64x1xf32>
  }
  return
}
