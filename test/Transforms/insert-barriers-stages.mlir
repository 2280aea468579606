// RUN: tile-opt %s --tile-insert-barriers | FileCheck %s
// RUN: tile-opt %s --tile-insert-barriers --tile-verify-schedule -o /dev/null

// A stage is not given back before a tensor copy has read it.
// CHECK-LABEL: func.func @store_from_stage
// CHECK: tile.consumer_wait
// CHECK-NEXT: tile.stage
// CHECK-NEXT: tile.copy
// CHECK-NEXT: tile.store_wait pending(0)
// CHECK-NEXT: tile.barrier{{$}}
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
