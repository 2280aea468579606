// RUN: tile-opt %s --tile-set-target=chip=sm_90a --tile-schedule --tile-insert-barriers --tile-plan-shared --tile-verify-schedule | FileCheck %s
// RUN: tile-opt %s --tile-set-target=chip=sm_90a --tile-schedule --remarks-filter='tile-schedule' -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

#sums = #tile.layout<[128: 2 reg*64, 4 warp, 2 reg*2, 8 lane*4][128: 16 reg*4, 4 lane, 2 reg]>
#tile = #tile.layout<[128: 128 offset*64][64: 64 offset] swizzle(3, 3, 3)>
#result = #tile.layout<[128: 128 offset*64][128: 2 offset*8192, 64 offset] swizzle(3, 3, 3)>
#mma = #tile.mma<wgmma, m = 64, n = 128, k = 16, warps_m = 4, warps_n = 1>
#tma = #tile.transfer<tma>
!tile = memref<128x64xbf16, #tile.shared>
!sums = memref<128x128xf32, #tile.fragment>
!result = memref<128x128xbf16, #tile.shared>
!a = memref<2048x1024xbf16>
!c = memref<2048x2048xbf16>

// CHECK-LABEL: func.func @product
// CHECK: tile.alloc {{.*}} : memref<4x128x64xbf16, #tile.shared>
// CHECK: tile.alloc {{.*}}tile.consumers = 2{{.*}} : memref<128x128xbf16, #tile.shared>
// CHECK: tile.warp_specialize attributes {consumer_registers = 232 : i64, producer_registers = 40 : i64, tile.consumers = 2 : i64} producer {
// CHECK: } consumer {
// CHECK-NEXT: tile.persistent
// CHECK-NEXT: tile.order_wait
// CHECK: scf.if
// CHECK-NEXT: tile.consumer_wait
// CHECK: tile.gemm {{.*}}{async, clear,
// CHECK-NEXT: tile.pipelined %{{.*}} = 1 to 16
// CHECK-NEXT: tile.consumer_wait %{{.*}} {tile.ahead = 1 : i64}
// CHECK: tile.gemm {{.*}}{async, instruction
// CHECK-NEXT: tile.gemm_wait{{ +}}pending(1)
// CHECK-NEXT: tile.consumer_release
// CHECK-NEXT: }
// CHECK-NEXT: tile.order_arrive
// CHECK-NEXT: tile.gemm_wait %{{.*}} pending(0)
// CHECK-NEXT: tile.consumer_release
// CHECK-NEXT: } else {
// CHECK-NEXT: tile.order_arrive
// CHECK-NEXT: tile.fill
// CHECK-NEXT: }
// CHECK-NEXT: tile.store_wait pending(0)
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.copy
// CHECK-NEXT: tile.barrier async
// CHECK-NEXT: tile.copy
// REMARK: [Passed] PingPong | Category:tile-schedule | consumers=2, parts=1
func.func @product(%a: !a, %b: !a, %c: !c) {
  %zero = arith.constant 0.0 : f32
  tile.kernel (%p) in (132) threads(128) {
    %as = tile.alloc {layout = #tile} : !tile
    %bs = tile.alloc {layout = #tile} : !tile
    %cs = tile.alloc {layout = #result} : !result
    %sums = tile.alloc {layout = #sums} : !sums
    tile.persistent (%y, %x) in (16, 16) group(8) {
      tile.fill %sums, %zero : !sums
      tile.pipelined %k = 0 to 16 stages(4) {
        tile.copy %a[%y * 128, %k * 64], %as {instruction = #tma} : !a, !tile
        tile.copy %b[%x * 128, %k * 64], %bs {instruction = #tma} : !a, !tile
        tile.gemm %as, %bs, %sums {instruction = #mma, transpose_b} : !tile, !tile, !sums
      }
      tile.copy %sums, %cs : !sums, !result
      tile.copy %cs, %c[%y * 128, %x * 128] {instruction = #tma} : !result, !c
    }
  }
  return
}

// What a loop adds to the cleared sums before the products counts: they do not clear.
// CHECK-LABEL: func.func @prepared
// CHECK: tile.fill
// CHECK: tile.parallel
// CHECK: tile.order_wait
// CHECK-NOT: clear
// CHECK: tile.order_arrive
// CHECK-NOT: tile.fill
// CHECK: return
// REMARK: [Passed] PingPong | Category:tile-schedule | consumers=2, parts=1
func.func @prepared(%a: !a, %b: !a, %c: !c, %one: f32) {
  %zero = arith.constant 0.0 : f32
  tile.kernel (%p) in (132) threads(128) {
    %as = tile.alloc {layout = #tile} : !tile
    %bs = tile.alloc {layout = #tile} : !tile
    %sums = tile.alloc {layout = #sums} : !sums
    tile.persistent (%y, %x) in (16, 16) {
      tile.fill %sums, %zero : !sums
      tile.parallel (%i, %j) in (128, 128) attributes {layout = #sums} {
        %v = memref.load %sums[%i, %j] : !sums
        %w = arith.addf %v, %one : f32
        memref.store %w, %sums[%i, %j] : !sums
      }
      tile.pipelined %k = 0 to 16 stages(4) {
        tile.copy %a[%y * 128, %k * 64], %as {instruction = #tma} : !a, !tile
        tile.copy %b[%x * 128, %k * 64], %bs {instruction = #tma} : !a, !tile
        tile.gemm %as, %bs, %sums {instruction = #mma, transpose_b} : !tile, !tile, !sums
      }
      tile.copy %sums, %c[%y * 128, %x * 128] : !sums, !c
    }
  }
  return
}

// Points take different times: teams could not tell where the stages of their next point begin.
// CHECK-LABEL: func.func @triangle
// CHECK-NOT: tile.consumers
// CHECK: return
// REMARK: [Missed] PingPong | {{.*}}expected as many iterations for all points
func.func @triangle(%a: !a, %b: !a, %c: !c) {
  %zero = arith.constant 0.0 : f32
  tile.kernel (%p) in (132) threads(128) {
    %as = tile.alloc {layout = #tile} : !tile
    %bs = tile.alloc {layout = #tile} : !tile
    %sums = tile.alloc {layout = #sums} : !sums
    tile.persistent (%y, %x) in (16, 16) {
      tile.fill %sums, %zero : !sums
      tile.pipelined %k = 0 to %y stages(4) {
        tile.copy %a[%y * 128, %k * 64], %as {instruction = #tma} : !a, !tile
        tile.copy %b[%x * 128, %k * 64], %bs {instruction = #tma} : !a, !tile
        tile.gemm %as, %bs, %sums {instruction = #mma, transpose_b} : !tile, !tile, !sums
      }
      tile.copy %sums, %c[%y * 128, %x * 128] : !sums, !c
    }
  }
  return
}

// Threads read a tile themselves: what they compute from it has no place in a main loop of products in flight.
// CHECK-LABEL: func.func @scaled
// CHECK-NOT: tile.consumers
// CHECK: return
// REMARK: [Missed] PingPong | {{.*}}expected nothing but tensor copies and products of shared tiles in its loop, got 'tile.parallel'
func.func @scaled(%a: !a, %b: !a, %c: !c) {
  %zero = arith.constant 0.0 : f32
  tile.kernel (%p) in (132) threads(128) {
    %as = tile.alloc {layout = #tile} : !tile
    %bs = tile.alloc {layout = #tile} : !tile
    %sums = tile.alloc {layout = #sums} : !sums
    tile.persistent (%y, %x) in (16, 16) {
      tile.fill %sums, %zero : !sums
      tile.pipelined %k = 0 to 16 stages(4) {
        tile.copy %a[%y * 128, %k * 64], %as {instruction = #tma} : !a, !tile
        tile.copy %b[%x * 128, %k * 64], %bs {instruction = #tma} : !a, !tile
        tile.gemm %as, %bs, %sums {instruction = #mma, transpose_b} : !tile, !tile, !sums
        tile.parallel (%i, %j) in (128, 128) {
          %v = memref.load %sums[%i, %j] : !sums
          %w = arith.addf %v, %v : f32
          memref.store %w, %sums[%i, %j] : !sums
        }
      }
      tile.copy %sums, %c[%y * 128, %x * 128] : !sums, !c
    }
  }
  return
}

// Two of the largest stages and a tile of results for each team are too much.
#wide = #tile.layout<[128: 2 reg*96, 4 warp, 2 reg*2, 8 lane*4][192: 24 reg*4, 4 lane, 2 reg]>
#wide_tile = #tile.layout<[192: 192 offset*64][64: 64 offset] swizzle(3, 3, 3)>
#wide_result = #tile.layout<[128: 128 offset*192][192: 192 offset]>
#wide_mma = #tile.mma<wgmma, m = 64, n = 192, k = 16, warps_m = 4, warps_n = 1>
!wide = memref<128x192xf32, #tile.fragment>
!wide_tile = memref<192x64xbf16, #tile.shared>
!wide_result = memref<128x192xf32, #tile.shared>
// CHECK-LABEL: func.func @wide
// CHECK-NOT: tile.consumers
// CHECK: return
// REMARK: [Missed] PingPong | {{.*}}expected room for 3 stages, got 0
func.func @wide(%a: !a, %b: !a, %c: memref<2048x1920xf32>) {
  %zero = arith.constant 0.0 : f32
  tile.kernel (%p) in (132) threads(128) {
    %as = tile.alloc {layout = #tile} : !tile
    %bs = tile.alloc {layout = #wide_tile} : !wide_tile
    %cs = tile.alloc {layout = #wide_result} : !wide_result
    %sums = tile.alloc {layout = #wide} : !wide
    tile.persistent (%y, %x) in (16, 10) {
      tile.fill %sums, %zero : !wide
      tile.pipelined %k = 0 to 16 stages(4) {
        tile.copy %a[%y * 128, %k * 64], %as {instruction = #tma} : !a, !tile
        tile.copy %b[%x * 192, %k * 64], %bs {instruction = #tma} : !a, !wide_tile
        tile.gemm %as, %bs, %sums {instruction = #wide_mma, transpose_b} : !tile, !wide_tile, !wide
      }
      tile.copy %sums, %cs : !wide, !wide_result
      tile.copy %cs, %c[%y * 128, %x * 192] : !wide_result, memref<2048x1920xf32>
    }
  }
  return
}

// A box of the result at a time leaves room for a fourth stage.
#boxes = #tile.layout<[128: 128 offset*64][192: 3 offset*8192, 64 offset] swizzle(3, 3, 3)>
!boxes = memref<128x192xbf16, #tile.shared>
// CHECK-LABEL: func.func @in_parts
// CHECK: tile.alloc {{.*}} : memref<4x192x64xbf16, #tile.shared>
// CHECK: %[[BOX:.*]] = tile.alloc {layout = #tile.layout<[128: 128 offset*64][64: 64 offset] swizzle(3, 3, 3)>, offset = {{.*}}, tile.consumers = 2 : i64} : memref<128x64xbf16, #tile.shared>
// CHECK: } else {
// CHECK: tile.store_wait pending(0)
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.copy %[[SUMS:[0-9]+]][0, 0] [128, 64], %[[BOX]] :
// CHECK-NEXT: tile.barrier async
// CHECK-NEXT: tile.copy %[[BOX]], %arg2[%m * 128, %n * 192]
// CHECK-NEXT: tile.store_wait pending(0)
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.copy %[[SUMS]][0, 64] [128, 64], %[[BOX]]
// CHECK-NEXT: tile.barrier async
// CHECK-NEXT: tile.copy %[[BOX]], %arg2[%m * 128, %n * 192 + 64]
// CHECK: tile.copy %[[SUMS]][0, 128] [128, 64], %[[BOX]]
// CHECK: tile.copy %[[BOX]], %arg2[%m * 128, %n * 192 + 128]
// REMARK: [Passed] PingPong | Category:tile-schedule | consumers=2, parts=3
func.func @in_parts(%a: !a, %b: !a, %c: memref<2048x1920xbf16>) {
  %zero = arith.constant 0.0 : f32
  tile.kernel (%p) in (132) threads(128) {
    %as = tile.alloc {layout = #tile} : !tile
    %bs = tile.alloc {layout = #wide_tile} : !wide_tile
    %cs = tile.alloc {layout = #boxes} : !boxes
    %sums = tile.alloc {layout = #wide} : !wide
    tile.persistent (%y, %x) in (16, 10) {
      tile.fill %sums, %zero : !wide
      tile.pipelined %k = 0 to 16 stages(4) {
        tile.copy %a[%y * 128, %k * 64], %as {instruction = #tma} : !a, !tile
        tile.copy %b[%x * 192, %k * 64], %bs {instruction = #tma} : !a, !wide_tile
        tile.gemm %as, %bs, %sums {instruction = #wide_mma, transpose_b} : !tile, !wide_tile, !wide
      }
      tile.copy %sums, %cs : !wide, !boxes
      tile.copy %cs, %c[%y * 128, %x * 192] {instruction = #tma} : !boxes, memref<2048x1920xbf16>
    }
  }
  return
}
