// RUN: tile-opt %s --pass-pipeline="builtin.module(tile-set-target{chip=sm_90a},tile-select-instructions,tile-infer-layout,tile-schedule)" | FileCheck %s
// RUN: tile-opt %s --pass-pipeline="builtin.module(tile-set-target{chip=sm_90a},tile-select-instructions,tile-infer-layout,tile-schedule,tile-insert-barriers,tile-plan-shared,tile-verify-schedule)" -o /dev/null
// RUN: tile-opt %s --pass-pipeline="builtin.module(tile-set-target{chip=sm_90a},tile-select-instructions,tile-infer-layout,tile-schedule)" --remarks-filter='tile-schedule' -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

!q = memref<4x64x576xbf16>
!kv = memref<4x4096x576xbf16>
!o = memref<4x64x512xbf16>
!tile = memref<64x512xbf16, #tile.shared>
!more = memref<64x64xbf16, #tile.shared>
!scores = memref<64x64xf32, #tile.fragment>

// Keys and values are one tile. The product of its first half starts in front of the next scores, and ends with them; the one of
// the second half runs beside these and what is computed of them. Two stages of each are held.
// CHECK-LABEL: func.func @halves
// CHECK: } consumer {
// CHECK: scf.if
// CHECK: tile.consumer_wait %[[K0:.*]] :
// CHECK: tile.consumer_wait %[[R:.*]] :
// CHECK: tile.consumer_release %[[R]]
// CHECK: tile.consumer_wait %[[K1:.*]] :
// CHECK-NOT: tile.consumer_release
// CHECK: tile.copy %[[S:.*]], %[[P:.*]] {instruction
// CHECK-NOT: tile.gemm
// CHECK: tile.pipelined %{{.*}} = 1 to
// CHECK-NEXT: %[[HELD0:.*]] = tile.consumer_wait %[[K0]] {tile.ahead = 0 : i64}
// CHECK-NEXT: %[[STAGE0:.*]] = tile.stage %{{.*}}[%[[HELD0]]]
// CHECK-NEXT: %[[HELD1:.*]] = tile.consumer_wait %[[K1]] {tile.ahead = 0 : i64}
// CHECK-NEXT: %[[STAGE1:.*]] = tile.stage %{{.*}}[%[[HELD1]]]
// CHECK-NEXT: tile.gemm %[[P]], %[[STAGE0]], %[[EARLY:.*]] {async, instruction
// CHECK-NEXT: tile.consumer_wait %[[K0]] {tile.ahead = 1 : i64}
// CHECK: tile.consumer_wait %[[R]] :
// CHECK: tile.consumer_wait %[[K1]] {tile.ahead = 1 : i64}
// CHECK: tile.gemm %{{.*}}, %{{.*}}, %[[S]] {async, {{.*}}transpose_b}
// CHECK-NEXT: tile.gemm %[[P]], %[[STAGE1]], %[[LATE:.*]] {async, instruction
// CHECK-NEXT: tile.gemm_wait %[[S]], %[[EARLY]] pending(1)
// CHECK-NEXT: tile.consumer_release %[[R]]
// CHECK-NEXT: tile.consumer_release %[[K0]]
// CHECK-NEXT: tile.reduce max %[[S]]
// CHECK: tile.gemm_wait %[[LATE]] pending(0)
// CHECK-NEXT: tile.consumer_release %[[K1]]
// CHECK-NEXT: tile.copy %[[S]], %[[P]]
// CHECK: {{^ *}$}}
// CHECK-NEXT: tile.consumer_wait %[[K0]] {tile.ahead = 0 : i64}
// CHECK-NEXT: tile.stage
// CHECK-NEXT: tile.consumer_wait %[[K1]] {tile.ahead = 0 : i64}
// CHECK-NEXT: tile.stage
// CHECK-NEXT: tile.gemm %[[P]], %{{.*}}, %[[EARLY]] {instruction
// CHECK-NEXT: tile.consumer_release %[[K0]]
// CHECK-NEXT: tile.gemm %[[P]], %{{.*}}, %[[LATE]] {instruction
// CHECK-NEXT: tile.consumer_release %[[K1]]
// REMARK: [Passed] GemmOverlap | Category:tile-schedule | Reason="the last gemm overlaps with the next iteration", in_front=1, ping_pong=0
func.func @halves(%q: !q, %kv: !kv, %o: !o, %n: index) {
  tile.kernel (%b) in (4) threads(256) {
    %qs = tile.alloc : !tile
    %qr = tile.alloc : !more
    %ks = tile.alloc : !tile
    %kr = tile.alloc : !more
    %p = tile.alloc : !more
    %s = tile.alloc : !scores
    %acc = tile.alloc : memref<64x512xf32, #tile.fragment>
    %all = tile.alloc : !scores
    %f = tile.alloc : memref<64xf32, #tile.fragment>
    tile.copy %q[%b, 0, 0], %qs
    tile.copy %q[%b, 0, 512], %qr
    tile.fill %acc, 0.0
    tile.fill %all, 0.0
    tile.pipelined %k = 0 to %n stages(2) {
      tile.copy %kv[%b, %k * 64, 0], %ks
      tile.copy %kv[%b, %k * 64, 512], %kr
      tile.gemm %qs, %ks, %s {clear, transpose_b}
      tile.gemm %qr, %kr, %s {transpose_b}
      tile.reduce max %s, %f dim(1)
      tile.parallel (%i, %j) in (64, 64) do %all[%i, %j] = %all[%i, %j] + %s[%i, %j]
      tile.copy %s, %p
      tile.gemm %p, %ks, %acc
    }
    tile.reduce sum %all, %f dim(1)
    tile.parallel (%i, %j) in (64, 512) do %acc[%i, %j] = %acc[%i, %j] / %f[%i]
    tile.copy %acc, %o[%b, 0, 0]
  }
  return
}

