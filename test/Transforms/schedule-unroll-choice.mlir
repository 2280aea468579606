// How many iterations become one where threads add up the sums of gemms is the program's choice (tile.unroll), and so it is
// elsewhere.

// RUN: tile-opt %s --tile-set-target=chip=sm_90a --tile-select-instructions --tile-infer-layout --tile-schedule --remarks-filter=tile-schedule -o %t 2> %t.remarks
// RUN: FileCheck %s --input-file=%t
// RUN: FileCheck %s --input-file=%t.remarks --check-prefix=REMARK
// RUN: tile-opt %t --tile-insert-barriers --tile-plan-shared --tile-verify-schedule -o /dev/null

!a = memref<128x768xf16>
!b = memref<64x768xf16>
!tile_a = memref<128x64xf16, #tile.shared>
!tile_b = memref<64x64xf16, #tile.shared>
!acc = memref<128x64xf32, #tile.fragment>

// CHECK-LABEL: func.func @three(
// CHECK: tile.pipelined %{{.*}} = 0 to 6 step 3 {
// CHECK: tile.pipelined %{{.*}} = 0 to 6 step 3 {
// CHECK-NOT: tile.unroll
// REMARK: UnrolledGemms {{.*}}iterations=3
func.func @three(%x: !a, %y: !b, %r: memref<128x64xf32>) {
  tile.kernel (%i) in (1) threads(256) {
    %as = tile.alloc : !tile_a
    %bs = tile.alloc : !tile_b
    %at = tile.alloc : !tile_a
    %bt = tile.alloc : !tile_b
    %p = tile.alloc : !acc
    %q = tile.alloc : !acc
    %sum = tile.alloc : !acc
    tile.fill %sum, 0.0
    tile.pipelined %k = 0 to 6 stages(2) attributes {tile.unroll = 3} {
      tile.copy %x[0, %k * 128], %as
      tile.copy %y[0, %k * 128], %bs
      tile.copy %x[0, %k * 128 + 64], %at
      tile.copy %y[0, %k * 128 + 64], %bt
      tile.gemm %as, %bs, %p {clear, transpose_b}
      tile.gemm %at, %bt, %q {clear, transpose_b}
      tile.parallel (%u, %v) in (128, 64) do %sum[%u, %v] = %sum[%u, %v] + %p[%u, %v] * 2.0
      tile.parallel (%u, %v) in (128, 64) do %sum[%u, %v] = %sum[%u, %v] - %q[%u, %v]
    }
    tile.copy %sum, %r[0, 0]
  }
  return
}

// CHECK-LABEL: func.func @kept(
// CHECK: tile.pipelined %{{.*}} = 0 to 4 attributes {tile.unroll = 1 : i64} {
// CHECK: tile.pipelined %{{.*}} = 0 to 4 attributes {tile.unroll = 1 : i64} {
func.func @kept(%x: !a, %y: !b, %r: memref<128x64xf32>) {
  tile.kernel (%i) in (1) threads(256) {
    %as = tile.alloc : !tile_a
    %bs = tile.alloc : !tile_b
    %at = tile.alloc : !tile_a
    %bt = tile.alloc : !tile_b
    %p = tile.alloc : !acc
    %q = tile.alloc : !acc
    %sum = tile.alloc : !acc
    tile.fill %sum, 0.0
    tile.pipelined %k = 0 to 4 stages(2) attributes {tile.unroll = 1} {
      tile.copy %x[0, %k * 128], %as
      tile.copy %y[0, %k * 128], %bs
      tile.copy %x[0, %k * 128 + 64], %at
      tile.copy %y[0, %k * 128 + 64], %bt
      tile.gemm %as, %bs, %p {clear, transpose_b}
      tile.gemm %at, %bt, %q {clear, transpose_b}
      tile.parallel (%u, %v) in (128, 64) do %sum[%u, %v] = %sum[%u, %v] + %p[%u, %v] * 2.0
      tile.parallel (%u, %v) in (128, 64) do %sum[%u, %v] = %sum[%u, %v] - %q[%u, %v]
    }
    tile.copy %sum, %r[0, 0]
  }
  return
}

// A choice that cannot be followed.
// CHECK-LABEL: func.func @not_a_multiple(
// CHECK: tile.pipelined %{{.*}} = 0 to 6 attributes
// REMARK: UnrolledGemms {{.*}}expected a known multiple of 4 iterations
func.func @not_a_multiple(%x: !a, %y: !b, %r: memref<128x64xf32>) {
  tile.kernel (%i) in (1) threads(256) {
    %as = tile.alloc : !tile_a
    %bs = tile.alloc : !tile_b
    %at = tile.alloc : !tile_a
    %bt = tile.alloc : !tile_b
    %p = tile.alloc : !acc
    %q = tile.alloc : !acc
    %sum = tile.alloc : !acc
    tile.fill %sum, 0.0
    tile.pipelined %k = 0 to 6 stages(2) attributes {tile.unroll = 4} {
      tile.copy %x[0, %k * 128], %as
      tile.copy %y[0, %k * 128], %bs
      tile.copy %x[0, %k * 128 + 64], %at
      tile.copy %y[0, %k * 128 + 64], %bt
      tile.gemm %as, %bs, %p {clear, transpose_b}
      tile.gemm %at, %bt, %q {clear, transpose_b}
      tile.parallel (%u, %v) in (128, 64) do %sum[%u, %v] = %sum[%u, %v] + %p[%u, %v] * 2.0
      tile.parallel (%u, %v) in (128, 64) do %sum[%u, %v] = %sum[%u, %v] - %q[%u, %v]
    }
    tile.copy %sum, %r[0, 0]
  }
  return
}

// Iterations that are no more than put one behind the other, each with a stage of its own.
// CHECK-LABEL: func.func @one_sum(
// CHECK: tile.pipelined %{{.*}} = 0 to 12 step 4 {
// CHECK-COUNT-4: tile.producer_commit
// CHECK-NOT: tile.producer_commit
// CHECK: tile.pipelined %{{.*}} = 0 to 12 step 4 {
// CHECK: tile.consumer_wait
// CHECK: tile.gemm
// CHECK: tile.consumer_release
// CHECK: tile.consumer_wait
// CHECK: tile.gemm
// CHECK: tile.consumer_release
// CHECK: tile.consumer_wait
// CHECK: tile.gemm
// CHECK: tile.consumer_release
// CHECK: tile.consumer_wait
// CHECK: tile.gemm
// CHECK: tile.consumer_release
// CHECK-NOT: tile.consumer_wait
// CHECK: return
// REMARK: UnrolledGemms {{.*}}iterations=4
func.func @one_sum(%x: !a, %y: !b, %r: memref<128x64xf32>) {
  tile.kernel (%i) in (1) threads(256) {
    %as = tile.alloc : !tile_a
    %bs = tile.alloc : !tile_b
    %sum = tile.alloc : !acc
    tile.fill %sum, 0.0
    tile.pipelined %k = 0 to 12 stages(2) attributes {tile.unroll = 4} {
      tile.copy %x[0, %k * 64], %as
      tile.copy %y[0, %k * 64], %bs
      tile.gemm %as, %bs, %sum {transpose_b}
    }
    tile.copy %sum, %r[0, 0]
  }
  return
}
