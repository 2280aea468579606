// RUN: tile-opt %s --split-input-file --verify-diagnostics --tile-set-target=chip=sm_90a --tile-select-instructions --tile-infer-layout --tile-plan-shared --convert-tile-to-simt --canonicalize --cse | FileCheck %s

// A thread has 8 registers, in two vectors: behind a barrier of the cluster each of two blocks reads one of them from both, adds them
// up and stores 4 elements. The second barrier keeps the other's shared memory.
// CHECK-LABEL: gpu.func @copied_0(
// CHECK-SAME: nvvm.cluster_dim = array<i32: 2, 1, 1>
// CHECK: gpu.barrier
// CHECK-COUNT-2: llvm.store %{{.*}} {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<3>
// CHECK-NEXT: nvvm.cluster.arrive
// CHECK-NEXT: nvvm.cluster.wait
// CHECK: %[[RANK:.*]] = nvvm.read.ptx.sreg.cluster.ctarank : i32
// CHECK: arith.cmpi eq, %[[RANK]], %
// CHECK: scf.if
// CHECK-COUNT-2: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<7> -> vector<4xf32>
// CHECK: arith.addf %{{.*}} : vector<4xf32>
// CHECK-NOT: !llvm.ptr<7>
// CHECK: arith.cmpi eq, %[[RANK]], %
// CHECK: scf.if
// CHECK-COUNT-2: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<7> -> vector<4xf32>
// CHECK: nvvm.cluster.arrive
// CHECK-NEXT: nvvm.cluster.wait
// CHECK-NEXT: gpu.return
func.func @copied(%a: memref<2x32x32xf32>, %c: memref<32x32xf32>) {
  tile.kernel (%z) in (2) threads(128) cluster(2) {
    %sum = tile.alloc : memref<32x32xf32, #tile.fragment>
    tile.copy %a[%z, 0, 0] [1, 32, 32], %sum
    tile.copy %sum, %c {tile.cluster_sum = 2}
  }
  return
}

// -----

func.func @no_cluster(%a: memref<2x32x32xf32>, %c: memref<32x32xf32>) {
  // expected-error @below {{expected a cluster of 2 blocks, which add up a tile once, got 1}}
  tile.kernel (%z) in (2) threads(128) {
    %sum = tile.alloc : memref<32x32xf32, #tile.fragment>
    tile.copy %a[%z, 0, 0] [1, 32, 32], %sum
    tile.copy %sum, %c {tile.cluster_sum = 2}
  }
  return
}

// -----

func.func @two_fragments(%a: memref<2x32x32xf32>, %c: memref<32x32xf32>) {
  tile.kernel (%z) in (2) threads(128) cluster(2) {
    %x = tile.alloc : memref<32x32xf32, #tile.fragment>
    %y = tile.alloc : memref<32x32xf32, #tile.fragment>
    tile.copy %a[%z, 0, 0] [1, 32, 32], %x
    tile.copy %a[%z, 0, 0] [1, 32, 32], %y
    // expected-error @below {{expected 'tile.cluster_sum' where elements of one fragment of f32 are loaded, by iterations whose number is known}}
    tile.parallel (%i, %j) in (32, 32) attributes {tile.cluster_sum = 2} do %c[%i, %j] = %x[%i, %j] + %y[%i, %j]
  }
  return
}

// -----

func.func @stays(%a: memref<2x32x32xf32>, %c: memref<32x32xf32>) {
  // expected-error @below {{expected a cluster of 2 blocks, which add up a tile once, got blocks that stay, in clusters of 2}}
  tile.kernel (%z) in (2) threads(128) cluster(2) attributes {persistent_grid} {
    %sum = tile.alloc : memref<32x32xf32, #tile.fragment>
    tile.persistent (%i) in (2) {
      tile.copy %a[%i, 0, 0] [1, 32, 32], %sum
      tile.copy %sum, %c {tile.cluster_sum = 2}
    }
  }
  return
}
