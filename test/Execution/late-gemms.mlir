// Loops in which a product runs beside the next iteration: no iteration, one, few, and steps.

// REQUIRES: tile-run, nvidia
// RUN: tile-run %s | FileCheck %s
// RUN: tile-run --target=cuda --device=model --chip=sm_90a %s | FileCheck %s
// RUN: env TILE_SIMT_SEED=11 tile-run --target=cuda --device=model --chip=sm_90a %s | FileCheck %s
// RUN: tile-opt %s --tile-to-gpu-pipeline=chip=sm_90a --remarks-filter=tile-schedule -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// CHECK: {{^}}9 passed, 0 failed{{$}}

!rows = memref<?x64xf16>
!sums = memref<?x64xf32>
!tile = memref<128x64xf16, #tile.shared>
!block = memref<64x64xf16, #tile.shared>
!scores = memref<128x64xf32, #tile.fragment>

// As the backward pass of attention: from the scores of 128 rows of A and 64 of Q come sums over Q in registers, and over A
// in global memory. All numbers are small integers, and all sums exact.
// REMARK: [Passed] LateGemm
// REMARK: [Passed] AsyncGemms | Category:tile-schedule | gemms=3
func.func @gradients(%a: !rows {tile.shape = "Mx64", tile.init = "integers(-1,1)"},
                     %q: !rows {tile.shape = "Nx64", tile.init = "integers(-1,1)"},
                     %da: !sums {tile.shape = "Mx64", tile.result},
                     %dq: !sums {tile.shape = "Nx64", tile.init = "integers(-9,9)", tile.result})
    attributes {tile.reference = @gradients_reference, tile.atol = 0.0, tile.rtol = 0.0,
                tile.cases = ["M=128 N=0", "M=128 N=64", "M=256 N=128", "M=128 N=320", "M=100 N=200"]} {
  tile.kernel (%x) in (ceildiv(dim(%a, 0), 128)) threads(256) {
    %as = tile.alloc : !tile
    %qs = tile.alloc : !block
    %s = tile.alloc : !scores
    %p = tile.alloc : memref<128x64xf16, #tile.fragment>
    %ps = tile.alloc : !tile
    %daf = tile.alloc : !scores
    %dqf = tile.alloc : memref<64x64xf32, #tile.fragment>
    tile.fill %daf, 0.0
    tile.copy %a[%x * 128, 0], %as
    tile.pipelined %t = 0 to ceildiv(dim(%q, 0), 64) stages(2) {
      tile.copy %q[%t * 64, 0], %qs
      tile.gemm %as, %qs, %s {clear, transpose_b}
      tile.copy %s, %p
      tile.copy %p, %ps
      tile.gemm %ps, %as, %dqf {clear, transpose_a}
      tile.gemm %p, %qs, %daf
      tile.atomic add %dqf, %dq[%t * 64, 0]
    }
    tile.copy %daf, %da[%x * 128, 0]
  }
  return
}
func.func @gradients_reference(%a: !rows, %q: !rows, %da: !sums, %dq: !sums) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %m = memref.dim %a, %c0 : !rows
  %n = memref.dim %q, %c0 : !rows
  affine.for %i = 0 to %m {
    affine.for %d = 0 to 64 {
      affine.store %zero, %da[%i, %d] : !sums
    }
    affine.for %j = 0 to %n {
      %s = affine.for %l = 0 to 64 iter_args(%old = %zero) -> f32 {
        %x = affine.load %a[%i, %l] : !rows
        %y = affine.load %q[%j, %l] : !rows
        %xf = arith.extf %x : f16 to f32
        %yf = arith.extf %y : f16 to f32
        %new = math.fma %xf, %yf, %old : f32
        affine.yield %new : f32
      }
      affine.for %d = 0 to 64 {
        %x = affine.load %a[%i, %d] : !rows
        %y = affine.load %q[%j, %d] : !rows
        %xf = arith.extf %x : f16 to f32
        %yf = arith.extf %y : f16 to f32
        %old = affine.load %da[%i, %d] : !sums
        %oldQ = affine.load %dq[%j, %d] : !sums
        %new = math.fma %s, %yf, %old : f32
        %newQ = math.fma %s, %xf, %oldQ : f32
        affine.store %new, %da[%i, %d] : !sums
        affine.store %newQ, %dq[%j, %d] : !sums
      }
    }
  }
  return
}

