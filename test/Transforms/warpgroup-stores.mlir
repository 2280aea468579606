// RUN: tile-opt %s --tile-set-target=chip=sm_90a --tile-insert-barriers --tile-plan-shared --tile-verify-schedule | FileCheck %s
// RUN: tile-opt %s --tile-set-target=chip=sm_90a --tile-insert-barriers --remarks-filter='tile-insert-barriers' -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

#rows = #tile.layout<[128: 2 warp*4, 4 warp, 2 reg*2, 8 lane*4][64: 8 reg*4, 4 lane, 2 reg]>
#columns = #tile.layout<[128: 2 reg*32, 4 warp, 2 reg*2, 8 lane*4][64: 2 warp*4, 4 reg*4, 4 lane, 2 reg]>
#tile = #tile.layout<[128: 128 offset*64][64: 64 offset] swizzle(3, 3, 3)>
!tile = memref<128x64xbf16, #tile.shared>
!sums = memref<128x64xf32, #tile.fragment>
!c = memref<1024x1024xbf16>

// Each warpgroup stores its rows behind barriers of its own, and overwrites them when its own store has read them.
// CHECK-LABEL: func.func @rows
// CHECK: tile.persistent
// CHECK-NEXT: tile.fill
// CHECK-NEXT: tile.store_wait pending(0)
// CHECK-NEXT: tile.barrier {tile.warpgroups}
// CHECK-NEXT: tile.copy %{{.*}}, %{{.*}} {tile.warpgroups}
// CHECK-NEXT: tile.barrier async {tile.warpgroups}
// CHECK-NEXT: tile.copy %{{.*}} {instruction = #tile.transfer<tma>, tile.warpgroups}
// CHECK-NEXT: }
// REMARK: [Passed] WarpgroupStore | Category:tile-insert-barriers | {{.*}}each warpgroup stores its rows without the others
func.func @rows(%c: !c, %f: f32) {
  tile.kernel (%p) in (4) threads(256) {
    %s = tile.alloc {layout = #tile} : !tile
    %sums = tile.alloc {layout = #rows} : !sums
    tile.warp_specialize producer {
    } consumer {
      tile.persistent (%x, %y) in (8, 16) {
        tile.fill %sums, %f : !sums
        tile.copy %sums, %s : !sums, !tile
        tile.copy %s, %c[%x * 128, %y * 64] {instruction = #tile.transfer<tma>} : !tile, !c
      }
    }
  }
  return
}

// A warpgroup has columns of all rows.
// CHECK-LABEL: func.func @columns
// CHECK-NOT: tile.warpgroups
// CHECK: return
// REMARK: [Missed] WarpgroupStore | {{.*}}expected each of the 2 warpgroups to have rows of the tile for itself, got [128: 2 reg*32
func.func @columns(%c: !c, %f: f32) {
  tile.kernel (%p) in (4) threads(256) {
    %s = tile.alloc {layout = #tile} : !tile
    %sums = tile.alloc {layout = #columns} : !sums
    tile.warp_specialize producer {
    } consumer {
      tile.persistent (%x, %y) in (8, 16) {
        tile.fill %sums, %f : !sums
        tile.copy %sums, %s : !sums, !tile
        tile.copy %s, %c[%x * 128, %y * 64] {instruction = #tile.transfer<tma>} : !tile, !c
      }
    }
  }
  return
}

// All threads read what all have written.
// CHECK-LABEL: func.func @read
// CHECK-NOT: tile.warpgroups
// CHECK: return
// REMARK: [Missed] WarpgroupStore | {{.*}}expected one copy that fills its tile, and no other access
func.func @read(%c: !c, %f: f32) {
  tile.kernel (%p) in (4) threads(256) {
    %s = tile.alloc {layout = #tile} : !tile
    %sums = tile.alloc {layout = #rows} : !sums
    %other = tile.alloc {layout = #columns} : !sums
    tile.warp_specialize producer {
    } consumer {
      tile.persistent (%x, %y) in (8, 16) {
        tile.fill %sums, %f : !sums
        tile.copy %sums, %s : !sums, !tile
        tile.copy %s, %c[%x * 128, %y * 64] {instruction = #tile.transfer<tma>} : !tile, !c
        tile.copy %s, %other : !tile, !sums
      }
    }
  }
  return
}

// The barriers are also those of another tile.
// CHECK-LABEL: func.func @others
// CHECK-NOT: tile.warpgroups
// CHECK: return
// REMARK: [Missed] WarpgroupStore | {{.*}}the barriers beside it order other accesses, too
func.func @others(%c: !c, %f: f32) {
  tile.kernel (%p) in (4) threads(256) {
    %s = tile.alloc {layout = #tile} : !tile
    %t = tile.alloc : memref<128xf32, #tile.shared>
    %sums = tile.alloc {layout = #rows} : !sums
    %row = tile.alloc {layout = #tile.layout<[128: 4 warp, 32 lane] rep(2 warp*4)>} : memref<128xf32, #tile.fragment>
    tile.warp_specialize producer {
    } consumer {
      tile.persistent (%x, %y) in (8, 16) {
        tile.fill %sums, %f : !sums
        tile.copy %sums, %s : !sums, !tile
        tile.fill %t, %f : memref<128xf32, #tile.shared>
        tile.copy %s, %c[%x * 128, %y * 64] {instruction = #tile.transfer<tma>} : !tile, !c
        tile.copy %t, %row : memref<128xf32, #tile.shared>, memref<128xf32, #tile.fragment>
      }
    }
  }
  return
}
