// Attention to keys that a list names: threads read the list for the mask before the products run, and what threads gather for
// fewer products joins the stage of another gather.

// RUN: tile-opt %s --tile-set-target=chip=sm_90a --tile-select-instructions --tile-infer-layout --tile-schedule --tile-insert-barriers --tile-plan-shared --tile-verify-schedule | FileCheck %s
// RUN: tile-opt %s --tile-set-target=chip=sm_90a --tile-select-instructions --tile-infer-layout --tile-schedule --remarks-filter=tile-schedule -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

!q = memref<4x64x576xf16>
!keys = memref<64x512xf16, #tile.shared>
!more = memref<64x64xf16, #tile.shared>

// The list is a tensor copy, which starts behind the gather: that reads its entries before the stage is free.
// CHECK-LABEL: func.func @chosen
// CHECK: tile.pipelined
// CHECK: tile.producer_acquire %[[FIRST:.*]] bytes(256)
// CHECK: tile.gather %{{.*}}[0, 0] [64, 256] by {{.*}} signal(%[[FIRST]]
// CHECK: tile.gather %{{.*}}[0, 512] by {{.*}} signal(%[[FIRST]]
// CHECK: tile.copy {{.*}} signal(%[[FIRST]]
// CHECK: tile.gather %{{.*}}[0, 256] [64, 256] by {{.*}} signal(%[[SECOND:.*]] :
// CHECK: } consumer {
// CHECK: tile.pipelined
// CHECK: tile.consumer_wait %[[FIRST]]
// CHECK: %[[LIST:.*]] = tile.stage %{{.*}} : memref<2x64xi32, #tile.shared>
// CHECK: tile.parallel
// CHECK-NEXT: memref.load %[[LIST]]
// CHECK-NEXT: memref.store %{{.*}}, %[[EARLY:.*]][
// CHECK: tile.gemm %{{.*}} {async
// CHECK-NOT: memref.load %[[LIST]]
// CHECK: scf.if
// CHECK: memref.load %[[EARLY]][
// CHECK: memref.load %[[EARLY]][
// CHECK: tile.gemm_wait
// CHECK: return
// REMARK: [Passed] EarlyReads {{.*}}reads=1
// REMARK: [Passed] GemmOverlap
// REMARK: [Passed] WarpSpecialization {{.*}}pipelines=4
func.func @chosen(%q: !q, %kv: memref<4096x576xf16>, %list: memref<4x2048xi32>, %o: memref<4x64x512xf16>, %visible: i1) {
  tile.kernel (%b) in (4) threads(256) {
    %qs = tile.alloc : !keys
    %qr = tile.alloc : !more
    %ks = tile.alloc : !keys
    %kr = tile.alloc : !more
    %p = tile.alloc : !more
    %at = tile.alloc : memref<64xi32, #tile.shared>
    %bias = tile.alloc : memref<64xf32, #tile.fragment>
    %s = tile.alloc : memref<64x64xf32, #tile.fragment>
    %acc = tile.alloc : memref<64x512xf32, #tile.fragment>
    tile.copy %q[%b, 0, 0], %qs
    tile.copy %q[%b, 0, 512], %qr
    tile.fill %acc, 0.0
    tile.pipelined %k = 0 to 32 stages(2) {
      tile.copy %list[%b, %k * 64], %at
      tile.gather %kv[0, 0] by %list[%b, %k * 64], %ks
      tile.gather %kv[0, 512] by %list[%b, %k * 64], %kr
      tile.gemm %qs, %ks, %s {clear, transpose_b}
      tile.gemm %qr, %kr, %s {transpose_b}
      scf.if %visible {
        tile.parallel (%j) in (64) do %bias[%j] = select(and(%at[%j] >= 0, %at[%j] <= 900), 0.0, -inf)
      }
      tile.parallel (%i, %j) in (64, 64) do %s[%i, %j] = %s[%i, %j] + %bias[%j]
      tile.copy %s, %p
      tile.gemm %p, %ks, %acc
    }
    tile.copy %acc, %o[%b, 0, 0]
  }
  return
}
