// RUN: tile-opt %s --split-input-file --verify-diagnostics

func.func @order_arrive_c1() {
  tile.kernel (%b) in (1) threads(256) {
    // expected-error @below {{'tile.order_arrive' op expected to be in the consumer of a 'tile.warp_specialize'}}
    tile.order_arrive
  }
  return
}
