// RUN: tile-opt %s --split-input-file --verify-diagnostics

func.func @rasterize_c1() {
  tile.kernel (%x, %y) in (16, 16) {
    // expected-error @below {{'tile.rasterize' op expected a positive 'group', got 0}}
    tile.rasterize group(0)
  }
  return
}

// -----

func.func @rasterize_c2() {
  tile.kernel (%x) in (16) {
    // expected-error @below {{'tile.rasterize' op expected a grid of at least 2 dimensions, got 1}}
    tile.rasterize group(8)
  }
  return
}

// -----

func.func @rasterize_c2_parent() {
  // expected-error @below {{'tile.rasterize' op expected to be directly in the body of a 'tile.kernel'}}
  tile.rasterize group(8)
  return
}

// -----

func.func @rasterize_c1_negative() {
  tile.kernel (%x, %y) in (16, 16) {
    // expected-error @below {{'tile.rasterize' op expected a positive 'group', got -1}}
    tile.rasterize group(-1)
  }
  return
}
