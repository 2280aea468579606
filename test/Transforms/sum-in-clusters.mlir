// RUN: tile-opt %s --tile-set-target=chip=sm_90a --tile-sum-in-clusters --remarks-filter=tile-sum-in-clusters 2> %t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t.remarks
// RUN: tile-opt %s --tile-set-target=chip=sm_80 --tile-sum-in-clusters | FileCheck %s --check-prefix=NONE

// NONE-NOT: cluster

// A copy of a fragment: the cluster lies along the coordinate that numbers the parts.
// REMARK: [Passed] ClusterSum | {{.*}} | blocks=2
// CHECK-LABEL: func.func @copied(
// CHECK-SAME: %{{.*}}: memref<2x100x64xf32>, %[[C:.*]]: memref<100x64xbf16>)
// CHECK-NOT: tile.alloc : memref<2x100x64xf32>
// CHECK: tile.kernel (%{{.*}}, %[[Y:.*]]) in (2, 2) cluster(2, 1)
// CHECK: tile.copy %{{.*}}, %[[C]][%[[Y]] * 64, 0] [64, 64] {tile.cluster_sum = 2 : i64}
// CHECK-NOT: tile.kernel
// CHECK: return
!parts = memref<2x100x64xf32>
!tile = memref<64x64xf32, #tile.fragment>
func.func @copied(%a: !parts, %c: memref<100x64xbf16>) {
  %parts = tile.alloc : !parts
  tile.kernel (%z, %y) in (2, 2) {
    %sum = tile.alloc : !tile
    tile.copy %a[%z, %y * 64, 0] [1, 64, 64], %sum
    tile.copy %sum, %parts[%z, %y * 64, 0] [1, 64, 64]
  }
  tile.kernel (%y) in (25) {
    %all = tile.alloc : memref<2x4x64xf32, #tile.fragment>
    %sum = tile.alloc : memref<4x64xf32, #tile.fragment>
    tile.copy %parts[0, %y * 4, 0], %all
    tile.reduce sum %all, %sum dim(0)
    tile.copy %sum, %c[%y * 4, 0]
  }
  return
}

// An element of a fragment in a loop, turned, on a condition.
// REMARK: [Passed] ClusterSum | {{.*}} | blocks=2
// CHECK-LABEL: func.func @turned(
// CHECK-SAME: %[[C:.*]]: memref<100x64xf32>)
// CHECK: tile.kernel (%{{.*}}, %{{.*}}) in (2, 2) cluster(1, 2)
// CHECK: tile.parallel (%[[I:.*]], %[[J:.*]]) in (64, 64) attributes {tile.cluster_sum = 2 : i64}
// CHECK: scf.if
// CHECK: memref.store %{{.*}}, %[[C]][%{{.*}}, %[[I]]]
// CHECK-NOT: tile.kernel
// CHECK: return
func.func @turned(%c: memref<100x64xf32>) {
  %parts = tile.alloc : !parts
  tile.kernel (%y, %z) in (2, 2) {
    %sum = tile.alloc : !tile
    tile.fill %sum, 1.0
    tile.parallel (%i, %j) in (64, 64) do {
      if %y * 64 + %j < 100 { %parts[%z, %y * 64 + %j, %i] = %sum[%i, %j] }
    }
  }
  tile.kernel (%y) in (100) {
    %all = tile.alloc : memref<2x1x64xf32, #tile.fragment>
    %sum = tile.alloc : memref<1x64xf32, #tile.fragment>
    tile.copy %parts[0, %y, 0], %all
    tile.reduce sum %all, %sum dim(0)
    tile.copy %sum, %c[%y, 0]
  }
  return
}

// 24 of 25 tiles of the result: the other elements keep what they were.
// REMARK: [Missed] ClusterSum | {{.*}} | Reason="the tiles of the second kernel are not known to be the result"
// CHECK-LABEL: func.func @part_of_result(
// CHECK-COUNT-2: tile.kernel
func.func @part_of_result(%a: !parts, %c: memref<100x64xbf16>) {
  %parts = tile.alloc : !parts
  tile.kernel (%z, %y) in (2, 2) {
    %sum = tile.alloc : !tile
    tile.copy %a[%z, %y * 64, 0] [1, 64, 64], %sum
    tile.copy %sum, %parts[%z, %y * 64, 0] [1, 64, 64]
  }
  tile.kernel (%y) in (24) {
    %all = tile.alloc : memref<2x4x64xf32, #tile.fragment>
    %sum = tile.alloc : memref<4x64xf32, #tile.fragment>
    tile.copy %parts[0, %y * 4, 0], %all
    tile.reduce sum %all, %sum dim(0)
    tile.copy %sum, %c[%y * 4, 0]
  }
  return
}