// Three stages: the whole product is late.
// CHECK-LABEL: func.func @three
// CHECK: tile.pipelined %{{.*}} = 1 to
// CHECK-NEXT: tile.consumer_wait %[[K:.*]] {tile.ahead = 1 : i64}
// CHECK: tile.consumer_wait %[[K]] {tile.ahead = 0 : i64}
// CHECK-NOT: tile.ahead = 0
// CHECK: }
// REMARK: [Passed] GemmOverlap
func.func @three(%q: !q, %kv: !kv, %o: memref<4x64x256xbf16>, %n: index) {
  tile.kernel (%b) in (4) threads(256) {
    %qs = tile.alloc : memref<64x256xbf16, #tile.shared>
    %ks = tile.alloc : memref<64x256xbf16, #tile.shared>
    %p = tile.alloc : !more
    %s = tile.alloc : !scores
    %acc = tile.alloc : memref<64x256xf32, #tile.fragment>
    tile.copy %q[%b, 0, 0], %qs
    tile.fill %acc, 0.0
    tile.pipelined %k = 0 to %n stages(3) {
      tile.copy %kv[%b, %k * 64, 0], %ks
      tile.gemm %qs, %ks, %s {clear, transpose_b}
      tile.copy %s, %p
      tile.gemm %p, %ks, %acc
    }
    tile.copy %acc, %o[%b, 0, 0]
  }
  return
}

