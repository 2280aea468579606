// RUN: tile-opt %s --tile-insert-barriers | FileCheck %s
// RUN: tile-opt %s --tile-set-target=chip=sm_90a --tile-plan-shared | FileCheck %s --check-prefix=PLAN
// RUN: tile-opt %s --tile-set-target=chip=sm_90a --tile-insert-barriers --tile-plan-shared --tile-verify-schedule -o /dev/null

// Pipelines order teams: no barrier stands in front of what one fills again, or what another one reads. Within a team, threads meet where
// they touch each other's elements. Buffers of both live at the same time.

!tiles = memref<1x1024xf32, #tile.shared>
!tile = memref<1024xf32, #tile.shared>
!f = memref<1024xf32, #tile.fragment>
// CHECK-LABEL: func @handed
// CHECK-NOT: tile.barrier
// CHECK: tile.producer_acquire
// CHECK-NEXT: tile.stage
// CHECK-NEXT: tile.copy
// CHECK-NEXT: tile.producer_commit
// CHECK: tile.team
// CHECK: tile.consumer_wait
// CHECK: tile.copy
// CHECK-NEXT: tile.consumer_release
// CHECK: tile.barrier{{$}}
// CHECK-NEXT: tile.parallel
// CHECK: memref.load
// PLAN-LABEL: func @handed
// PLAN: tile.alloc {offset = 0 : i64} : memref<1x1024xf32, #tile.shared>
// PLAN: tile.alloc {offset = 4096 : i64} : memref<1024xf32, #tile.shared>
// PLAN: tile.alloc {offset = 8192 : i64} : memref<1024xf32, #tile.shared>
func.func @handed(%n: index) {
  tile.kernel (%b) in (1) threads(128) {
    %t = tile.alloc : !tiles
    %own = tile.alloc : !tile
    %other = tile.alloc : !tile
    %f = tile.alloc : !f
    %g = tile.alloc : !f
    %p = tile.create_pipeline : !tile.pipeline<1>
    tile.warp_specialize attributes {tile.consumers = 2 : i64} producer {
    } consumer {
      tile.team {
        tile.copy %f, %own : !f, !tile
        tile.pipelined %k = 0 to %n {
          %i = tile.producer_acquire %p bytes(0) : !tile.pipeline<1>
          %s = tile.stage %t[%i] : !tiles to !tile
          tile.copy %f, %s : !f, !tile
          tile.producer_commit %p : !tile.pipeline<1>
        }
      }
      tile.team {
        tile.pipelined %k = 0 to %n {
          %i = tile.consumer_wait %p : !tile.pipeline<1>
          %s = tile.stage %t[%i] : !tiles to !tile
          tile.copy %s, %g : !tile, !f
          tile.consumer_release %p : !tile.pipeline<1>
        }
        tile.copy %g, %other : !f, !tile
        tile.parallel (%j) in (1024) {
          %r = affine.apply affine_map<(d) -> (1023 - d)>(%j)
          %x = memref.load %other[%r] : !tile
          memref.store %x, %g[%j] : !f
        }
      }
    }
  }
  return
}
