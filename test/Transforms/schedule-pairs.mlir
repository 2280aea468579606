// RUN: tile-opt %s --tile-set-target=chip=sm_90a --tile-schedule | FileCheck %s
// RUN: tile-opt %s --pass-pipeline="builtin.module(tile-set-target{chip=sm_90a},tile-schedule,tile-insert-barriers,tile-plan-shared,tile-verify-schedule)" -o /dev/null
// RUN: tile-opt %s --tile-set-target=chip=sm_90a --tile-schedule --remarks-filter='tile-schedule' -o /dev/null 2>&1 | grep -c PairedGemms | FileCheck %s --check-prefix=COUNT
// COUNT: {{^}}1{{$}}

#s = #tile.layout<[128: 2 warp*4, 4 warp, 2 reg*2, 8 lane*4][64: 8 reg*4, 4 lane, 2 reg]>
#tile = #tile.layout<[128: 128 offset*64][64: 64 offset] swizzle(3, 3, 3)>
#right = #tile.layout<[64: 64 offset*64][64: 64 offset] swizzle(3, 3, 3)>
#mma = #tile.mma<wgmma, m = 64, n = 64, k = 16, warps_m = 8, warps_n = 1>

!a = memref<128x1024xf16>
!b = memref<64x1024xf16>
!tile_a = memref<128x64xf16, #tile.shared>
!tile_b = memref<64x64xf16, #tile.shared>
!sums = memref<128x64xf32, #tile.fragment>

// Two iterations are one, with tiles and sums of their own and half of the stages, and eight such pairs are one again: additions run
// beside the next gemm.
// CHECK-LABEL: func.func @one_gemm
// CHECK: memref<2x128x64xf16, #tile.shared>
// CHECK-NOT: memref<4x128x64xf16
// CHECK: } consumer {
// CHECK: tile.pipelined %{{.*}} = 0 to 16 step 16 {
// CHECK: tile.gemm %{{.*}}, %{{.*}}, %[[P:.*]] {async, clear
// CHECK: tile.gemm %{{.*}}, %{{.*}}, %[[Q:.*]] {async, clear
// CHECK: tile.gemm_wait %[[P]] pending(1)
// CHECK: tile.parallel
// CHECK: memref.load %[[P]]
// CHECK: tile.gemm %{{.*}}, %{{.*}}, %[[P]] {async, clear
// CHECK: tile.gemm_wait %[[Q]] pending(1)
// CHECK: tile.parallel
// CHECK: memref.load %[[Q]]
func.func @one_gemm(%x: !a, %y: !b, %r: memref<128x64xf32>) {
  %zero = arith.constant 0.0 : f32
  tile.kernel (%i) in (1) threads(256) {
    %as = tile.alloc {layout = #tile} : !tile_a
    %bs = tile.alloc {layout = #right} : !tile_b
    %p = tile.alloc {layout = #s} : !sums
    %sum = tile.alloc {layout = #s} : !sums
    tile.fill %sum, %zero : !sums
    tile.pipelined %k = 0 to 16 stages(4) {
      tile.copy %x[0, %k * 64], %as {instruction = #tile.transfer<tma>} : !a, !tile_a
      tile.copy %y[0, %k * 64], %bs {instruction = #tile.transfer<tma>} : !b, !tile_b
      tile.gemm %as, %bs, %p {clear, transpose_b, instruction = #mma} : !tile_a, !tile_b, !sums
      tile.parallel (%u, %v) in (128, 64) attributes {layout = #s} {
        %0 = memref.load %sum[%u, %v] : !sums
        %1 = memref.load %p[%u, %v] : !sums
        %2 = arith.addf %0, %1 : f32
        memref.store %2, %sum[%u, %v] : !sums
      }
    }
    tile.copy %sum, %r[0, 0] : !sums, memref<128x64xf32>
  }
  return
}

// Twelve iterations are no multiple of eight, which pairs need to run on beside each other.
// CHECK-LABEL: func.func @twelve
// CHECK: memref<4x128x64xf16, #tile.shared>
func.func @twelve(%x: !a, %y: !b, %r: memref<128x64xf32>) {
  %zero = arith.constant 0.0 : f32
  tile.kernel (%i) in (1) threads(256) {
    %as = tile.alloc {layout = #tile} : !tile_a
    %bs = tile.alloc {layout = #right} : !tile_b
    %p = tile.alloc {layout = #s} : !sums
    %sum = tile.alloc {layout = #s} : !sums
    tile.fill %sum, %zero : !sums
    tile.pipelined %k = 0 to 12 stages(4) {
      tile.copy %x[0, %k * 64], %as {instruction = #tile.transfer<tma>} : !a, !tile_a
      tile.copy %y[0, %k * 64], %bs {instruction = #tile.transfer<tma>} : !b, !tile_b
      tile.gemm %as, %bs, %p {clear, transpose_b, instruction = #mma} : !tile_a, !tile_b, !sums
      tile.parallel (%u, %v) in (128, 64) attributes {layout = #s} {
        %0 = memref.load %sum[%u, %v] : !sums
        %1 = memref.load %p[%u, %v] : !sums
        %2 = arith.addf %0, %1 : f32
        memref.store %2, %sum[%u, %v] : !sums
      }
    }
    tile.copy %sum, %r[0, 0] : !sums, memref<128x64xf32>
  }
  return
}

// The next iteration may load what is stored to global memory.
// CHECK-LABEL: func.func @stores
// CHECK: memref<4x128x64xf16, #tile.shared>
func.func @stores(%x: !a, %y: !b, %r: memref<128x64xf32>) {
  tile.kernel (%i) in (1) threads(256) {
    %as = tile.alloc {layout = #tile} : !tile_a
    %bs = tile.alloc {layout = #right} : !tile_b
    %p = tile.alloc {layout = #s} : !sums
    tile.pipelined %k = 0 to 16 stages(4) {
      tile.copy %x[0, %k * 64], %as {instruction = #tile.transfer<tma>} : !a, !tile_a
      tile.copy %y[0, %k * 64], %bs {instruction = #tile.transfer<tma>} : !b, !tile_b
      tile.gemm %as, %bs, %p {clear, transpose_b, instruction = #mma} : !tile_a, !tile_b, !sums
      tile.parallel (%u, %v) in (128, 64) attributes {layout = #s} {
        %0 = memref.load %p[%u, %v] : !sums
        memref.store %0, %r[%u, %v] : memref<128x64xf32>
      }
    }
  }
  return
}
