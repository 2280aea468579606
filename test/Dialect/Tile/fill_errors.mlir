// RUN: tile-opt %s --split-input-file --verify-diagnostics

func.func @fill_c1(%a: memref<8xf32>, %v: f16) {
  // expected-error @below {{'tile.fill' op failed to verify that value type matches the element type of the buffer}}
  "tile.fill"(%a, %v) : (memref<8xf32>, f16) -> ()
  return
}

// -----

func.func @fill_c2(%a: memref<?xf32>, %v: f32) {
  // expected-error @below {{'tile.fill' op expected a buffer of static shape, got 'memref<?xf32>'}}
  tile.fill %a, %v : memref<?xf32>
  return
}

// -----

func.func @fill_c3(%a: memref<8xindex>, %v: index) {
  // expected-error @below {{'tile.fill' op expected floats or signless integers, got 'index'}}
  tile.fill %a, %v : memref<8xindex>
  return
}
