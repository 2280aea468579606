// RUN: tile-opt %s --split-input-file --verify-diagnostics --tile-set-target=chip=sm_90a --tile-spread-rows

// A choice that cannot be followed is an error.
func.func @odd(%x: memref<64x1026xf32>, %y: memref<64xf32>) {
  // expected-error @below {{cannot divide rows among 4 blocks: the columns are no multiple of the blocks}}
  tile.kernel (%b) in (64) attributes {tile.spread_rows = 4} {
    %row = tile.alloc : memref<1x1026xf32, #tile.fragment>
    %sum = tile.alloc : memref<1xf32, #tile.fragment>
    tile.copy %x[%b, 0], %row
    tile.reduce sum %row, %sum dim(1)
    tile.copy %sum, %y[%b]
  }
  return
}

// -----

func.func @many(%x: memref<64x1024xf32>, %y: memref<64xf32>) {
  // expected-error @below {{cannot divide rows among 16 blocks: sm_90a has clusters of at most 8 blocks}}
  tile.kernel (%b) in (64) attributes {tile.spread_rows = 16} {
    %row = tile.alloc : memref<1x1024xf32, #tile.fragment>
    %sum = tile.alloc : memref<1xf32, #tile.fragment>
    tile.copy %x[%b, 0], %row
    tile.reduce sum %row, %sum dim(1)
    tile.copy %sum, %y[%b]
  }
  return
}

// -----

func.func @none(%x: memref<64x1024xf32>, %y: memref<64x1024xf32>) {
  // expected-error @below {{cannot divide rows among 2 blocks: no tile is reduced}}
  tile.kernel (%b) in (64) attributes {tile.spread_rows = 2} {
    %row = tile.alloc : memref<1x1024xf32, #tile.fragment>
    tile.copy %x[%b, 0], %row
    tile.copy %row, %y[%b, 0]
  }
  return
}

// -----

func.func @attribute(%x: memref<64x1024xf32>, %y: memref<64xf32>) {
  // expected-error @below {{expected 'tile.spread_rows' on a kernel to be a number of blocks of at least 1, got 0 : i64}}
  tile.kernel (%b) in (64) attributes {tile.spread_rows = 0} {
  }
  return
}

// -----

func.func @no_cluster(%x: memref<64x1024xf32>, %y: memref<64xf32>) {
  tile.kernel (%b) in (64) {
    %row = tile.alloc : memref<1x1024xf32, #tile.fragment>
    %sum = tile.alloc : memref<1xf32, #tile.fragment>
    tile.copy %x[%b, 0], %row
    // expected-error @below {{expected a cluster of 2 blocks, which share a row, got 1}}
    tile.reduce sum %row, %sum dim(1) {tile.spread = 2}
  }
  return
}

// -----

func.func @one(%x: memref<64x1024xf32, #tile.fragment>, %y: memref<64xf32, #tile.fragment>) {
  // expected-error @below {{expected 'tile.spread' on a reduction to be a number of blocks of at least 2, got 1 : i64}}
  tile.reduce sum %x, %y dim(1) {tile.spread = 1} : memref<64x1024xf32, #tile.fragment>, memref<64xf32, #tile.fragment>
  return
}
