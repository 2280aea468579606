// RUN: tile-opt %s --tile-set-target=chip=sm_90a --tile-schedule | FileCheck %s
// RUN: tile-opt %s --pass-pipeline="builtin.module(tile-set-target{chip=sm_90a},tile-schedule,tile-insert-barriers,tile-plan-shared,tile-verify-schedule)" -o /dev/null
// RUN: tile-opt %s --tile-set-target=chip=sm_90a --tile-schedule --remarks-filter='tile-schedule' -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

#s = #tile.layout<[128: 2 warp*4, 4 warp, 2 reg*2, 8 lane*4][64: 8 reg*4, 4 lane, 2 reg]>
#row = #tile.layout<[128: 2 warp*4, 4 warp, 2 reg, 8 lane*4] rep(4 lane)>
#tile = #tile.layout<[128: 128 offset*64][64: 64 offset] swizzle(3, 3, 3)>
#kv = #tile.layout<[64: 64 offset*64][64: 64 offset] swizzle(3, 3, 3)>
#qk = #tile.mma<wgmma, m = 64, n = 64, k = 16, warps_m = 8, warps_n = 1>

!heads = memref<8x1024x64xf16>
!q = memref<128x64xf16, #tile.shared>
!kv = memref<64x64xf16, #tile.shared>
!scores = memref<128x64xf32, #tile.fragment>
!weights = memref<128x64xf16, #tile.fragment>
!row = memref<128xf32, #tile.fragment>

