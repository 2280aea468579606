// RUN: tile-opt-plain %s --split-input-file --verify-diagnostics

func.func @all_gather_c1(%w: !world.ranks, %x: memref<64xf32>, %y: memref<64xf32>) {
  // expected-error@+1 {{expected a row-major buffer in #world.symmetric memory as source, got 'memref<64xf32>'}}
  world.all_gather %x to %y over %w : memref<64xf32>, memref<64xf32>, !world.ranks
  return
}

// -----

func.func @all_gather_c1_element(%w: !world.ranks, %x: memref<64xf16, #world.symmetric>, %y: memref<64xf32>) {
  // expected-error@+1 {{expected element type 'f16' as in the source, got 'f32'}}
  world.all_to_all %x to %y over %w : memref<64xf16, #world.symmetric>, memref<64xf32>, !world.ranks
  return
}

// -----

func.func @all_gather_c2(%w: !world.ranks, %x: memref<64xf32, #world.symmetric>, %y: memref<64xf32>) {
  // expected-error@+1 {{expected 1 to 4096 blocks, got 0}}
  world.all_reduce sum %x to %y over %w blocks(0) : memref<64xf32, #world.symmetric>, memref<64xf32>, !world.ranks
  return
}

// -----

func.func @all_reduce_c1(%w: !world.ranks, %x: memref<64xf32, #world.symmetric>, %y: memref<64xf32>) {
  // expected-error@+1 {{expected a row-major buffer in #world.symmetric memory as target of two_shot, got 'memref<64xf32>'}}
  world.all_reduce sum %x to %y over %w algorithm(two_shot) : memref<64xf32, #world.symmetric>, memref<64xf32>, !world.ranks
  return
}

// -----

func.func @reduce_scatter_c1(%w: !world.ranks, %x: memref<64xf8E4M3FN, #world.symmetric>, %y: memref<64xf8E4M3FN>) {
  // expected-error@+1 {{expected floats of at least 16 bits or signless integers, got 'f8E4M3FN'}}
  world.reduce_scatter sum %x to %y over %w : memref<64xf8E4M3FN, #world.symmetric>, memref<64xf8E4M3FN>, !world.ranks
  return
}

// -----

func.func @broadcast_c1(%w: !world.ranks, %x: memref<64xi4, #world.symmetric>, %y: memref<64xi4>) {
  // expected-error@+1 {{expected elements of whole bytes, got 'i4'}}
  world.all_gather %x to %y over %w : memref<64xi4, #world.symmetric>, memref<64xi4>, !world.ranks
  return
}

// -----

func.func @all_gather_c1_target(%w: !world.ranks, %x: memref<64xf32, #world.symmetric>, %y: memref<64xf32, #tile.shared>) {
  // expected-error@+1 {{expected a row-major buffer in global memory as target, got 'memref<64xf32, #tile.shared>'}}
  world.all_gather %x to %y over %w : memref<64xf32, #world.symmetric>, memref<64xf32, #tile.shared>, !world.ranks
  return
}

// -----

func.func @all_to_all_c1(%w: !world.ranks, %x: memref<f32, #world.symmetric>, %y: memref<64xf32>) {
  // expected-error@+1 {{expected a row-major buffer in #world.symmetric memory as source, got 'memref<f32, #world.symmetric>'}}
  world.all_to_all %x to %y over %w : memref<f32, #world.symmetric>, memref<64xf32>, !world.ranks
  return
}

// -----

func.func @all_to_all_c2(%w: !world.ranks, %x: memref<64xf32, #world.symmetric>, %y: memref<64xf32>) {
  // expected-error@+1 {{expected 1 to 4096 blocks, got 4097}}
  world.all_to_all %x to %y over %w blocks(4097) : memref<64xf32, #world.symmetric>, memref<64xf32>, !world.ranks
  return
}

// -----

func.func @broadcast_c2(%w: !world.ranks, %x: memref<64xf32, #world.symmetric>, %y: memref<64xf32>, %root: index) {
  // expected-error@+1 {{expected 1 to 4096 blocks, got -1}}
  world.broadcast %x from %root to %y over %w blocks(-1) : memref<64xf32, #world.symmetric>, memref<64xf32>, !world.ranks
  return
}

