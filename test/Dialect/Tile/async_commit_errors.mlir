// RUN: tile-opt %s --split-input-file --verify-diagnostics

func.func @async_commit_in_parallel() {
  tile.kernel (%b) in (1) {
    // expected-note @below {{the loop is here}}
    tile.parallel (%i) in (8) {
      // expected-error @below {{'tile.async_commit' op works on whole tiles and is not allowed in 'tile.parallel'; move it out of the loop}}
      tile.async_commit
    }
  }
  return
}
