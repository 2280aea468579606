// RUN: tile-opt %s --tile-set-target=chip=sm_90a --tile-schedule | FileCheck %s
// RUN: tile-opt %s --pass-pipeline="builtin.module(tile-set-target{chip=sm_90a},tile-schedule,tile-insert-barriers,tile-plan-shared,tile-verify-schedule)" -o /dev/null
// RUN: tile-opt %s --tile-set-target=chip=sm_90a --tile-schedule --remarks-filter='tile-schedule' -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

#s = #tile.layout<[128: 2 warp*4, 4 warp, 2 reg*2, 8 lane*4][64: 8 reg*4, 4 lane, 2 reg]>
#tile = #tile.layout<[128: 128 offset*64][64: 64 offset] swizzle(3, 3, 3)>
#kv = #tile.layout<[64: 64 offset*64][64: 64 offset] swizzle(3, 3, 3)>
#mma = #tile.mma<wgmma, m = 64, n = 64, k = 16, warps_m = 8, warps_n = 1>

!heads = memref<8x1024x64xf16>
!q = memref<128x64xf16, #tile.shared>
!kv = memref<64x64xf16, #tile.shared>
!scores = memref<128x64xf32, #tile.fragment>
!weights = memref<128x64xf16, #tile.fragment>

// Two gemms add to the same scores one after the other. The weights of the
// third lie in shared memory, and nothing could run beside it.
// CHECK-LABEL: func.func @chain
// CHECK: } consumer {
// CHECK: tile.pipelined
// CHECK: tile.gemm %{{.*}}, %{{.*}}, %[[S:.*]] {async, clear
// CHECK-NEXT: tile.gemm %{{.*}}, %{{.*}}, %[[S]] {async, instruction
// CHECK-NEXT: tile.gemm_wait %[[S]] pending(0)
// CHECK-NEXT: tile.copy %[[S]], %[[P:.*]] :
// CHECK-NEXT: tile.gemm %[[P]], %{{.*}}, %{{.*}} {instruction
// CHECK-NEXT: tile.consumer_release
// CHECK-NEXT: }
// REMARK: [Passed] AsyncGemms | Category:tile-schedule | gemms=2
func.func @chain(%q: !heads, %k: !heads, %o: !heads, %n: index) {
  %zero = arith.constant 0.0 : f32
  tile.kernel (%bx, %h) in (8, 8) threads(256) {
    %qs = tile.alloc {layout = #tile} : !q
    %rs = tile.alloc {layout = #tile} : !q
    %ks = tile.alloc {layout = #kv} : !kv
    %s = tile.alloc {layout = #s} : !scores
    %p = tile.alloc {layout = #tile} : !q
    %acc = tile.alloc {layout = #s} : !scores
    tile.fill %acc, %zero : !scores
    tile.copy %q[%h, %bx * 128, 0], %qs {instruction = #tile.transfer<tma>} : !heads, !q
    tile.copy %q[%h, %bx * 64, 0], %rs {instruction = #tile.transfer<tma>} : !heads, !q
    tile.pipelined %i = 0 to %n stages(2) {
      tile.copy %k[%h, %i * 64, 0], %ks {instruction = #tile.transfer<tma>} : !heads, !kv
      tile.gemm %qs, %ks, %s {clear, transpose_b, instruction = #mma} : !q, !kv, !scores
      tile.gemm %rs, %ks, %s {transpose_b, instruction = #mma} : !q, !kv, !scores
      tile.copy %s, %p : !scores, !q
      tile.gemm %p, %ks, %acc {instruction = #mma} : !q, !kv, !scores
    }
    tile.copy %acc, %o[%h, %bx * 128, 0] : !scores, !heads
  }
  return
}

// A gemm whose sums nobody needs yet goes on; those of an iteration have ended
// when it ends.
// CHECK-LABEL: func.func @sums
// CHECK: } consumer {
// CHECK: tile.pipelined
// CHECK: tile.gemm %{{.*}}, %{{.*}}, %[[S:.*]] {async, clear
// CHECK-NEXT: tile.gemm %{{.*}}, %{{.*}}, %[[T:.*]] {async, clear
// CHECK-NEXT: tile.gemm_wait %[[S]] pending(1)
// CHECK-NEXT: tile.copy %[[S]], %[[P:.*]] :
// CHECK-NEXT: tile.gemm %[[P]], %{{.*}}, %[[ACC:.*]] {async, instruction
// CHECK-NEXT: tile.gemm_wait %[[T]] pending(1)
// CHECK-NEXT: tile.parallel
// CHECK: tile.gemm_wait %[[ACC]] pending(0)
// CHECK-NEXT: tile.consumer_release
// CHECK-NEXT: }
// REMARK: [Passed] AsyncGemms | Category:tile-schedule | gemms=3
func.func @sums(%q: !heads, %k: !heads, %o: !heads, %u: !heads, %n: index) {
  %zero = arith.constant 0.0 : f32
  tile.kernel (%bx, %h) in (8, 8) threads(256) {
    %qs = tile.alloc {layout = #tile} : !q
    %rs = tile.alloc {layout = #tile} : !q
    %ks = tile.alloc {layout = #kv} : !kv
    %s = tile.alloc {layout = #s} : !scores
    %t = tile.alloc {layout = #s} : !scores
    %sum = tile.alloc {layout = #s} : !scores
    %p = tile.alloc {layout = #s} : !weights
    %acc = tile.alloc {layout = #s} : !scores
    tile.fill %acc, %zero : !scores
    tile.fill %sum, %zero : !scores
    tile.copy %q[%h, %bx * 128, 0], %qs {instruction = #tile.transfer<tma>} : !heads, !q
    tile.copy %q[%h, %bx * 64, 0], %rs {instruction = #tile.transfer<tma>} : !heads, !q
    tile.pipelined %i = 0 to %n stages(2) {
      tile.copy %k[%h, %i * 64, 0], %ks {instruction = #tile.transfer<tma>} : !heads, !kv
      tile.gemm %qs, %ks, %s {clear, transpose_b, instruction = #mma} : !q, !kv, !scores
      tile.gemm %rs, %ks, %t {clear, transpose_b, instruction = #mma} : !q, !kv, !scores
      tile.copy %s, %p : !scores, !weights
      tile.gemm %p, %ks, %acc {instruction = #mma} : !weights, !kv, !scores
      tile.parallel (%x, %y) in (128, 64) attributes {layout = #s} {
        %a = memref.load %t[%x, %y] : !scores
        %b = memref.load %sum[%x, %y] : !scores
        %c = arith.addf %a, %b : f32
        memref.store %c, %sum[%x, %y] : !scores
      }
    }
    tile.copy %acc, %o[%h, %bx * 128, 0] : !scores, !heads
    tile.copy %sum, %u[%h, %bx * 128, 0] : !scores, !heads
  }
  return
}
