// RUN: tile-opt %s --split-input-file --verify-diagnostics

func.func @gemm_wait_c1() {
  tile.kernel (%b) in (1) {
    // expected-error @below {{'tile.gemm_wait' op expected 'pending' not to be negative, got -1}}
    tile.gemm_wait pending(-1)
  }
  return
}

// -----

func.func @gemm_wait_c2() {
  tile.kernel (%b) in (1) {
    %c = tile.alloc : memref<64x64xf32, #tile.shared>
    // expected-error @below {{'tile.gemm_wait' op expected accumulators in fragments, got 'memref<64x64xf32, #tile.shared>'}}
    tile.gemm_wait %c pending(0) : memref<64x64xf32, #tile.shared>
  }
  return
}

// -----

func.func @gemm_wait_in_parallel() {
  tile.kernel (%b) in (1) {
    // expected-note @below {{the loop is here}}
    tile.parallel (%i) in (8) {
      // expected-error @below {{'tile.gemm_wait' op works on whole tiles and is not allowed in 'tile.parallel'; move it out of the loop}}
      tile.gemm_wait pending(0)
    }
  }
  return
}