// -----

func.func @all_reduce_c2(%w: !world.ranks, %x: memref<64xf32, #world.symmetric>, %y: memref<64xf32>) {
  // expected-error@+1 {{expected 1 to 4096 blocks, got 5000}}
  world.all_reduce min %x to %y over %w blocks(5000) : memref<64xf32, #world.symmetric>, memref<64xf32>, !world.ranks
  return
}

// -----

func.func @reduce_scatter_c2(%w: !world.ranks, %x: memref<64xf32, #world.symmetric>, %y: memref<64xf32>) {
  // expected-error@+1 {{expected 1 to 4096 blocks, got 0}}
  world.reduce_scatter sum %x to %y over %w blocks(0) : memref<64xf32, #world.symmetric>, memref<64xf32>, !world.ranks
  return
}

// -----

func.func @all_gather_c3(%w: !world.ranks, %x: memref<64xf32, #world.symmetric>, %y: memref<64xf32>) {
  // expected-note@+1 {{it is in this one}}
  tile.kernel (%b) in (1) {
    // expected-error@+1 {{is a kernel itself; expected it beside kernels}}
    world.all_gather %x to %y over %w : memref<64xf32, #world.symmetric>, memref<64xf32>, !world.ranks
  }
  return
}

// -----

func.func @all_to_all_c3(%w: !world.ranks, %x: memref<64xf32, #world.symmetric>, %y: memref<64xf32>) {
  // expected-note@+1 {{it is in this one}}
  tile.kernel (%b) in (1) {
    // expected-error@+1 {{is a kernel itself; expected it beside kernels}}
    world.all_to_all %x to %y over %w : memref<64xf32, #world.symmetric>, memref<64xf32>, !world.ranks
  }
  return
}

// -----

func.func @broadcast_c3(%w: !world.ranks, %x: memref<64xf32, #world.symmetric>, %y: memref<64xf32>) {
  // expected-note@+1 {{it is in this one}}
  tile.kernel (%b) in (1) {
    // expected-error@+1 {{is a kernel itself; expected it beside kernels}}
    world.broadcast %x from %b to %y over %w : memref<64xf32, #world.symmetric>, memref<64xf32>, !world.ranks
  }
  return
}

// -----

func.func @all_reduce_c3(%w: !world.ranks, %x: memref<64xf32, #world.symmetric>, %y: memref<64xf32>) {
  // expected-note@+1 {{it is in this one}}
  tile.kernel (%b) in (1) {
    // expected-error@+1 {{is a kernel itself; expected it beside kernels}}
    world.all_reduce max %x to %y over %w : memref<64xf32, #world.symmetric>, memref<64xf32>, !world.ranks
  }
  return
}

// -----

func.func @reduce_scatter_c3(%w: !world.ranks, %x: memref<64xf32, #world.symmetric>, %y: memref<64xf32>) {
  // expected-note@+1 {{it is in this one}}
  tile.kernel (%b) in (1) {
    // expected-error@+1 {{is a kernel itself; expected it beside kernels}}
    world.reduce_scatter min %x to %y over %w : memref<64xf32, #world.symmetric>, memref<64xf32>, !world.ranks
  }
  return
}

// -----

func.func @all_to_all_c1_one_buffer(%w: !world.ranks, %x: memref<64xf32, #world.symmetric>) {
  // expected-error@+1 {{expected another buffer as target: ranks read the source while others write}}
  world.all_to_all %x to %x over %w : memref<64xf32, #world.symmetric>, memref<64xf32, #world.symmetric>, !world.ranks
  return
}

// -----

func.func @all_reduce_c1_one_buffer(%w: !world.ranks, %x: memref<64xf32, #world.symmetric>) {
  world.all_reduce sum %x to %x over %w algorithm(two_shot) : memref<64xf32, #world.symmetric>, memref<64xf32, #world.symmetric>, !world.ranks
  // expected-error@+1 {{expected another buffer as target: ranks read the source while others write}}
  world.all_reduce sum %x to %x over %w : memref<64xf32, #world.symmetric>, memref<64xf32, #world.symmetric>, !world.ranks
  return
}
