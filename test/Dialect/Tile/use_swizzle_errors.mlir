// RUN: tile-opt %s --split-input-file --verify-diagnostics

func.func @use_swizzle_c1() {
  tile.kernel (%x, %y) in (16, 16) {
    // expected-error @below {{'tile.use_swizzle' op expected a positive 'panel', got 0}}
    tile.use_swizzle panel(0)
  }
  return
}

// -----

func.func @use_swizzle_c2() {
  tile.kernel (%x) in (16) {
    // expected-error @below {{'tile.use_swizzle' op expected a grid of at least 2 dimensions, got 1}}
    tile.use_swizzle panel(8)
  }
  return
}

// -----

func.func @use_swizzle_c2_parent() {
  // expected-error @below {{'tile.use_swizzle' op expected to stand directly in the body of a 'tile.kernel'}}
  tile.use_swizzle panel(8)
  return
}

// -----

func.func @use_swizzle_c1_negative() {
  tile.kernel (%x, %y) in (16, 16) {
    // expected-error @below {{'tile.use_swizzle' op expected a positive 'panel', got -1}}
    tile.use_swizzle panel(-1)
  }
  return
}
