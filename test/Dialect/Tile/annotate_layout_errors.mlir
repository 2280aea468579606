// RUN: tile-opt %s --split-input-file --verify-diagnostics

func.func @annotate_layout_c1(%s: memref<8x32xf32>) {
  // expected-error @below {{'tile.annotate_layout' op expected a tile of static shape that is not global, got 'memref<8x32xf32>'}}
  tile.annotate_layout %s, affine_map<(i, j) -> (j)> : memref<8x32xf32>
  return
}

// -----

func.func @annotate_layout_c1_static(%s: memref<8x?xf32, #tile.shared>) {
  // expected-error @below {{'tile.annotate_layout' op expected a tile of static shape that is not global, got 'memref<8x?xf32, #tile.shared>'}}
  tile.annotate_layout %s, affine_map<(i, j) -> (j)> : memref<8x?xf32, #tile.shared>
  return
}

// -----

func.func @annotate_layout_c2(%s: memref<8x32xf32, #tile.shared>) {
  // expected-error @below {{'tile.annotate_layout' op expected a layout of 2 dimensions for 8x32, got one of 1}}
  tile.annotate_layout %s, affine_map<(i) -> (i)> : memref<8x32xf32, #tile.shared>
  return
}

// -----

func.func @annotate_layout_c2_symbols(%s: memref<8x32xf32, #tile.shared>) {
  // expected-error @below {{'tile.annotate_layout' op expected a layout without symbols, got 1}}
  tile.annotate_layout %s, affine_map<(i, j)[n] -> (i * n + j)> : memref<8x32xf32, #tile.shared>
  return
}
