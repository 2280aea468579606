// Sums of rows that warps share, kept in parts while a loop adds to them and fades them: for any number of iterations, on chips with
// products of one warp and of four, and where loops with and without masks follow each other.

// REQUIRES: tile-run, nvidia
// UNSUPPORTED: sanitizer
// RUN: tile-run %s | FileCheck %s
// RUN: tile-run %s --target=cuda --chip=sm_90a --device=model | FileCheck %s
// RUN: tile-run %s --target=cuda --chip=sm_80 --device=model | FileCheck %s
// RUN: tile-opt %s --tile-to-gpu-pipeline=chip=sm_90a -o /dev/null --remarks-filter='tile-schedule' 2>&1 | FileCheck %s --check-prefix=REMARK
// CHECK: {{^}}6 passed, 0 failed{{$}}
// REMARK-COUNT-2: [Passed] DeferredSums

!queries = memref<64x64xf16>
!keys = memref<?x64xf16>
!sums = memref<64xf32>
!tile = memref<64x64xf16, #tile.shared>
!scores = memref<64x64xf32, #tile.fragment>
!column = memref<64xf32, #tile.fragment>

func.func @faded(%q: !queries, %k: !keys {tile.shape = "Nx64"}, %y: !sums {tile.result})
    attributes {tile.reference = @reference, tile.atol = 1.0e-3, tile.rtol = 1.0e-3,
                tile.cases = ["N=1", "N=64", "N=200"]} {
  tile.kernel (%x) in (1) threads(256) {
    %qs = tile.alloc : !tile
    %ks = tile.alloc : !tile
    %s = tile.alloc : !scores
    %sum = tile.alloc : !column
    %fade = tile.alloc : !column
    tile.copy %q, %qs
    tile.fill %sum, 0.0
    tile.pipelined %t = 0 to ceildiv(dim(%k, 0), 64) stages(2) {
      tile.copy %k[%t * 64, 0], %ks
      tile.gemm %qs, %ks, %s {clear, transpose_b}
      tile.parallel (%i) in (64) do {
        %fade[%i] = 0.5
        %sum[%i] = %fade[%i] * %sum[%i]
      }
      tile.reduce sum %s, %sum dim(1) {combine}
    }
    tile.parallel (%i) in (64) do %sum[%i] = %sum[%i] * 2.0
    tile.copy %sum, %y
  }
  return
}

// Element by element, in the order of the keys.
func.func private @reference(%q: !queries, %k: !keys, %y: !sums) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  %two = arith.constant 2.0 : f32
  %n = memref.dim %k, %c0 : !keys
  scf.for %i = %c0 to %c64 step %c1 {
    %all = scf.for %j = %c0 to %n step %c1 iter_args(%sum = %zero) -> f32 {
      %in = arith.remui %j, %c64 : index
      %begins = arith.cmpi eq, %in, %c0 : index
      %faded = arith.mulf %sum, %half : f32
      %before = arith.select %begins, %faded, %sum : f32
      %score = scf.for %d = %c0 to %c64 step %c1 iter_args(%s = %zero) -> f32 {
        %a = memref.load %q[%i, %d] : !queries
        %b = memref.load %k[%j, %d] : !keys
        %x = arith.extf %a : f16 to f32
        %z = arith.extf %b : f16 to f32
        %p = arith.mulf %x, %z : f32
        %r = arith.addf %s, %p : f32
        scf.yield %r : f32
      }
      %after = arith.addf %before, %score : f32
      scf.yield %after : f32
    }
    %doubled = arith.mulf %all, %two : f32
    memref.store %doubled, %y[%i] : !sums
  }
  return
}

// Row i of block b has the keys up to 64 b + i: the loop is one without a mask and one with it.
func.func @masked(%q: !queries, %k: !keys {tile.shape = "Nx64"}, %y: memref<4x64xf32> {tile.result})
    attributes {tile.reference = @masked_reference, tile.atol = 1.0e-3, tile.rtol = 1.0e-3, tile.cases = ["N=256", "N=64", "N=1"]} {
  tile.kernel (%b) in (4) threads(256) {
    %qs = tile.alloc : !tile
    %ks = tile.alloc : !tile
    %s = tile.alloc : !scores
    %sum = tile.alloc : !column
    tile.copy %q, %qs
    tile.fill %sum, 0.0
    tile.pipelined %t = 0 to %b + 1 stages(2) {
      tile.copy %k[%t * 64, 0], %ks
      tile.gemm %qs, %ks, %s {clear, transpose_b}
      tile.parallel (%i, %j) in (64, 64) do %s[%i, %j] = select(%t * 64 + %j <= %b * 64 + %i, %s[%i, %j], 0.0)
      tile.parallel (%i) in (64) do %sum[%i] = %sum[%i] * 0.5
      tile.reduce sum %s, %sum dim(1) {combine}
    }
    tile.copy %sum, %y[%b, 0]
  }
  return
}

func.func private @masked_reference(%q: !queries, %k: !keys, %y: memref<4x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  %n = memref.dim %k, %c0 : !keys
  scf.for %b = %c0 to %c4 step %c1 {
    %first = arith.muli %b, %c64 : index
    %end = arith.addi %first, %c64 : index
    scf.for %i = %c0 to %c64 step %c1 {
      %row = arith.addi %first, %i : index
      %all = scf.for %j = %c0 to %end step %c1 iter_args(%sum = %zero) -> f32 {
        %in = arith.remui %j, %c64 : index
        %begins = arith.cmpi eq, %in, %c0 : index
        %faded = arith.mulf %sum, %half : f32
        %before = arith.select %begins, %faded, %sum : f32
        %exists = arith.cmpi ult, %j, %n : index
        %sees = arith.cmpi ule, %j, %row : index
        %adds = arith.andi %exists, %sees : i1
        %after = scf.if %adds -> f32 {
          %score = scf.for %d = %c0 to %c64 step %c1 iter_args(%s = %zero) -> f32 {
            %a = memref.load %q[%i, %d] : !queries
            %e = memref.load %k[%j, %d] : !keys
            %x = arith.extf %a : f16 to f32
            %z = arith.extf %e : f16 to f32
            %p = arith.mulf %x, %z : f32
            %r = arith.addf %s, %p : f32
            scf.yield %r : f32
          }
          %added = arith.addf %before, %score : f32
          scf.yield %added : f32
        } else {
          scf.yield %before : f32
        }
        scf.yield %after : f32
      }
      memref.store %all, %y[%b, %i] : memref<4x64xf32>
    }
  }
  return
}
