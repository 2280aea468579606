// RUN: tile-opt %s --split-input-file --verify-diagnostics

func.func @barrier_c1() {
  tile.kernel (%b) in (1) {
    // expected-note @below {{the loop is here}}
    tile.parallel (%i) in (8) {
      // expected-error @below {{'tile.barrier' op works on whole tiles and is not allowed in 'tile.parallel'; move it out of the loop}}
      tile.barrier
    }
  }
  return
}
