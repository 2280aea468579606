// RUN: tile-opt %s --split-input-file --verify-diagnostics

func.func @print_c1(%v: vector<4xf32>) {
  // expected-error @below {{'tile.print' op expected a number or a buffer of static shape, got 'vector<4xf32>'}}
  tile.print %v : vector<4xf32>
  return
}

// -----

func.func @print_c1_dynamic(%a: memref<?xf32>) {
  // expected-error @below {{'tile.print' op expected a number or a buffer of static shape, got 'memref<?xf32>'}}
  tile.print %a : memref<?xf32>
  return
}
