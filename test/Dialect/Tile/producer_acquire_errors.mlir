// RUN: tile-opt %s --split-input-file --verify-diagnostics

func.func @producer_acquire_c1() {
  tile.kernel (%b) in (1) {
    %pipeline = tile.create_pipeline : !tile.pipeline<2>
    // expected-error @below {{'tile.producer_acquire' op expected 'bytes' not to be negative, got -1}}
    %i = tile.producer_acquire %pipeline bytes(-1) : !tile.pipeline<2>
  }
  return
}

// -----

func.func @producer_acquire_in_parallel() {
  tile.kernel (%b) in (1) {
    %pipeline = tile.create_pipeline : !tile.pipeline<2>
    // expected-note @below {{the loop is here}}
    tile.parallel (%i) in (8) {
      // expected-error @below {{'tile.producer_acquire' op works on whole tiles and is not allowed in 'tile.parallel'; move it out of the loop}}
      %s = tile.producer_acquire %pipeline bytes(0) : !tile.pipeline<2>
    }
  }
  return
}