// The block's part goes where it likes.
// REMARK: [Missed] ClusterSum | {{.*}} | Reason="parts of one element lie in different places"
// CHECK-LABEL: func.func @shifted(
// CHECK-COUNT-2: tile.kernel
func.func @shifted(%a: memref<2x64x64xf32>, %c: memref<64x64xf32>) {
  %parts = tile.alloc : memref<2x64x64xf32>
  tile.kernel (%z) in (2) {
    %sum = tile.alloc : memref<16x64xf32, #tile.fragment>
    tile.copy %a[%z, 0, 0] [1, 16, 64], %sum
    tile.copy %sum, %parts[%z, %z * 16, 0] [1, 16, 64]
  }
  tile.kernel (%y) in (16) {
    %all = tile.alloc : memref<2x4x64xf32, #tile.fragment>
    %sum = tile.alloc : memref<4x64xf32, #tile.fragment>
    tile.copy %parts[0, %y * 4, 0], %all
    tile.reduce sum %all, %sum dim(0)
    tile.copy %sum, %c[%y * 4, 0]
  }
  return
}

// The first kernel reads what the second one writes.
// REMARK: [Missed] ClusterSum | {{.*}} | Reason="the result is used before the second kernel"
// CHECK-LABEL: func.func @in_place(
// CHECK-COUNT-2: tile.kernel
func.func @in_place(%c: memref<64x64xf32>) {
  %parts = tile.alloc : memref<2x64x64xf32>
  tile.kernel (%z) in (2) {
    %sum = tile.alloc : !tile
    tile.copy %c, %sum
    tile.copy %sum, %parts[%z, 0, 0] [1, 64, 64]
  }
  tile.kernel (%y) in (16) {
    %all = tile.alloc : memref<2x4x64xf32, #tile.fragment>
    %sum = tile.alloc : memref<4x64xf32, #tile.fragment>
    tile.copy %parts[0, %y * 4, 0], %all
    tile.reduce sum %all, %sum dim(0)
    tile.copy %sum, %c[%y * 4, 0]
  }
  return
}

// REMARK: [Missed] ClusterSum | {{.*}} | Reason="expected 2 parts, got 4: clusters that are larger than a pair leave processors idle"
// CHECK-LABEL: func.func @too_many(
// CHECK-COUNT-2: tile.kernel
func.func @too_many(%a: memref<4x64x64xf32>, %c: memref<64x64xf32>) {
  %parts = tile.alloc : memref<4x64x64xf32>
  tile.kernel (%z) in (4) {
    %sum = tile.alloc : !tile
    tile.copy %a[%z, 0, 0] [1, 64, 64], %sum
    tile.copy %sum, %parts[%z, 0, 0] [1, 64, 64]
  }
  tile.kernel (%y) in (16) {
    %all = tile.alloc : memref<4x4x64xf32, #tile.fragment>
    %sum = tile.alloc : memref<4x64xf32, #tile.fragment>
    tile.copy %parts[0, %y * 4, 0], %all
    tile.reduce sum %all, %sum dim(0)
    tile.copy %sum, %c[%y * 4, 0]
  }
  return
}

// A half of each sum is something else than the sum of halves.
// REMARK: [Missed] ClusterSum | {{.*}} | Reason="what is stored is not an element of a fragment of f32"
// CHECK-LABEL: func.func @scaled(
// CHECK-COUNT-2: tile.kernel
func.func @scaled(%a: memref<2x64x64xf32>, %c: memref<64x64xf32>) {
  %parts = tile.alloc : memref<2x64x64xf32>
  tile.kernel (%z) in (2) {
    %sum = tile.alloc : !tile
    tile.copy %a[%z, 0, 0] [1, 64, 64], %sum
    tile.parallel (%i, %j) in (64, 64) do %parts[%z, %i, %j] = exp(%sum[%i, %j])
  }
  tile.kernel (%y) in (16) {
    %all = tile.alloc : memref<2x4x64xf32, #tile.fragment>
    %sum = tile.alloc : memref<4x64xf32, #tile.fragment>
    tile.copy %parts[0, %y * 4, 0], %all
    tile.reduce sum %all, %sum dim(0)
    tile.copy %sum, %c[%y * 4, 0]
  }
  return
}

// REMARK: [Missed] ClusterSum | {{.*}} | Reason="expected a tile of at most 116224 bytes, got 131072"
// CHECK-LABEL: func.func @too_large(
// CHECK-COUNT-2: tile.kernel
func.func @too_large(%a: memref<2x128x256xf32>, %c: memref<128x256xf32>) {
  %parts = tile.alloc : memref<2x128x256xf32>
  tile.kernel (%z) in (2) threads(256) {
    %sum = tile.alloc : memref<128x256xf32, #tile.fragment>
    tile.copy %a[%z, 0, 0] [1, 128, 256], %sum
    tile.copy %sum, %parts[%z, 0, 0] [1, 128, 256]
  }
  tile.kernel (%y) in (32) {
    %all = tile.alloc : memref<2x4x256xf32, #tile.fragment>
    %sum = tile.alloc : memref<4x256xf32, #tile.fragment>
    tile.copy %parts[0, %y * 4, 0], %all
    tile.reduce sum %all, %sum dim(0)
    tile.copy %sum, %c[%y * 4, 0]
  }
  return
}
