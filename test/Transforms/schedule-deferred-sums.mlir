// Sums of rows that a loop adds up across warps: threads keep what they add up until the loop has ended.

// RUN: tile-opt %s --tile-set-target=chip=sm_90a --tile-select-instructions --tile-infer-layout --tile-schedule | FileCheck %s
// RUN: tile-opt %s --tile-set-target=chip=sm_90a --tile-select-instructions --tile-infer-layout --tile-schedule --remarks-filter=tile-schedule -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK: [Passed] DeferredSums | Category:tile-schedule | Reason="warps that share rows add them up behind the loop", reductions=1
// REMARK-NOT: DeferredSums

!a = memref<64x64xf16, #tile.shared>
!b = memref<64x64xf16, #tile.shared>
!scores = memref<64x64xf32, #tile.fragment>
!column = memref<64xf32, #tile.fragment>

// Each thread has 16 elements of two rows: first it adds up the four columns that are 8 apart, then neighbours.
// CHECK-LABEL: func.func @sums
// CHECK-DAG: %[[PARTS:.*]] = tile.alloc {layout = {{.*}}} : memref<64x2x4xf32, #tile.fragment>
// CHECK-DAG: %[[PAIRS:.*]] = tile.alloc {layout = {{.*}}} : memref<64x2x4x2xf32, #tile.fragment>
// CHECK-DAG: %[[SUM:.*]] = tile.alloc {layout = {{.*}}rep(4 lane, 2 warp*4)>} : memref<64xf32, #tile.fragment>
// CHECK-DAG: %[[ALL:.*]] = tile.reshape %[[PARTS]] : memref<64x2x4xf32, #tile.fragment> to memref<64x8xf32, #tile.fragment>
// CHECK-DAG: tile.fill %[[PARTS]]
// CHECK: tile.pipelined
// CHECK: tile.parallel (%[[I:.*]], %[[J:.*]], %[[K:.*]]) in (64, 2, 4)
// CHECK: %[[PART:.*]] = memref.load %[[PARTS]][%[[I]], %[[J]], %[[K]]]
// CHECK: %[[FADED:.*]] = arith.mulf %[[PART]], %{{.*}}
// CHECK: memref.store %[[FADED]], %[[PARTS]][%[[I]], %[[J]], %[[K]]]
// CHECK: %[[VIEW:.*]] = tile.reshape %{{.*}} : memref<64x64xf32, #tile.fragment> to memref<64x2x4x4x2xf32, #tile.fragment>
// CHECK: tile.reduce sum %[[VIEW]], %[[PAIRS]] dim(2) :
// CHECK: tile.reduce sum %[[PAIRS]], %[[PARTS]] dim(3) {combine}
// CHECK: tile.reduce sum %[[ALL]], %[[SUM]] dim(1) :
// CHECK: memref.load %[[SUM]]
// CHECK: return
func.func @sums(%a: memref<64x64xf16>, %b: memref<512x64xf16>, %y: memref<64xf32>) {
  tile.kernel (%x) in (1) threads(256) {
    %as = tile.alloc : !a
    %bs = tile.alloc : !b
    %s = tile.alloc : !scores
    %sum = tile.alloc : !column
    %fade = tile.alloc : !column
    tile.copy %a, %as
    tile.fill %sum, 0.0
    tile.fill %fade, 1.0
    tile.pipelined %k = 0 to 8 stages(2) {
      tile.copy %b[%k * 64, 0], %bs
      tile.gemm %as, %bs, %s {clear, transpose_b}
      tile.parallel (%i) in (64) do {
        %fade[%i] = %fade[%i] * 0.5
        %sum[%i] = %sum[%i] * %fade[%i]
      }
      tile.reduce sum %s, %sum dim(1) {combine}
    }
    tile.parallel (%i) in (64) do %sum[%i] = %sum[%i] + 1.0
    tile.copy %sum, %y
  }
  return
}

// The sums are read in each iteration.
// CHECK-LABEL: func.func @read
// CHECK: tile.reduce sum %{{.*}}, %{{.*}} dim(1) {combine}
func.func @read(%a: memref<64x64xf16>, %b: memref<512x64xf16>, %y: memref<8x64xf32>) {
  tile.kernel (%x) in (1) threads(256) {
    %as = tile.alloc : !a
    %bs = tile.alloc : !b
    %s = tile.alloc : !scores
    %sum = tile.alloc : !column
    tile.copy %a, %as
    tile.fill %sum, 0.0
    tile.pipelined %k = 0 to 8 stages(2) {
      tile.copy %b[%k * 64, 0], %bs
      tile.gemm %as, %bs, %s {clear, transpose_b}
      tile.reduce sum %s, %sum dim(1) {combine}
      tile.copy %sum, %y[%k, 0]
    }
  }
  return
}

// Parts of a sum that begins with another number would each have it.
// CHECK-LABEL: func.func @ones
// CHECK: tile.reduce sum %{{.*}}, %{{.*}} dim(1) {combine}
func.func @ones(%a: memref<64x64xf16>, %b: memref<512x64xf16>, %y: memref<64xf32>) {
  tile.kernel (%x) in (1) threads(256) {
    %as = tile.alloc : !a
    %bs = tile.alloc : !b
    %s = tile.alloc : !scores
    %sum = tile.alloc : !column
    tile.copy %a, %as
    tile.fill %sum, 1.0
    tile.pipelined %k = 0 to 8 stages(2) {
      tile.copy %b[%k * 64, 0], %bs
      tile.gemm %as, %bs, %s {clear, transpose_b}
      tile.reduce sum %s, %sum dim(1) {combine}
    }
    tile.copy %sum, %y
  }
  return
}

// What is added to the sums would be added to each part.
// CHECK-LABEL: func.func @added
// CHECK: tile.reduce sum %{{.*}}, %{{.*}} dim(1) {combine}
func.func @added(%a: memref<64x64xf16>, %b: memref<512x64xf16>, %y: memref<64xf32>) {
  tile.kernel (%x) in (1) threads(256) {
    %as = tile.alloc : !a
    %bs = tile.alloc : !b
    %s = tile.alloc : !scores
    %sum = tile.alloc : !column
    tile.copy %a, %as
    tile.fill %sum, 0.0
    tile.pipelined %k = 0 to 8 stages(2) {
      tile.copy %b[%k * 64, 0], %bs
      tile.gemm %as, %bs, %s {clear, transpose_b}
      tile.parallel (%i) in (64) do %sum[%i] = %sum[%i] + 0.5
      tile.reduce sum %s, %sum dim(1) {combine}
    }
    tile.copy %sum, %y
  }
  return
}

// A warp has whole rows: what is exchanged are shuffles.
// CHECK-LABEL: func.func @rows
// CHECK: tile.reduce sum %{{.*}}, %{{.*}} dim(1) {combine}
func.func @rows(%a: memref<64x64xf16>, %b: memref<512x64xf16>, %y: memref<64xf32>) {
  tile.kernel (%x) in (1) threads(128) {
    %as = tile.alloc : !a
    %bs = tile.alloc : !b
    %s = tile.alloc : !scores
    %sum = tile.alloc : !column
    tile.copy %a, %as
    tile.fill %sum, 0.0
    tile.pipelined %k = 0 to 8 stages(2) {
      tile.copy %b[%k * 64, 0], %bs
      tile.gemm %as, %bs, %s {clear, transpose_b}
      tile.reduce sum %s, %sum dim(1) {combine}
    }
    tile.copy %sum, %y
  }
  return
}
