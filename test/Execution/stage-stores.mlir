// Tensor stores out of the stages of a pipeline: all warps give a stage back, one thread has waited for its store, and no barrier is
// between. With no rows, one, as many as stages, and more.

// REQUIRES: tile-run, nvidia
// RUN: tile-run %s --target=cuda --chip=sm_90a --device=model | FileCheck %s
// RUN: env TILE_SIMT_SEED=3 tile-run %s --target=cuda --chip=sm_90a --device=model | FileCheck %s
// RUN: tile-translate --tile-to-ptx --chip=sm_90a %s | FileCheck %s --check-prefix=PTX
// CHECK: {{^}}4 passed, 0 failed{{$}}

// PTX: cp.async.bulk.tensor.2d.global.shared
// PTX: cp.async.bulk.wait_group.read 0
// PTX-NOT: {{bar(rier)?\.sync}}
// PTX: mbarrier.arrive

!rows = memref<?x128xf32>
!tiles = memref<2x128xf32, #tile.shared>
!tile = memref<128xf32, #tile.shared>

func.func @rows(%a: !rows {tile.shape = "Nx128"}, %c: !rows {tile.shape = "Nx128", tile.result})
    attributes {tile.reference = @rows_reference, tile.cases = ["N=0", "N=1", "N=2", "N=9"]} {
  %c0 = arith.constant 0 : index
  %n = memref.dim %a, %c0 : !rows
  tile.kernel (%b) in (1) threads(256) {
    %tiles = tile.alloc : !tiles
    %pipeline = tile.create_pipeline : !tile.pipeline<2>
    tile.warp_specialize producer {
      tile.pipelined %k = 0 to %n {
        %i = tile.producer_acquire %pipeline bytes(512) : !tile.pipeline<2>
        %t = tile.stage %tiles[%i] : !tiles to !tile
        tile.copy %a[%k, 0] [1, 128], %t signal(%pipeline : !tile.pipeline<2>) {instruction = #tile.transfer<tma>} : !rows, !tile
        tile.producer_commit %pipeline : !tile.pipeline<2>
      }
    } consumer {
      tile.pipelined %k = 0 to %n {
        %i = tile.consumer_wait %pipeline : !tile.pipeline<2>
        %t = tile.stage %tiles[%i] : !tiles to !tile
        tile.copy %t, %c[%k, 0] [1, 128] {instruction = #tile.transfer<tma>} : !tile, !rows
        tile.consumer_release %pipeline : !tile.pipeline<2>
      }
    }
  }
  return
}

func.func @rows_reference(%a: !rows, %c: !rows) {
  memref.copy %a, %c : !rows to !rows
  return
}
