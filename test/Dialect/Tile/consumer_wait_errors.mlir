// RUN: tile-opt %s --split-input-file --verify-diagnostics

func.func @consumer_wait_not_a_pipeline(%x: index) {
  // expected-note @above {{prior use here}}
  // expected-error @below {{use of value '%x' expects different type than prior uses: '!tile.pipeline<2>' vs 'index'}}
  %stage = tile.consumer_wait %x : !tile.pipeline<2>
  return
}

// -----

func.func @consumer_wait_in_parallel() {
  tile.kernel (%b) in (1) {
    %pipeline = tile.create_pipeline : !tile.pipeline<2>
    // expected-note @below {{the loop is here}}
    tile.parallel (%i) in (8) {
      // expected-error @below {{'tile.consumer_wait' op works on whole tiles and is not allowed in 'tile.parallel'; move it out of the loop}}
      %stage = tile.consumer_wait %pipeline : !tile.pipeline<2>
    }
  }
  return
}
