// Sums of f32 that warpgroups store for the copy engine: lanes store their vectors in different orders, so that those of two rows do
// not meet in the same banks.

// REQUIRES: tile-run, nvidia
// RUN: tile-run %s --target=cuda --chip=sm_90a --device=model | FileCheck %s
// RUN: env TILE_SIMT_SEED=3 tile-run %s --target=cuda --chip=sm_90a --device=model | FileCheck %s
// CHECK: {{^}}1 passed, 0 failed{{$}}

// RUN: tile-translate %s --tile-to-ptx --chip=sm_90a --gpu-function=sums --remarks-filter=convert-tile-to-simt -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// REMARK: [Passed] StoreTurns | Category:convert-tile-to-simt | lanes=4, registers=8

!in = memref<256x64xf16>
!tile = memref<64x64xf16, #tile.shared>
!acc = memref<64x64xf32, #tile.fragment>
func.func @sums(%a: !in, %b: memref<64x64xf16>, %c: memref<64x64xf32> {tile.result})
    attributes {tile.reference = @reference, tile.atol = 1.0e-3, tile.rtol = 1.0e-4} {
  tile.kernel (%x) in (1) threads(128) {
    %zero = tile.alloc : !acc
    tile.fill %zero, 0.0
    tile.copy %zero, %c[0, 0]
  }
  tile.kernel (%x) in (1) threads(256) {
    %as = tile.alloc : !tile
    %bs = tile.alloc : !tile
    %acc = tile.alloc : !acc
    tile.copy %b[0, 0], %bs
    tile.pipelined %k = 0 to 4 stages(2) {
      tile.copy %a[%k * 64, 0], %as
      tile.gemm %as, %bs, %acc {clear}
      tile.atomic add %acc, %c[0, 0]
    }
  }
  return
}
func.func @reference(%a: !in, %b: memref<64x64xf16>, %c: memref<64x64xf32>) {
  %zero = arith.constant 0.0 : f32
  affine.for %i = 0 to 64 {
    affine.for %j = 0 to 64 {
      %sum = affine.for %m = 0 to 4 iter_args(%outer = %zero) -> f32 {
        %part = affine.for %k = 0 to 64 iter_args(%old = %outer) -> f32 {
          %p = affine.load %a[%m * 64 + %i, %k] : !in
          %q = affine.load %b[%k, %j] : memref<64x64xf16>
          %pw = arith.extf %p : f16 to f32
          %qw = arith.extf %q : f16 to f32
          %t = arith.mulf %pw, %qw : f32
          %next = arith.addf %old, %t : f32
          affine.yield %next : f32
        }
        affine.yield %part : f32
      }
      affine.store %sum, %c[%i, %j] : memref<64x64xf32>
    }
  }
  return
}