// The product of a key block runs over the scores of the next one. Two
// warpgroups start their products in turns.
// CHECK-LABEL: func.func @attention
// CHECK: } consumer {
// CHECK: %[[ANY:.*]] = arith.cmpi slt, %[[LB:.*]], %[[N:.*]] : index
// CHECK-NEXT: scf.if %[[ANY]] {
// CHECK-NEXT: tile.consumer_wait %[[K:.*]] :
// CHECK-NEXT: tile.stage
// CHECK-NEXT: tile.gemm %{{.*}} {clear, instruction = {{.*}}, transpose_b}
// CHECK-NEXT: tile.consumer_release %[[K]]
// CHECK-NEXT: tile.reduce max
// CHECK-NEXT: tile.copy
// CHECK-NEXT: tile.parallel
// CHECK: tile.pipelined %{{.*}} = 1 to %[[N]] {
// CHECK-NEXT: tile.order_wait
// CHECK-NEXT: tile.consumer_wait %[[K]]
// CHECK-NEXT: tile.stage
// CHECK-NEXT: tile.gemm %{{.*}}, %{{.*}}, %[[S:.*]] {async, clear
// CHECK-NEXT: tile.consumer_wait %[[V:.*]] :
// CHECK-NEXT: tile.stage
// CHECK-NEXT: tile.gemm %[[P:.*]], %{{.*}}, %[[ACC:.*]] {async, instruction
// CHECK-NEXT: tile.order_arrive
// CHECK-NEXT: tile.gemm_wait %[[S]] pending(1)
// CHECK-NEXT: tile.consumer_release %[[K]]
// CHECK-NEXT: tile.reduce max %[[S]]
// CHECK-NEXT: tile.gemm_wait %[[ACC]] pending(0)
// CHECK-NEXT: tile.consumer_release %[[V]]
// CHECK-NEXT: tile.copy %[[S]], %[[P]]
// CHECK-NEXT: tile.parallel
// CHECK: tile.consumer_wait %[[V]]
// CHECK-NEXT: tile.stage
// CHECK-NEXT: tile.gemm %[[P]], %{{.*}}, %[[ACC]] {instruction
// CHECK-NEXT: tile.consumer_release %[[V]]
// CHECK-NEXT: }
// REMARK: [Passed] GemmOverlap | Category:tile-schedule | Reason="the last gemm overlaps with the next iteration", ping_pong=2
func.func @attention(%q: !heads, %k: !heads, %v: !heads, %o: !heads, %n: index) {
  %zero = arith.constant 0.0 : f32
  tile.kernel (%bx, %h) in (8, 8) threads(256) {
    %qs = tile.alloc {layout = #tile} : !q
    %ks = tile.alloc {layout = #kv} : !kv
    %vs = tile.alloc {layout = #kv} : !kv
    %s = tile.alloc {layout = #s} : !scores
    %p = tile.alloc {layout = #s} : !weights
    %acc = tile.alloc {layout = #s} : !scores
    %max = tile.alloc {layout = #row} : !row
    tile.fill %acc, %zero : !scores
    tile.copy %q[%h, %bx * 128, 0], %qs {instruction = #tile.transfer<tma>} : !heads, !q
    tile.pipelined %i = 0 to %n stages(2) {
      tile.copy %k[%h, %i * 64, 0], %ks {instruction = #tile.transfer<tma>} : !heads, !kv
      tile.copy %v[%h, %i * 64, 0], %vs {instruction = #tile.transfer<tma>} : !heads, !kv
      tile.gemm %qs, %ks, %s {clear, transpose_b, instruction = #qk} : !q, !kv, !scores
      tile.reduce max %s, %max dim(1) : !scores, !row
      tile.copy %s, %p : !scores, !weights
      tile.parallel (%x, %y) in (128, 64) attributes {layout = #s} {
        %e = memref.load %acc[%x, %y] : !scores
        %m = memref.load %max[%x] : !row
        %f = arith.mulf %e, %m : f32
        memref.store %f, %acc[%x, %y] : !scores
      }
      tile.gemm %p, %vs, %acc {instruction = #qk} : !weights, !kv, !scores
    }
    tile.copy %acc, %o[%h, %bx * 128, 0] : !scores, !heads
  }
  return
}

// A first product that needs the last one of the iteration before.
// CHECK-LABEL: func.func @chain
// CHECK-NOT: async
// CHECK: return
// REMARK: [Missed] GemmOverlap | {{.*}}its first gemm depends on the last one of the previous iteration
func.func @chain(%k: !heads, %n: index) {
  %zero = arith.constant 0.0 : f32
  tile.kernel (%h) in (8) threads(256) {
    %ks = tile.alloc {layout = #kv} : !kv
    %vs = tile.alloc {layout = #kv} : !kv
    %s = tile.alloc {layout = #s} : !scores
    %p = tile.alloc {layout = #s} : !weights
    %t = tile.alloc {layout = #s} : !scores
    tile.pipelined %i = 0 to %n stages(2) {
      tile.copy %k[%h, %i * 64, 0], %ks {instruction = #tile.transfer<tma>} : !heads, !kv
      tile.copy %k[%h, %i * 64 + 64, 0], %vs {instruction = #tile.transfer<tma>} : !heads, !kv
      tile.gemm %p, %ks, %s {clear, instruction = #qk} : !weights, !kv, !scores
      tile.copy %s, %p : !scores, !weights
      tile.gemm %p, %vs, %s {clear, instruction = #qk} : !weights, !kv, !scores
    }
  }
  return
}

// An op behind the last product.
// CHECK-LABEL: func.func @behind
// CHECK-NOT: async
// CHECK: return
// REMARK: [Missed] GemmOverlap | {{.*}}its last gemm is followed by other ops
func.func @behind(%q: !heads, %k: !heads, %n: index) {
  tile.kernel (%h) in (8) threads(256) {
    %qs = tile.alloc {layout = #tile} : !q
    %ks = tile.alloc {layout = #kv} : !kv
    %vs = tile.alloc {layout = #kv} : !kv
    %s = tile.alloc {layout = #s} : !scores
    %p = tile.alloc {layout = #s} : !weights
    %acc = tile.alloc {layout = #s} : !scores
    tile.copy %q[%h, 0, 0], %qs {instruction = #tile.transfer<tma>} : !heads, !q
    tile.pipelined %i = 0 to %n stages(2) {
      tile.copy %k[%h, %i * 64, 0], %ks {instruction = #tile.transfer<tma>} : !heads, !kv
      tile.copy %k[%h, %i * 64 + 64, 0], %vs {instruction = #tile.transfer<tma>} : !heads, !kv
      tile.gemm %qs, %ks, %s {clear, transpose_b, instruction = #qk} : !q, !kv, !scores
      tile.copy %s, %p : !scores, !weights
      tile.gemm %p, %vs, %acc {instruction = #qk} : !weights, !kv, !scores
      tile.copy %acc, %p : !scores, !weights
    }
  }
  return
}

// The rest of rows behind whole tiles is one iteration, in which nothing runs beside anything. Two iterations may overlap.
// CHECK-LABEL: func.func @rest
// CHECK: } consumer {
// CHECK-NOT: scf.if
// CHECK: tile.pipelined %{{.*}} = %{{.*}} to %{{.*}} {
// CHECK-NOT: async
// CHECK: scf.if
// CHECK: tile.gemm_wait %{{.*}} pending(1)
// CHECK: return
// REMARK: [Missed] GemmOverlap | {{.*}}it has one iteration at most
// REMARK: [Passed] GemmOverlap
func.func @rest(%q: !heads, %k: !heads, %n: index) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %steps = affine.apply affine_map<(n) -> (n ceildiv 64)>(%n)
  %more = affine.apply affine_map<(n) -> (n ceildiv 64 + 1)>(%n)
  %whole = arith.floordivsi %n, %c64 : index
  %some = arith.minsi %whole, %steps : index
  %first = arith.maxsi %some, %c0 : index
  tile.kernel (%h) in (8) threads(256) {
    %qs = tile.alloc {layout = #tile} : !q
    %ks = tile.alloc {layout = #kv} : !kv
    %vs = tile.alloc {layout = #kv} : !kv
    %s = tile.alloc {layout = #s} : !scores
    %p = tile.alloc {layout = #s} : !weights
    %acc = tile.alloc {layout = #s} : !scores
    tile.copy %q[%h, 0, 0], %qs {instruction = #tile.transfer<tma>} : !heads, !q
    tile.pipelined %i = %first to %steps stages(2) {
      tile.copy %k[%h, %i * 64, 0], %ks {instruction = #tile.transfer<tma>} : !heads, !kv
      tile.copy %k[%h, %i * 64 + 64, 0], %vs {instruction = #tile.transfer<tma>} : !heads, !kv
      tile.gemm %qs, %ks, %s {clear, transpose_b, instruction = #qk} : !q, !kv, !scores
      tile.copy %s, %p : !scores, !weights
      tile.gemm %p, %vs, %acc {instruction = #qk} : !weights, !kv, !scores
    }
    tile.pipelined %i = %first to %more stages(2) {
      tile.copy %k[%h, %i * 64, 0], %ks {instruction = #tile.transfer<tma>} : !heads, !kv
      tile.copy %k[%h, %i * 64 + 64, 0], %vs {instruction = #tile.transfer<tma>} : !heads, !kv
      tile.gemm %qs, %ks, %s {clear, transpose_b, instruction = #qk} : !q, !kv, !scores
      tile.copy %s, %p : !scores, !weights
      tile.gemm %p, %vs, %acc {instruction = #qk} : !weights, !kv, !scores
    }
  }
  return
}

// The first tiles of a window of 512 keys, and its last one: one iteration each, between extremes of quotients. A window of 513 begins a tile earlier.
// CHECK-LABEL: func.func @window
// CHECK: } consumer {
// CHECK-NOT: scf.if
// CHECK: tile.pipelined %{{.*}} = %{{.*}} to %{{.*}} {
// CHECK-NOT: async
// CHECK: scf.if
// CHECK: tile.gemm_wait %{{.*}} pending(1)
// CHECK: tile.pipelined %{{.*}} = %[[LAST:.*]] to %[[END:.*]] {
// CHECK-NOT: async
// CHECK: scf.if
// CHECK: tile.gemm_wait %{{.*}} pending(1)
// CHECK: return
// REMARK: [Missed] GemmOverlap | {{.*}}it has one iteration at most
// REMARK: [Passed] GemmOverlap
// REMARK: [Missed] GemmOverlap | {{.*}}it has one iteration at most
// REMARK: [Passed] GemmOverlap
func.func @window(%q: !heads, %k: !heads) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  tile.kernel (%h, %x) in (8, 16) threads(256) {
    %past = affine.apply affine_map<(x) -> (x + 1)>(%x)
    %end = arith.minsi %past, %c16 : index
    %first = affine.apply affine_map<(x) -> (x * 64 - 511)>(%x)
    %some = arith.maxsi %first, %c0 : index
    %begin = affine.apply affine_map<(x) -> (x floordiv 64)>(%some)
    %seen = affine.apply affine_map<(x) -> ((x * 64 - 448) ceildiv 64)>(%x)
    %inner = arith.maxsi %seen, %begin : index
    %whole = arith.minsi %inner, %end : index
    %diagonal = arith.minsi %x, %end : index
    %last = arith.maxsi %diagonal, %whole : index
    %earlier = affine.apply affine_map<(x) -> (x * 64 - 513)>(%x)
    %more = arith.maxsi %earlier, %c0 : index
    %wider = affine.apply affine_map<(x) -> (x floordiv 64)>(%more)
    %qs = tile.alloc {layout = #tile} : !q
    %ks = tile.alloc {layout = #kv} : !kv
    %vs = tile.alloc {layout = #kv} : !kv
    %s = tile.alloc {layout = #s} : !scores
    %p = tile.alloc {layout = #s} : !weights
    %acc = tile.alloc {layout = #s} : !scores
    tile.copy %q[%h, 0, 0], %qs {instruction = #tile.transfer<tma>} : !heads, !q
    tile.pipelined %i = %begin to %whole stages(2) {
      tile.copy %k[%h, %i * 64, 0], %ks {instruction = #tile.transfer<tma>} : !heads, !kv
      tile.copy %k[%h, %i * 64 + 64, 0], %vs {instruction = #tile.transfer<tma>} : !heads, !kv
      tile.gemm %qs, %ks, %s {clear, transpose_b, instruction = #qk} : !q, !kv, !scores
      tile.copy %s, %p : !scores, !weights
      tile.gemm %p, %vs, %acc {instruction = #qk} : !weights, !kv, !scores
    }
    tile.pipelined %i = %whole to %last stages(2) {
      tile.copy %k[%h, %i * 64, 0], %ks {instruction = #tile.transfer<tma>} : !heads, !kv
      tile.copy %k[%h, %i * 64 + 64, 0], %vs {instruction = #tile.transfer<tma>} : !heads, !kv
      tile.gemm %qs, %ks, %s {clear, transpose_b, instruction = #qk} : !q, !kv, !scores
      tile.copy %s, %p : !scores, !weights
      tile.gemm %p, %vs, %acc {instruction = #qk} : !weights, !kv, !scores
    }
    tile.pipelined %i = %last to %end stages(2) {
      tile.copy %k[%h, %i * 64, 0], %ks {instruction = #tile.transfer<tma>} : !heads, !kv
      tile.copy %k[%h, %i * 64 + 64, 0], %vs {instruction = #tile.transfer<tma>} : !heads, !kv
      tile.gemm %qs, %ks, %s {clear, transpose_b, instruction = #qk} : !q, !kv, !scores
      tile.copy %s, %p : !scores, !weights
      tile.gemm %p, %vs, %acc {instruction = #qk} : !weights, !kv, !scores
    }
    tile.pipelined %i = %wider to %whole stages(2) {
      tile.copy %k[%h, %i * 64, 0], %ks {instruction = #tile.transfer<tma>} : !heads, !kv
      tile.copy %k[%h, %i * 64 + 64, 0], %vs {instruction = #tile.transfer<tma>} : !heads, !kv
      tile.gemm %qs, %ks, %s {clear, transpose_b, instruction = #qk} : !q, !kv, !scores
      tile.copy %s, %p : !scores, !weights
      tile.gemm %p, %vs, %acc {instruction = #qk} : !weights, !kv, !scores
    }
  }
  return
}

// What a bound is the largest of is looked at so often and no more.
// CHECK-LABEL: func.func @many
// CHECK: tile.gemm_wait %{{.*}} pending(1)
// REMARK: [Passed] GemmOverlap
func.func @many(%q: !heads, %k: !heads, %n: index, %m0: index) {
  %m1 = arith.maxsi %m0, %m0 : index
  %m2 = arith.maxsi %m1, %m1 : index
  %m3 = arith.maxsi %m2, %m2 : index
  %m4 = arith.maxsi %m3, %m3 : index
  %m5 = arith.maxsi %m4, %m4 : index
  %m6 = arith.maxsi %m5, %m5 : index
  %m7 = arith.maxsi %m6, %m6 : index
  %m8 = arith.maxsi %m7, %m7 : index
  %m9 = arith.maxsi %m8, %m8 : index
  %m10 = arith.maxsi %m9, %m9 : index
  %m11 = arith.maxsi %m10, %m10 : index
  %m12 = arith.maxsi %m11, %m11 : index
  %m13 = arith.maxsi %m12, %m12 : index
  %m14 = arith.maxsi %m13, %m13 : index
  %m15 = arith.maxsi %m14, %m14 : index
  %m16 = arith.maxsi %m15, %m15 : index
  %m17 = arith.maxsi %m16, %m16 : index
  %m18 = arith.maxsi %m17, %m17 : index
  %m19 = arith.maxsi %m18, %m18 : index
  %m20 = arith.maxsi %m19, %m19 : index
  %m21 = arith.maxsi %m20, %m20 : index
  %m22 = arith.maxsi %m21, %m21 : index
  %m23 = arith.maxsi %m22, %m22 : index
  %m24 = arith.maxsi %m23, %m23 : index
  %m25 = arith.maxsi %m24, %m24 : index
  %m26 = arith.maxsi %m25, %m25 : index
  %m27 = arith.maxsi %m26, %m26 : index
  %m28 = arith.maxsi %m27, %m27 : index
  %m29 = arith.maxsi %m28, %m28 : index
  %m30 = arith.maxsi %m29, %m29 : index
  %m31 = arith.maxsi %m30, %m30 : index
  %m32 = arith.maxsi %m31, %m31 : index
  %m33 = arith.maxsi %m32, %m32 : index
  %m34 = arith.maxsi %m33, %m33 : index
  %m35 = arith.maxsi %m34, %m34 : index
  %m36 = arith.maxsi %m35, %m35 : index
  %m37 = arith.maxsi %m36, %m36 : index
  %m38 = arith.maxsi %m37, %m37 : index
  %m39 = arith.maxsi %m38, %m38 : index
  %m40 = arith.maxsi %m39, %m39 : index
  tile.kernel (%h) in (8) threads(256) {
    %qs = tile.alloc {layout = #tile} : !q
    %ks = tile.alloc {layout = #kv} : !kv
    %vs = tile.alloc {layout = #kv} : !kv
    %s = tile.alloc {layout = #s} : !scores
    %p = tile.alloc {layout = #s} : !weights
    %acc = tile.alloc {layout = #s} : !scores
    tile.copy %q[%h, 0, 0], %qs {instruction = #tile.transfer<tma>} : !heads, !q
    tile.pipelined %i = %m40 to %n stages(2) {
      tile.copy %k[%h, %i * 64, 0], %ks {instruction = #tile.transfer<tma>} : !heads, !kv
      tile.copy %k[%h, %i * 64 + 64, 0], %vs {instruction = #tile.transfer<tma>} : !heads, !kv
      tile.gemm %qs, %ks, %s {clear, transpose_b, instruction = #qk} : !q, !kv, !scores
      tile.copy %s, %p : !scores, !weights
      tile.gemm %p, %vs, %acc {instruction = #qk} : !weights, !kv, !scores
    }
  }
  return
}
