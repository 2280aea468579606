// RUN: tile-opt %s --split-input-file --verify-diagnostics

func.func @store_wait_c1() {
  tile.kernel (%b) in (1) {
    // expected-error @below {{'tile.store_wait' op expected 'pending' not to be negative, got -1}}
    tile.store_wait pending(-1)
  }
  return
}

// -----

func.func @store_wait_in_parallel() {
  tile.kernel (%b) in (1) {
    // expected-note @below {{the loop is here}}
    tile.parallel (%i) in (8) {
      // expected-error @below {{'tile.store_wait' op works on whole tiles and is not allowed in 'tile.parallel'; move it out of the loop}}
      tile.store_wait pending(0)
    }
  }
  return
}