// Two stages of a tile that is not divided: nothing would be loaded beside the late product.
// CHECK-LABEL: func.func @whole
// CHECK-NOT: tile.ahead
// REMARK: [Missed] GemmOverlap | {{.*}}its gemms share the stages of a pipeline: expected 3, got 2
func.func @whole(%q: !q, %kv: !kv, %o: !o, %n: index, %w: memref<512xf32>) {
  tile.kernel (%b) in (4) threads(256) {
    %qs = tile.alloc : !tile
    %ks = tile.alloc : !tile
    %p = tile.alloc : !more
    %s = tile.alloc : !scores
    %acc = tile.alloc : memref<64x512xf32, #tile.fragment>
    tile.copy %q[%b, 0, 0], %qs
    tile.fill %acc, 0.0
    tile.pipelined %k = 0 to %n stages(2) {
      tile.copy %kv[%b, %k * 64, 0], %ks
      tile.gemm %qs, %ks, %s {clear, transpose_b}
      tile.copy %s, %p
      tile.gemm %p, %ks, %acc
    }
    tile.parallel (%i, %j) in (64, 512) do %acc[%i, %j] = %acc[%i, %j] * %w[%j]
    tile.copy %acc, %o[%b, 0, 0]
  }
  return
}

// Threads copy a row in front of the scores, and a barrier stands behind that: the warpgroups cannot take turns, though each has
// rows of its own.
// CHECK-LABEL: func.func @barrier
// CHECK-NOT: tile.order_wait
// REMARK: [Passed] GemmOverlap {{.*}}ping_pong=0
// CHECK-LABEL: func.func @turns
// CHECK: tile.order_wait
// REMARK: [Passed] GemmOverlap {{.*}}ping_pong=2
!few = memref<64x64xbf16, #tile.shared>
!rows = memref<128x64xf32, #tile.fragment>
func.func @barrier(%q: memref<4x128x64xbf16>, %k: memref<4096x64xbf16>, %v: memref<4096x64xbf16>, %o: memref<4x128x64xbf16>, %n: index,
                   %w: memref<4096xf32>) {
  tile.kernel (%b) in (4) threads(256) {
    %qs = tile.alloc : memref<128x64xbf16, #tile.shared>
    %ks = tile.alloc : !few
    %vs = tile.alloc : !few
    %ws = tile.alloc : memref<64xf32, #tile.shared>
    %p = tile.alloc : memref<128x64xbf16, #tile.fragment>
    %f = tile.alloc : memref<64xf32, #tile.fragment>
    %s = tile.alloc : !rows
    %acc = tile.alloc : !rows
    tile.copy %q[%b, 0, 0], %qs
    tile.fill %acc, 0.0
    tile.pipelined %i = 0 to %n stages(2) {
      tile.copy %w[%i * 64], %ws prefer(sync)
      tile.parallel (%j) in (64) do %f[%j] = %ws[%j] + 1.0
      tile.copy %k[%i * 64, 0], %ks
      tile.copy %v[%i * 64, 0], %vs
      tile.gemm %qs, %ks, %s {clear, transpose_b}
      tile.parallel (%h, %j) in (128, 64) do %s[%h, %j] = %s[%h, %j] * %f[%j]
      tile.copy %s, %p
      tile.gemm %p, %vs, %acc
    }
    tile.copy %acc, %o[%b, 0, 0]
  }
  return
}

func.func @turns(%q: memref<4x128x64xbf16>, %k: memref<4096x64xbf16>, %v: memref<4096x64xbf16>, %o: memref<4x128x64xbf16>, %n: index) {
  tile.kernel (%b) in (4) threads(256) {
    %qs = tile.alloc : memref<128x64xbf16, #tile.shared>
    %ks = tile.alloc : !few
    %vs = tile.alloc : !few
    %p = tile.alloc : memref<128x64xbf16, #tile.fragment>
    %s = tile.alloc : !rows
    %acc = tile.alloc : !rows
    tile.copy %q[%b, 0, 0], %qs
    tile.fill %acc, 0.0
    tile.pipelined %i = 0 to %n stages(2) {
      tile.copy %k[%i * 64, 0], %ks
      tile.copy %v[%i * 64, 0], %vs
      tile.gemm %qs, %ks, %s {clear, transpose_b}
      tile.copy %s, %p
      tile.gemm %p, %vs, %acc
    }
    tile.copy %acc, %o[%b, 0, 0]
  }
  return
}
