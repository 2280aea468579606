// RUN: tile-opt %s --split-input-file --verify-diagnostics

func.func @pipelined_c1() {
  // expected-error @below {{'tile.pipelined' op expected a positive step, got 0}}
  tile.pipelined %k = 0 to 8 step 0 {
  }
  return
}

// -----

func.func @pipelined_c1_bounds() {
  // expected-error @below {{'tile.pipelined' op expected 3 bounds, got 2}}
  "tile.pipelined"() <{staticBounds = array<i64: 0, 8>}> ({
  ^bb0(%k: index):
  }) : () -> ()
  return
}

// -----

func.func @pipelined_c1_operands(%n: index) {
  // expected-error @below {{'tile.pipelined' op expected 0 dynamic bound operands, got 1}}
  "tile.pipelined"(%n) <{staticBounds = array<i64: 0, 8, 1>}> ({
  ^bb0(%k: index):
  }) : (index) -> ()
  return
}

// -----

func.func @pipelined_c1_arguments() {
  // expected-error @below {{'tile.pipelined' op expected 1 induction variables, got 2}}
  "tile.pipelined"() <{staticBounds = array<i64: 0, 8, 1>}> ({
  ^bb0(%k: index, %l: index):
  }) : () -> ()
  return
}

// -----

func.func @pipelined_c2() {
  // expected-error @below {{'tile.pipelined' op expected 'stages' between 1 and 16, got 0}}
  tile.pipelined %k = 0 to 8 stages(0) {
  }
  return
}

// -----

func.func @pipelined_c2_many() {
  // expected-error @below {{'tile.pipelined' op expected 'stages' between 1 and 16, got 17}}
  tile.pipelined %k = 0 to 8 stages(17) {
  }
  return
}

// -----

func.func @pipelined_c3(%a: memref<8xf32>, %v: f32) {
  // expected-error @below {{'tile.pipelined' op expected 3 entries in 'order', one for each schedulable op, got 2}}
  tile.pipelined %k = 0 to 8 order(0, 1) stage(0, 0, 1) {
    tile.fill %a, %v : memref<8xf32>
    tile.fill %a, %v : memref<8xf32>
    tile.fill %a, %v : memref<8xf32>
  }
  return
}

// -----

func.func @pipelined_c3_stage_entries(%a: memref<8xf32>, %v: f32) {
  // expected-error @below {{'tile.pipelined' op expected 1 entries in 'stage', one for each schedulable op, got 2}}
  tile.pipelined %k = 0 to 8 order(0) stage(0, 1) {
    tile.fill %a, %v : memref<8xf32>
  }
  return
}

// -----

func.func @pipelined_c3_together(%a: memref<8xf32>, %v: f32) {
  // expected-error @below {{'tile.pipelined' op expected 'order' and 'stage' to be given together}}
  tile.pipelined %k = 0 to 8 order(0) {
    tile.fill %a, %v : memref<8xf32>
  }
  return
}

// -----

func.func @pipelined_c3_twice(%a: memref<8xf32>, %v: f32) {
  // expected-error @below {{'tile.pipelined' op expected 'order' to be a permutation of 0 to 1, got entry 1 twice}}
  tile.pipelined %k = 0 to 8 order(1, 1) stage(0, 0) {
    tile.fill %a, %v : memref<8xf32>
    tile.fill %a, %v : memref<8xf32>
  }
  return
}

// -----

func.func @pipelined_c3_range(%a: memref<8xf32>, %v: f32) {
  // expected-error @below {{'tile.pipelined' op expected 'order' to be a permutation of 0 to 0, got entry 1}}
  tile.pipelined %k = 0 to 8 order(1) stage(0) {
    tile.fill %a, %v : memref<8xf32>
  }
  return
}

// -----

func.func @pipelined_c3_negative(%a: memref<8xf32>, %v: f32) {
  // expected-error @below {{'tile.pipelined' op expected the entries of 'stage' not to be negative, got -1}}
  tile.pipelined %k = 0 to 8 order(0) stage(-1) {
    tile.fill %a, %v : memref<8xf32>
  }
  return
}

// -----

func.func @pipelined_c4() {
  // expected-note @below {{the loop is here}}
  tile.parallel (%i) in (8) {
    // expected-error @below {{'tile.pipelined' op is not allowed in 'tile.parallel'; use 'scf.for' for a scalar loop}}
    tile.pipelined %k = 0 to 8 {
    }
  }
  return
}

// -----

func.func @pipelined_c2_negative() {
  // expected-error @below {{'tile.pipelined' op expected 'stages' between 1 and 16, got -1}}
  tile.pipelined %k = 0 to 8 stages(-1) {
  }
  return
}
