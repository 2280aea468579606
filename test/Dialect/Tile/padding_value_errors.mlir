// RUN: tile-opt %s --split-input-file --verify-diagnostics

func.func @padding_value_c1(%v: f32) {
  tile.kernel (%b) in (1) {
    %t = tile.alloc : memref<8xf32, #tile.shared>
    // expected-error @below {{'tile.padding_value' op expected a buffer in global memory, got 'shared'}}
    tile.padding_value %t, %v : memref<8xf32, #tile.shared>
  }
  return
}

// -----

func.func @padding_value_c2(%a: memref<?xf32>, %v: f32, %c: i1) {
  tile.kernel (%b) in (1) {
    scf.if %c {
      // expected-error @below {{'tile.padding_value' op expected to be directly in the body of a 'tile.kernel'}}
      tile.padding_value %a, %v : memref<?xf32>
    }
  }
  return
}

// -----

func.func @padding_value_c2_once(%a: memref<?xf32>, %v: f32) {
  tile.kernel (%b) in (1) {
    // expected-note @below {{it is given here}}
    tile.padding_value %a, %v : memref<?xf32>
    // expected-error @below {{'tile.padding_value' op the buffer has a padding value already}}
    tile.padding_value %a, %v : memref<?xf32>
  }
  return
}

// -----

func.func @padding_value_c3(%a: memref<?xf32>, %v: f32) {
  tile.kernel (%b) in (1) {
    %w = arith.negf %v : f32
    // expected-error @below {{'tile.padding_value' op expected a constant or a value that is defined outside of the kernel}}
    tile.padding_value %a, %w : memref<?xf32>
  }
  return
}

// -----

func.func @padding_value_c4(%a: memref<?xf32>, %v: f16) {
  tile.kernel (%b) in (1) {
    // expected-error @below {{'tile.padding_value' op failed to verify that value type matches the element type of the buffer}}
    "tile.padding_value"(%a, %v) : (memref<?xf32>, f16) -> ()
  }
  return
}
