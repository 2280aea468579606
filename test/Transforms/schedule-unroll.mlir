// RUN: tile-opt %s --tile-set-target=chip=sm_90a --tile-schedule | FileCheck %s
// RUN: tile-opt %s --pass-pipeline="builtin.module(tile-set-target{chip=sm_90a},tile-schedule,tile-insert-barriers,tile-plan-shared,tile-verify-schedule)" -o /dev/null
// RUN: tile-opt %s --tile-set-target=chip=sm_90a --tile-schedule --remarks-filter='tile-schedule' -o /dev/null 2>&1 | grep -c UnrolledGemms | FileCheck %s --check-prefix=COUNT
// COUNT: {{^}}1{{$}}

#s = #tile.layout<[128: 2 warp*4, 4 warp, 2 reg*2, 8 lane*4][64: 8 reg*4, 4 lane, 2 reg]>
#tile = #tile.layout<[128: 128 offset*64][64: 64 offset] swizzle(3, 3, 3)>
#right = #tile.layout<[64: 64 offset*64][64: 64 offset] swizzle(3, 3, 3)>
#mma = #tile.mma<wgmma, m = 64, n = 64, k = 16, warps_m = 8, warps_n = 1>

!a = memref<128x2048xf16>
!b = memref<64x2048xf16>
!tile_a = memref<128x64xf16, #tile.shared>
!tile_b = memref<64x64xf16, #tile.shared>
!sums = memref<128x64xf32, #tile.fragment>