// Block x begins with block x of Q and takes every second one. A number and a column of factors for each come from global memory.
// REMARK: [Passed] LateGemm
func.func @steps(%a: memref<128x64xf16> {tile.init = "integers(-1,1)"},
                 %q: !rows {tile.shape = "Nx64", tile.init = "integers(-1,1)"},
                 %numbers: memref<?xf32> {tile.shape = "T", tile.init = "integers(-1,1)"},
                 %columns: memref<?x128xf32> {tile.shape = "Tx128", tile.init = "integers(-1,1)"},
                 %da: memref<3x128x64xf32> {tile.result},
                 %dq: !sums {tile.shape = "Nx64", tile.init = "integers(-9,9)", tile.result})
    attributes {tile.reference = @steps_reference, tile.atol = 0.0, tile.rtol = 0.0,
                tile.cases = ["N=0 T=0", "N=64 T=1", "N=300 T=5", "N=448 T=7"]} {
  tile.kernel (%x) in (3) threads(256) {
    %as = tile.alloc : !tile
    %qs = tile.alloc : !block
    %s = tile.alloc : !scores
    %p = tile.alloc : memref<128x64xf16, #tile.fragment>
    %ps = tile.alloc : !tile
    %daf = tile.alloc : !scores
    %dqf = tile.alloc : memref<64x64xf32, #tile.fragment>
    %column = tile.alloc : memref<128xf32, #tile.fragment>
    tile.fill %daf, 0.0
    tile.copy %a, %as
    tile.pipelined %t = %x to ceildiv(dim(%q, 0), 64) step 2 stages(2) {
      tile.copy %q[%t * 64, 0], %qs
      tile.copy %columns[%t, 0], %column
      %number = memref.load %numbers[%t] : memref<?xf32>
      tile.gemm %as, %qs, %s {clear, transpose_b}
      tile.parallel (%i, %j) in (128, 64) do %s[%i, %j] = %s[%i, %j] * %column[%i] * %number
      tile.copy %s, %p
      tile.copy %p, %ps
      tile.gemm %ps, %as, %dqf {clear, transpose_a}
      tile.gemm %p, %qs, %daf
      tile.atomic add %dqf, %dq[%t * 64, 0]
    }
    tile.copy %daf, %da[%x, 0, 0]
  }
  return
}
func.func @steps_reference(%a: memref<128x64xf16>, %q: !rows, %numbers: memref<?xf32>, %columns: memref<?x128xf32>,
                           %da: memref<3x128x64xf32>, %dq: !sums) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = memref.dim %q, %c0 : !rows
  affine.for %x = 0 to 3 {
    affine.for %i = 0 to 128 {
      affine.for %d = 0 to 64 {
        affine.store %zero, %da[%x, %i, %d] : memref<3x128x64xf32>
      }
      affine.for %j = 0 to %n {
        affine.if affine_set<(j, x) : ((j floordiv 64 - x) mod 2 == 0, j floordiv 64 - x >= 0)>(%j, %x) {
          %dot = affine.for %l = 0 to 64 iter_args(%old = %zero) -> f32 {
            %v = affine.load %a[%i, %l] : memref<128x64xf16>
            %w = affine.load %q[%j, %l] : !rows
            %vf = arith.extf %v : f16 to f32
            %wf = arith.extf %w : f16 to f32
            %new = math.fma %vf, %wf, %old : f32
            affine.yield %new : f32
          }
          %number = affine.load %numbers[%j floordiv 64] : memref<?xf32>
          %factor = affine.load %columns[%j floordiv 64, %i] : memref<?x128xf32>
          %half = arith.mulf %dot, %factor : f32
          %s = arith.mulf %half, %number : f32
          affine.for %d = 0 to 64 {
            %v = affine.load %a[%i, %d] : memref<128x64xf16>
            %w = affine.load %q[%j, %d] : !rows
            %vf = arith.extf %v : f16 to f32
            %wf = arith.extf %w : f16 to f32
            %old = affine.load %da[%x, %i, %d] : memref<3x128x64xf32>
            %oldQ = affine.load %dq[%j, %d] : !sums
            %new = math.fma %s, %wf, %old : f32
            %newQ = math.fma %s, %vf, %oldQ : f32
            affine.store %new, %da[%x, %i, %d] : memref<3x128x64xf32>
            affine.store %newQ, %dq[%j, %d] : !sums
          }
        }
      }
    }
  }
  return
}
