// RUN: tile-opt %s --tile-set-target=chip=sm_90a --convert-tile-to-gpu --canonicalize --cse | FileCheck %s

// Loops over stages are plain loops here: schedules were made before.
// CHECK-LABEL: gpu.func @pipelined_0(
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[C3:.*]] = arith.constant 3 : index
// CHECK: scf.for %{{.*}} = %[[C0]] to %{{.*}} step %[[C3]]
// CHECK: gpu.barrier
func.func @pipelined(%n: index) {
  tile.kernel (%b) in (1) {
    tile.pipelined %k = 0 to %n step 3 {
      tile.barrier
    }
  }
  return
}

// A block walks the points that its number and the number of blocks say: 8 x 4 of them by 2 x 3 blocks.
// CHECK-LABEL: gpu.func @persistent_0(
// CHECK-DAG: %[[X:.*]] = gpu.block_id x
// CHECK-DAG: %[[Y:.*]] = gpu.block_id y
// CHECK-DAG: %[[C2:.*]] = arith.constant 2 : index
// CHECK-DAG: %[[C6:.*]] = arith.constant 6 : index
// CHECK-DAG: %[[C32:.*]] = arith.constant 32 : index
// CHECK: %[[YS:.*]] = arith.muli %[[Y]], %[[C2]]
// CHECK: %[[FIRST:.*]] = arith.addi %[[YS]], %[[X]]
// CHECK: scf.for %{{.*}} = %[[FIRST]] to %[[C32]] step %[[C6]]
func.func @persistent(%a: memref<8x4xf32>, %x: f32) {
  tile.kernel (%b, %c) in (2, 3) threads(32) {
    tile.persistent (%i, %j) in (8, 4) {
      tile.parallel (%t) in (1) {
        memref.store %x, %a[%i, %j] : memref<8x4xf32>
      }
    }
  }
  return
}

// A domain with a negative extent has no points, also if there are two of them; a negative grid is left to the launch,
// which then has no blocks.
// CHECK-LABEL: gpu.func @negative_0(
// CHECK-SAME: grid = [s0 - 5]
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : index
// CHECK: %[[E:.*]] = arith.maxsi %{{.*}}, %[[ZERO]] : index
// CHECK: %[[POINTS:.*]] = arith.muli %[[E]], %[[E]] : index
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[POINTS]] step
func.func @negative(%a: memref<?x4xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %a, %c0 : memref<?x4xf32>
  %e = affine.apply affine_map<(n) -> (n - 5)>(%n)
  tile.kernel (%b) in (%e) threads(32) {
    tile.persistent (%i, %j) in (%e, %e) {
      tile.parallel (%t) in (1) {
        memref.store %x, %a[%i, %j] : memref<?x4xf32>
      }
    }
  }
  return
}

// A grid as large as the chip: the launch says how large.
// CHECK-LABEL: gpu.func @whole_chip_0(
// CHECK-SAME: symbols = [<"multiprocessors", multiprocessors>, <"min1", min, values = [32, s0]>]
// CHECK-SAME: grid = [s1]
// CHECK-DAG: %[[X:.*]] = gpu.block_id x
// CHECK-DAG: %[[ALL:.*]] = gpu.grid_dim x
// CHECK: scf.for %{{.*}} = %[[X]] to %{{.*}} step %[[ALL]]
func.func @whole_chip(%a: memref<8x4xf32>, %x: f32) {
  tile.kernel (%b, %c) in (8, 4) threads(32) attributes {persistent_grid} {
    tile.persistent (%i, %j) in (8, 4) {
      tile.parallel (%t) in (1) {
        memref.store %x, %a[%i, %j] : memref<8x4xf32>
      }
    }
  }
  return
}

// CHECK-LABEL: gpu.func @barriers_0
// CHECK: gpu.barrier
// CHECK: nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
// CHECK-NEXT: gpu.barrier
// CHECK: nvvm.cp.async.commit.group
// CHECK: nvvm.cp.async.wait.group 2
func.func @barriers() {
  tile.kernel (%b) in (1) {
    tile.barrier
    tile.barrier async
    tile.async_commit
    tile.async_wait pending(2)
  }
  return
}

// Hints leave no code but what LLVM may assume.
// CHECK-LABEL: gpu.func @hints_0
// CHECK: %[[C:.*]] = arith.cmpi
// CHECK: llvm.intr.assume %[[C]]
func.func @hints(%n: index) {
  %c8 = arith.constant 8 : index
  tile.kernel (%b) in (1) {
    %s = tile.alloc : memref<64x64xf32, #tile.shared>
    %ok = arith.cmpi ult, %n, %c8 : index
    tile.assume %ok
    tile.annotate_layout %s : memref<64x64xf32, #tile.shared> as #tile.layout<[64: 64 offset*64][64: 64 offset]>
  }
  return
}
