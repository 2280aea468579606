// RUN: tile-opt %s --tile-insert-barriers | FileCheck %s
// RUN: tile-opt %s --tile-insert-barriers --tile-verify-schedule -o /dev/null
// RUN: tile-opt %s --tile-insert-barriers --remark-policy=all --remarks-filter=tile-insert-barriers -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// A stage is not given back before a tensor copy has read it. The warps need
// not meet: each gives the stage back for itself.
// REMARK: [Passed] StoreWait | Category:tile-insert-barriers{{.*}} | Reason="between the read of 'tile.copy' and the release of the stage by 'tile.consumer_release'"
// CHECK-LABEL: func.func @store_from_stage
// CHECK: tile.consumer_wait
// CHECK-NEXT: tile.stage
// CHECK-NEXT: tile.copy
// CHECK-NEXT: tile.store_wait pending(0)
// CHECK-NEXT: tile.consumer_release
func.func @store_from_stage(%a: memref<1024xf32>, %c: memref<1024xf32>) {
  tile.kernel (%b) in (1) {
    %tiles = tile.alloc : memref<2x128xf32, #tile.shared>
    %pipeline = tile.create_pipeline : !tile.pipeline<2>
    tile.warp_specialize producer {
      tile.pipelined %k = 0 to 8 {
        %i = tile.producer_acquire %pipeline bytes(512) : !tile.pipeline<2>
        %t = tile.stage %tiles[%i] : memref<2x128xf32, #tile.shared> to memref<128xf32, #tile.shared>
        tile.copy %a[%k * 128], %t signal(%pipeline : !tile.pipeline<2>) {instruction = #tile.transfer<tma>}
            : memref<1024xf32>, memref<128xf32, #tile.shared>
        tile.producer_commit %pipeline : !tile.pipeline<2>
      }
    } consumer {
      tile.pipelined %k = 0 to 8 {
        %i = tile.consumer_wait %pipeline : !tile.pipeline<2>
        %t = tile.stage %tiles[%i] : memref<2x128xf32, #tile.shared> to memref<128xf32, #tile.shared>
        tile.copy %t, %c[%k * 128] {instruction = #tile.transfer<tma>} : memref<128xf32, #tile.shared>, memref<1024xf32>
        tile.consumer_release %pipeline : !tile.pipeline<2>
      }
    }
  }
  return
}

// A view of a stage, and a part of it, are in other bytes than the stage that is filled meanwhile: threads wait for one group.
// CHECK-LABEL: func.func @view_of_stage
// CHECK: tile.pipelined
// CHECK-NEXT: tile.async_wait pending(1)
// CHECK-NEXT: tile.barrier{{$}}
// CHECK-NOT: tile.async_wait
// CHECK-NOT: tile.barrier
// CHECK: {{^ *}}}
// CHECK-NEXT: tile.async_wait pending(0)
func.func @view_of_stage(%a: memref<4x1024xi8>, %c: memref<4x2048xi4>) {
  tile.kernel (%b) in (1) {
    %tiles = tile.alloc : memref<3x4x64xi8, #tile.shared>
    tile.pipelined %k = 0 to 16 {
      tile.async_wait pending(1)
      tile.barrier
      %next = affine.apply affine_map<(k) -> ((k + 2) mod 3)>(%k)
      %filled = tile.stage %tiles[%next] : memref<3x4x64xi8, #tile.shared> to memref<4x64xi8, #tile.shared>
      tile.copy %a[0, (%k + 2) * 64], %filled {instruction = #tile.transfer<cp_async, bytes = 16>} : memref<4x1024xi8>, memref<4x64xi8, #tile.shared>
      tile.async_commit
      %now = affine.apply affine_map<(k) -> (k mod 3)>(%k)
      %stage = tile.stage %tiles[%now] : memref<3x4x64xi8, #tile.shared> to memref<4x64xi8, #tile.shared>
      %codes = tile.view %stage : memref<4x64xi8, #tile.shared> to memref<4x128xi4, #tile.shared>
      tile.copy %codes[0, 0] [4, 64], %c[0, %k * 128] : memref<4x128xi4, #tile.shared>, memref<4x2048xi4>
      tile.copy %codes[0, 64] [4, 64], %c[0, %k * 128 + 64] : memref<4x128xi4, #tile.shared>, memref<4x2048xi4>
    }
    tile.async_wait pending(0)
  }
  return
}

// The stage that is filled is the one that a view shows.
// CHECK-LABEL: func.func @view_of_filled_stage
// CHECK: tile.async_commit
// CHECK: tile.view
// CHECK-NEXT: tile.async_wait pending(0)
// CHECK-NEXT: tile.barrier{{$}}
func.func @view_of_filled_stage(%a: memref<4x1024xi8>, %c: memref<4x2048xi4>) {
  tile.kernel (%b) in (1) {
    %tiles = tile.alloc : memref<3x4x64xi8, #tile.shared>
    tile.pipelined %k = 0 to 16 {
      %next = affine.apply affine_map<(k) -> ((k + 3) mod 3)>(%k)
      %filled = tile.stage %tiles[%next] : memref<3x4x64xi8, #tile.shared> to memref<4x64xi8, #tile.shared>
      tile.copy %a[0, %k * 64], %filled {instruction = #tile.transfer<cp_async, bytes = 16>} : memref<4x1024xi8>, memref<4x64xi8, #tile.shared>
      tile.async_commit
      %now = affine.apply affine_map<(k) -> (k mod 3)>(%k)
      %stage = tile.stage %tiles[%now] : memref<3x4x64xi8, #tile.shared> to memref<4x64xi8, #tile.shared>
      %codes = tile.view %stage : memref<4x64xi8, #tile.shared> to memref<4x128xi4, #tile.shared>
      tile.copy %codes, %c[0, %k * 128] : memref<4x128xi4, #tile.shared>, memref<4x2048xi4>
    }
    tile.async_wait pending(0)
  }
  return
}
