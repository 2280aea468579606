// RUN: tile-opt %s --tile-set-target=chip=sm_90a --convert-tile-to-simt --canonicalize --cse | FileCheck %s

// A stage that a team fills is full when its four warps have arrived, and empty when those of all that read it have. Each team has a branch,
// in which its threads count from 0 and meet at a barrier of their own.
!tile = memref<128xf32, #tile.shared>
!tiles = memref<1x128xf32, #tile.shared>
!f = memref<128xf32, #tile.fragment>
#f = #tile.layout<[128: 4 warp, 32 lane]>
// CHECK-LABEL: gpu.func @teams
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : i32
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : i32
// CHECK-DAG: %[[C2:.*]] = arith.constant 2 : i32
// CHECK-DAG: %[[C4:.*]] = arith.constant 4 : i32
// CHECK-DAG: %[[C7:.*]] = arith.constant 7 : i32
// CHECK-DAG: %[[C8:.*]] = arith.constant 8 : i32
// CHECK-DAG: %[[C128:.*]] = arith.constant 128 : i32
// CHECK: nvvm.mbarrier.init {{.*}}, %[[C4]]
// CHECK: nvvm.mbarrier.init {{.*}}, %[[C8]]
// CHECK: } else {
// CHECK: %[[TEAM:.*]], %{{.*}} = gpu.shuffle idx
// CHECK: arith.cmpi eq, %[[TEAM]], %[[C0]]
// CHECK: nvvm.mbarrier.try_wait
// CHECK: nvvm.fence.proxy
// CHECK: nvvm.mbarrier.arrive
// CHECK: arith.cmpi eq, %[[TEAM]], %[[C1]]
// CHECK: nvvm.mbarrier.try_wait
// CHECK: nvvm.mbarrier.arrive
// CHECK: arith.cmpi eq, %[[TEAM]], %[[C2]]
// CHECK: nvvm.barrier id = %[[C7]] number_of_threads = %[[C128]]
func.func @teams(%n: index, %a: memref<128xf32>) {
  tile.kernel (%p) in (4) threads(128) {
    %s = tile.alloc {offset = 0 : i64} : !tiles
    %f = tile.alloc {layout = #f} : !f
    %g = tile.alloc {layout = #f} : !f
    %pipeline = tile.create_pipeline {offset = 1024 : i64} : !tile.pipeline<1>
    tile.warp_specialize attributes {tile.consumers = 3 : i64} producer {
    } consumer {
      tile.team {
        tile.pipelined %k = 0 to %n {
          %i = tile.producer_acquire %pipeline bytes(0) : !tile.pipeline<1>
          %t = tile.stage %s[%i] : !tiles to !tile
          tile.copy %f, %t : !f, !tile
          tile.producer_commit %pipeline : !tile.pipeline<1>
        }
      }
      tile.team {
        tile.pipelined %k = 0 to %n {
          %i = tile.consumer_wait %pipeline : !tile.pipeline<1>
          tile.consumer_release %pipeline : !tile.pipeline<1>
        }
      }
      tile.team {
        tile.pipelined %k = 0 to %n {
          %i = tile.consumer_wait %pipeline : !tile.pipeline<1>
          %t = tile.stage %s[%i] : !tiles to !tile
          tile.copy %t, %g : !tile, !f
          tile.consumer_release %pipeline : !tile.pipeline<1>
        }
        tile.barrier
      }
    }
  }
  return
}

// A pipeline that nothing uses has barriers, and no partition has a stage of it.
// CHECK-LABEL: gpu.func @unused
// CHECK-COUNT-2: nvvm.mbarrier.init
// CHECK-NOT: nvvm.mbarrier.try_wait
func.func @unused(%n: index) {
  tile.kernel (%p) in (4) threads(128) {
    %unused = tile.create_pipeline {offset = 0 : i64} : !tile.pipeline<1>
    tile.warp_specialize producer {
    } consumer {
    }
  }
  return
}