// Threads add up what both gemms give: four iterations become one, of both partitions, in which the first gemm of the next starts
// in front of the last additions. Nothing is in flight when an iteration of the new loop ends.
// CHECK-LABEL: func.func @added_up
// CHECK: producer {
// CHECK: tile.pipelined %[[K:.*]] = 0 to 12 step 4 {
// CHECK-COUNT-8: tile.producer_acquire
// CHECK: } consumer {
// CHECK: tile.pipelined %{{.*}} = 0 to 12 step 4 {
// CHECK: tile.gemm %{{.*}}, %{{.*}}, %[[P:.*]] {async, clear
// CHECK: tile.gemm %{{.*}}, %{{.*}}, %[[Q:.*]] {async, clear
// CHECK: tile.gemm_wait %[[P]] pending(1)
// CHECK: tile.consumer_release %[[FIRST:.*]] :
// CHECK: tile.parallel
// CHECK: tile.consumer_wait %[[FIRST]] :
// CHECK: tile.gemm %{{.*}}, %{{.*}}, %[[P]] {async, clear
// CHECK: tile.gemm_wait %[[Q]] pending(1)
// CHECK: tile.parallel
// CHECK: tile.gemm %{{.*}}, %{{.*}}, %[[Q]] {async, clear
// CHECK: tile.gemm_wait %[[P]] pending(1)
// CHECK-COUNT-4: tile.gemm %{{.*}} {async, clear
// CHECK: tile.gemm_wait %[[P]] pending(1)
// CHECK: tile.gemm_wait %[[Q]] pending(0)
// CHECK: tile.parallel
func.func @added_up(%x: !a, %y: !b, %r: memref<128x64xf32>) {
  %zero = arith.constant 0.0 : f32
  tile.kernel (%i) in (1) threads(256) {
    %as = tile.alloc {layout = #tile} : !tile_a
    %bs = tile.alloc {layout = #right} : !tile_b
    %at = tile.alloc {layout = #tile} : !tile_a
    %bt = tile.alloc {layout = #right} : !tile_b
    %p = tile.alloc {layout = #s} : !sums
    %q = tile.alloc {layout = #s} : !sums
    %sum = tile.alloc {layout = #s} : !sums
    tile.fill %sum, %zero : !sums
    tile.pipelined %k = 0 to 12 stages(2) {
      tile.copy %x[0, %k * 128], %as {instruction = #tile.transfer<tma>} : !a, !tile_a
      tile.copy %y[0, %k * 128], %bs {instruction = #tile.transfer<tma>} : !b, !tile_b
      tile.copy %x[0, %k * 128 + 64], %at {instruction = #tile.transfer<tma>} : !a, !tile_a
      tile.copy %y[0, %k * 128 + 64], %bt {instruction = #tile.transfer<tma>} : !b, !tile_b
      tile.gemm %as, %bs, %p {clear, transpose_b, instruction = #mma} : !tile_a, !tile_b, !sums
      tile.gemm %at, %bt, %q {clear, transpose_b, instruction = #mma} : !tile_a, !tile_b, !sums
      tile.parallel (%u, %v) in (128, 64) attributes {layout = #s} {
        %0 = memref.load %sum[%u, %v] : !sums
        %1 = memref.load %p[%u, %v] : !sums
        %2 = arith.addf %0, %1 : f32
        memref.store %2, %sum[%u, %v] : !sums
      }
      tile.parallel (%u, %v) in (128, 64) attributes {layout = #s} {
        %0 = memref.load %sum[%u, %v] : !sums
        %1 = memref.load %q[%u, %v] : !sums
        %2 = arith.addf %0, %1 : f32
        memref.store %2, %sum[%u, %v] : !sums
      }
    }
    tile.copy %sum, %r[0, 0] : !sums, memref<128x64xf32>
  }
  return
}

// Six iterations are no multiple of four.
// CHECK-LABEL: func.func @six
// CHECK: tile.pipelined %{{.*}} = 0 to 6 {
// CHECK: tile.pipelined %{{.*}} = 0 to 6 {
func.func @six(%x: !a, %y: !b, %r: memref<128x64xf32>) {
  %zero = arith.constant 0.0 : f32
  tile.kernel (%i) in (1) threads(256) {
    %as = tile.alloc {layout = #tile} : !tile_a
    %bs = tile.alloc {layout = #right} : !tile_b
    %p = tile.alloc {layout = #s} : !sums
    %q = tile.alloc {layout = #s} : !sums
    %sum = tile.alloc {layout = #s} : !sums
    tile.fill %sum, %zero : !sums
    tile.pipelined %k = 0 to 6 stages(2) {
      tile.copy %x[0, %k * 64], %as {instruction = #tile.transfer<tma>} : !a, !tile_a
      tile.copy %y[0, %k * 64], %bs {instruction = #tile.transfer<tma>} : !b, !tile_b
      tile.gemm %as, %bs, %p {clear, transpose_b, instruction = #mma} : !tile_a, !tile_b, !sums
      tile.gemm %as, %bs, %q {clear, transpose_b, instruction = #mma} : !tile_a, !tile_b, !sums
      tile.parallel (%u, %v) in (128, 64) attributes {layout = #s} {
        %0 = memref.load %p[%u, %v] : !sums
        %1 = memref.load %q[%u, %v] : !sums
        %2 = arith.addf %0, %1 : f32
        memref.store %2, %sum[%u, %v] : !sums
      }
    }
    tile.copy %sum, %r[0, 0] : !sums, memref<128x64xf32>
  }
  return
}

// The sums of the second gemm are those of all iterations.
// CHECK-LABEL: func.func @over_iterations
// CHECK: tile.pipelined %{{.*}} = 0 to 8 {
// CHECK: tile.pipelined %{{.*}} = 0 to 8 {
func.func @over_iterations(%x: !a, %y: !b, %r: memref<128x64xf32>) {
  %zero = arith.constant 0.0 : f32
  tile.kernel (%i) in (1) threads(256) {
    %as = tile.alloc {layout = #tile} : !tile_a
    %bs = tile.alloc {layout = #right} : !tile_b
    %p = tile.alloc {layout = #s} : !sums
    %q = tile.alloc {layout = #s} : !sums
    %sum = tile.alloc {layout = #s} : !sums
    tile.fill %sum, %zero : !sums
    tile.pipelined %k = 0 to 8 stages(2) {
      tile.copy %x[0, %k * 64], %as {instruction = #tile.transfer<tma>} : !a, !tile_a
      tile.copy %y[0, %k * 64], %bs {instruction = #tile.transfer<tma>} : !b, !tile_b
      tile.gemm %as, %bs, %p {clear, transpose_b, instruction = #mma} : !tile_a, !tile_b, !sums
      tile.gemm %as, %bs, %q {transpose_b, instruction = #mma} : !tile_a, !tile_b, !sums
      tile.parallel (%u, %v) in (128, 64) attributes {layout = #s} {
        %0 = memref.load %sum[%u, %v] : !sums
        %1 = memref.load %p[%u, %v] : !sums
        %2 = arith.addf %0, %1 : f32
        memref.store %2, %sum[%u, %v] : !sums
      }
    }
    tile.copy %sum, %r[0, 0] : !sums, memref<128x64xf32>
    tile.copy %q, %r[0, 0] : !sums, memref<128x64xf32>
  }
  return
}
