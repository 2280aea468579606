// RUN: tile-opt %s --tile-set-target=chip=sm_90a --convert-tile-to-simt --canonicalize --cse --split-input-file --verify-diagnostics | FileCheck %s

#rows = #tile.layout<[128: 2 warp*4, 4 warp, 2 reg*2, 8 lane*4][64: 8 reg*4, 4 lane, 2 reg]>
#tile = #tile.layout<[128: 128 offset*64][64: 64 offset] swizzle(3, 3, 3)>
!tile = memref<128x64xbf16, #tile.shared>
!sums = memref<128x64xf32, #tile.fragment>
!c = memref<1024x1024xbf16>

// A box has the rows of one warpgroup. A thread of each starts it, and waits for it; the barriers of the two are numbers 4 and 5,
// behind those at which warpgroups take turns.
// CHECK-LABEL: gpu.func @rows
// CHECK-SAME: box = [64, 64]
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : i32
// CHECK-DAG: %[[C4:.*]] = arith.constant 4 : i32
// CHECK-DAG: %[[C128:.*]] = arith.constant 128 : i32
// CHECK: } else {
// CHECK: scf.for
// CHECK: %[[PLACE:.*]] = arith.remui %[[THREAD:.*]], %[[C128]] : i32
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[PLACE]], %[[C0]]
// CHECK: scf.if %[[FIRST]]
// CHECK: nvvm.cp.async.bulk.wait_group 0 {read}
// CHECK: %[[GROUP:.*]] = arith.divui %[[THREAD]], %[[C128]] : i32
// CHECK: %[[SAME:.*]], %{{.*}} = gpu.shuffle idx %[[GROUP]]
// CHECK: %[[BARRIER:.*]] = arith.addi %[[SAME]], %[[C4]]
// CHECK: nvvm.barrier id = %[[BARRIER]] number_of_threads = %[[C128]]
// CHECK: nvvm.fence.proxy
// CHECK: nvvm.barrier id = %{{.*}} number_of_threads = %[[C128]]
// CHECK: scf.if %{{.*}} {
// CHECK: nvvm.cp.async.bulk.tensor.global.shared.cta
// CHECK-NOT: nvvm.cp.async.bulk.tensor.global
// CHECK: nvvm.cp.async.bulk.commit.group
// CHECK: nvvm.cp.async.bulk.wait_group 0 {read}
func.func @rows(%c: !c, %f: f32) {
  tile.kernel (%p) in (4) threads(256) {
    %s = tile.alloc {layout = #tile} : !tile
    %sums = tile.alloc {layout = #rows} : !sums
    tile.warp_specialize producer {
    } consumer {
      tile.persistent (%x, %y) in (8, 16) {
        tile.fill %sums, %f : !sums
        tile.store_wait pending(0)
        tile.barrier {tile.warpgroups}
        tile.copy %sums, %s {tile.warpgroups} : !sums, !tile
        tile.barrier async {tile.warpgroups}
        tile.copy %s, %c[%x * 128, %y * 64] {instruction = #tile.transfer<tma>, tile.warpgroups} : !tile, !c
      }
    }
  }
  return
}

// -----

#tile = #tile.layout<[8: 8 offset*64][64: 64 offset] swizzle(3, 3, 3)>
!tile = memref<8x64xbf16, #tile.shared>
func.func @few_rows(%c: memref<8x64xbf16>) {
  tile.kernel (%p) in (4) threads(256) {
    %s = tile.alloc {layout = #tile} : !tile
    tile.warp_specialize producer {
    } consumer {
      // expected-error @below {{expected the copy that warpgroups share to store a multiple of 16 rows, which one box holds, got 8}}
      tile.copy %s, %c {instruction = #tile.transfer<tma>, tile.warpgroups} : !tile, memref<8x64xbf16>
    }
  }
  return
}
