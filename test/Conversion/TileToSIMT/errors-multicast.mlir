// RUN: tile-opt %s --verify-diagnostics --tile-set-target=chip=sm_120 --convert-tile-to-simt

// The chip has clusters and tensor copies, but none to several blocks.
func.func @no_multicast(%a: memref<32x32xf32>) {
  tile.kernel (%b) in (2) cluster(2) {
    %tiles = tile.alloc : memref<2x32x32xf32, #tile.shared>
    // expected-error @below {{'tile.create_pipeline' op fills stages of several blocks, which sm_120 cannot do}}
    %pipeline = tile.create_pipeline : !tile.pipeline<2>
    tile.warp_specialize producer {
      %i = tile.producer_acquire %pipeline bytes(4096) : !tile.pipeline<2>
      %t = tile.stage %tiles[%i] : memref<2x32x32xf32, #tile.shared> to memref<32x32xf32, #tile.shared>
      tile.copy %a, %t signal(%pipeline : !tile.pipeline<2>) {instruction = #tile.transfer<tma>, tile.multicast = 2}
          : memref<32x32xf32>, memref<32x32xf32, #tile.shared>
      tile.producer_commit %pipeline : !tile.pipeline<2>
    } consumer {
    }
  }
  return
}
