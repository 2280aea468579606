// Tensor copies, mbarriers and wgmma on the SIMT model: a producer warp and consumer warpgroups, tails in all dimensions,
// operands with K contiguous and not, sums of floats and of integers, tensor stores.

// REQUIRES: tile-run, nvidia
// RUN: tile-run %s --target=cuda --chip=sm_90a --device=model | FileCheck %s
// RUN: env TILE_SIMT_SEED=1 tile-run %s --target=cuda --chip=sm_90a --device=model | FileCheck %s
// RUN: env TILE_SIMT_SEED=2 tile-run %s --target=cuda --chip=sm_90a --device=model | FileCheck %s
// CHECK: {{^}}2 passed, 0 failed{{$}}

// The code is of the kind that this is about.
// RUN: tile-translate %s --tile-to-ptx --chip=sm_90a --gpu-function=gemm -o - | FileCheck %s --check-prefix=PTX
// PTX-DAG: cp.async.bulk.tensor.2d.shared::cluster.global
// PTX-DAG: mbarrier.try_wait
// PTX-DAG: wgmma.mma_async
// PTX-DAG: cp.async.bulk.tensor.2d.global.shared::cta

// Each fence, barrier, wait, arrival and commit is left out in turn. One is redundant here: the lanes of a warp meet before
// one of them says that a stage is free, but wgmma are waited for by all lanes of a warp at once.
// RUN: env TILE_SIMT_MUTATE=1 tile-run %s --func=gemm --target=cuda --chip=sm_90a --device=model \
// RUN:   | FileCheck %s --check-prefix=MUTATE
// MUTATE:     bar.warp.sync is left out: nothing changes
// MUTATE-NOT: left out
// MUTATE:     15 synchronisations, 14 reported, 1 redundant, 0 missed

!a_tile = memref<128x64xf16, #tile.shared>
!b_tile = memref<64x128xf16, #tile.shared>
!c_tile = memref<128x128xf32, #tile.fragment>

func.func @gemm(%a: memref<136x328xf16>, %b: memref<328x136xf16>, %c: memref<136x136xf16> {tile.result})
    attributes {tile.reference = @gemm_reference, tile.atol = 6.0e-3, tile.rtol = 1.953125e-3} {
  %zero = arith.constant 0.0 : f32
  tile.kernel (%x, %y) in (2, 2) threads(256) {
    %as = tile.alloc : !a_tile
    %bs = tile.alloc : !b_tile
    %acc = tile.alloc : !c_tile
    tile.fill %acc, %zero : !c_tile
    tile.pipelined %k = 0 to 6 stages(3) {
      tile.copy %a[%y * 128, %k * 64], %as : memref<136x328xf16>, !a_tile
      tile.copy %b[%k * 64, %x * 128], %bs : memref<328x136xf16>, !b_tile
      tile.gemm %as, %bs, %acc : !a_tile, !b_tile, !c_tile
    }
    tile.copy %acc, %c[%y * 128, %x * 128] : !c_tile, memref<136x136xf16>
  }
  return
}
func.func @gemm_reference(%a: memref<136x328xf16>, %b: memref<328x136xf16>, %c: memref<136x136xf16>) {
  %zero = arith.constant 0.0 : f32
  affine.for %i = 0 to 136 {
    affine.for %j = 0 to 136 {
      %sum = affine.for %k = 0 to 328 iter_args(%old = %zero) -> f32 {
        %p = affine.load %a[%i, %k] : memref<136x328xf16>
        %q = affine.load %b[%k, %j] : memref<328x136xf16>
        %pw = arith.extf %p : f16 to f32
        %qw = arith.extf %q : f16 to f32
        %t = arith.mulf %pw, %qw : f32
        %next = arith.addf %old, %t : f32
        affine.yield %next : f32
      }
      %r = arith.truncf %sum : f32 to f16
      affine.store %r, %c[%i, %j] : memref<136x136xf16>
    }
  }
  return
}

!l_tile = memref<128x128xi8, #tile.shared>
!r_tile = memref<64x128xi8, #tile.shared>
!s_tile = memref<128x64xi32, #tile.fragment>
func.func @gemm_i8(%a: memref<136x272xi8> {tile.init = "integers(-127,127)"}, %b: memref<72x272xi8> {tile.init = "integers(-127,127)"},
                   %c: memref<136x72xi32> {tile.result})
    attributes {tile.reference = @gemm_i8_reference, tile.atol = 0.0, tile.rtol = 0.0} {
  %zero = arith.constant 0 : i32
  tile.kernel (%x, %y) in (2, 2) threads(128) {
    %as = tile.alloc : !l_tile
    %bs = tile.alloc : !r_tile
    %acc = tile.alloc : !s_tile
    tile.fill %acc, %zero : !s_tile
    tile.pipelined %k = 0 to 3 stages(2) {
      tile.copy %a[%y * 128, %k * 128], %as : memref<136x272xi8>, !l_tile
      tile.copy %b[%x * 64, %k * 128], %bs : memref<72x272xi8>, !r_tile
      tile.gemm %as, %bs, %acc {transpose_b} : !l_tile, !r_tile, !s_tile
    }
    tile.copy %acc, %c[%y * 128, %x * 64] : !s_tile, memref<136x72xi32>
  }
  return
}
func.func @gemm_i8_reference(%a: memref<136x272xi8>, %b: memref<72x272xi8>, %c: memref<136x72xi32>) {
  %zero = arith.constant 0 : i32
  affine.for %i = 0 to 136 {
    affine.for %j = 0 to 72 {
      %sum = affine.for %k = 0 to 272 iter_args(%old = %zero) -> i32 {
        %p = affine.load %a[%i, %k] : memref<136x272xi8>
        %q = affine.load %b[%j, %k] : memref<72x272xi8>
        %pw = arith.extsi %p : i8 to i32
        %qw = arith.extsi %q : i8 to i32
        %t = arith.muli %pw, %qw : i32
        %next = arith.addi %old, %t : i32
        affine.yield %next : i32
      }
      affine.store %sum, %c[%i, %j] : memref<136x72xi32>
    }
  }
  return
}
