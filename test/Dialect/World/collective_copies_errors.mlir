// RUN: tile-opt-plain %s --world-decompose-collectives --world-verify --split-input-file --verify-diagnostics

// What copies of a device need: flags, memory of others to put to, and memory of the rank to put.

func.func @all_gather_c4_blocks(%w: !world.ranks, %x: memref<64xf32, #world.symmetric>, %y: memref<128xf32>, %f: memref<2xi64, #world.symmetric>) {
  // expected-error@+1 {{expected flags of copy_engine, and of nothing else}}
  world.all_gather %x to %y over %w signal %f : memref<64xf32, #world.symmetric>, memref<128xf32>, !world.ranks, memref<2xi64, #world.symmetric>
  return
}

// -----

func.func @all_gather_c4_none(%w: !world.ranks, %x: memref<64xf32>, %y: memref<128xf32, #world.symmetric>) {
  // expected-error@+1 {{expected flags of copy_engine, and of nothing else}}
  world.all_gather %x to %y over %w algorithm(copy_engine) : memref<64xf32>, memref<128xf32, #world.symmetric>, !world.ranks
  return
}

// -----

func.func @all_gather_c4_source(%w: !world.ranks, %x: memref<64xf32, #world.symmetric>, %y: memref<128xf32, #world.symmetric>, %f: memref<2xi64, #world.symmetric>) {
  // expected-error@+1 {{expected a row-major buffer in global memory as source of copy_engine, got 'memref<64xf32, #world.symmetric>'}}
  world.all_gather %x to %y over %w algorithm(copy_engine) signal %f
    : memref<64xf32, #world.symmetric>, memref<128xf32, #world.symmetric>, !world.ranks, memref<2xi64, #world.symmetric>
  return
}

// -----

func.func @all_gather_c4_target(%w: !world.ranks, %x: memref<64xf32>, %y: memref<128xf32>, %f: memref<2xi64, #world.symmetric>) {
  // expected-error@+1 {{expected a row-major buffer in #world.symmetric memory as target of copy_engine, got 'memref<128xf32>'}}
  world.all_gather %x to %y over %w algorithm(copy_engine) signal %f : memref<64xf32>, memref<128xf32>, !world.ranks, memref<2xi64, #world.symmetric>
  return
}

// -----

func.func @all_gather_c4_flags(%w: !world.ranks, %x: memref<64xf32>, %y: memref<128xf32, #world.symmetric>, %f: memref<2xf32, #world.symmetric>) {
  // expected-error@+1 {{expected flags in #world.symmetric memory, of one dimension of i32 or i64, got 'memref<2xf32, #world.symmetric>'}}
  world.all_gather %x to %y over %w algorithm(copy_engine) signal %f
    : memref<64xf32>, memref<128xf32, #world.symmetric>, !world.ranks, memref<2xf32, #world.symmetric>
  return
}

// -----

func.func @all_gather_c1_nibbles(%w: !world.ranks, %x: memref<64xi4>, %y: memref<128xi4, #world.symmetric>, %f: memref<2xi32, #world.symmetric>) {
  // expected-error@+1 {{expected elements of whole bytes, got 'i4'}}
  world.all_gather %x to %y over %w algorithm(copy_engine) signal %f
    : memref<64xi4>, memref<128xi4, #world.symmetric>, !world.ranks, memref<2xi32, #world.symmetric>
  return
}

// -----

// A launch knows the arguments of its function, and no other buffers.

func.func @all_gather_c5_view(%w: !world.ranks, %x: memref<64xf32>, %y: memref<64xf32, #world.symmetric>, %f: memref<2xi32, #world.symmetric>) {
  %half = memref.subview %x[0] [32] [1] : memref<64xf32> to memref<32xf32>
  // expected-error@+1 {{expected arguments of a function that no other calls, whose launch copies them}}
  world.all_gather %half to %y over %w algorithm(copy_engine) signal %f
    : memref<32xf32>, memref<64xf32, #world.symmetric>, !world.ranks, memref<2xi32, #world.symmetric>
  return
}

// -----

func.func @all_gather_c5(%w: !world.ranks, %x: memref<64xf32>, %y: memref<128xf32, #world.symmetric>, %f: memref<2xi32, #world.symmetric>) {
  // expected-error@+1 {{expected arguments of a function that no other calls, whose launch copies them}}
  world.all_gather %x to %y over %w algorithm(copy_engine) signal %f
    : memref<64xf32>, memref<128xf32, #world.symmetric>, !world.ranks, memref<2xi32, #world.symmetric>
  return
}
func.func @caller(%w: !world.ranks, %x: memref<64xf32>, %y: memref<128xf32, #world.symmetric>, %f: memref<2xi32, #world.symmetric>) {
  call @all_gather_c5(%w, %x, %y, %f)
    : (!world.ranks, memref<64xf32>, memref<128xf32, #world.symmetric>, memref<2xi32, #world.symmetric>) -> ()
  return
}

// -----

// The device copies beside what follows.

func.func @all_gather_c6(%w: !world.ranks, %x: memref<64xf32>, %y: memref<128xf32, #world.symmetric>, %f: memref<2xi64, #world.symmetric>) {
  // expected-note@+1 {{the all-gather}}
  world.all_gather %x to %y over %w algorithm(copy_engine) signal %f
    : memref<64xf32>, memref<128xf32, #world.symmetric>, !world.ranks, memref<2xi64, #world.symmetric>
  tile.kernel (%b) in (1) {
    %t = tile.alloc : memref<64xf32, #tile.shared>
    tile.fill %t, 1.0
    %view = memref.subview %x[0] [32] [1] : memref<64xf32> to memref<32xf32>
    // expected-error@+1 {{writes the source of an all-gather by copy_engine, which may still be copied}}
    tile.copy %t[0] [32], %view
  }
  return
}

// -----

// What writes it before, and what reads it behind, is right.

func.func @reads(%w: !world.ranks, %x: memref<64xf32>, %y: memref<128xf32, #world.symmetric>, %f: memref<2xi64, #world.symmetric>, %z: memref<64xf32>) {
  tile.kernel (%b) in (1) {
    %t = tile.alloc : memref<64xf32, #tile.shared>
    tile.fill %t, 1.0
    tile.copy %t, %x
  }
  world.all_gather %x to %y over %w algorithm(copy_engine) signal %f
    : memref<64xf32>, memref<128xf32, #world.symmetric>, !world.ranks, memref<2xi64, #world.symmetric>
  tile.kernel (%b) in (1) {
    %t = tile.alloc : memref<64xf32, #tile.shared>
    tile.copy %x, %t
    tile.copy %t, %z
  }
  return
}

// -----

// expected-error@+1 {{expected 'world.copies' to be #world.copies}}
func.func @wrong_copies() attributes {world.copies = 1} {
  return
}

// -----

// expected-error@+1 {{unknown attribute 'world.other'; expected world.reference or world.copies}}
func.func @unknown_attribute() attributes {world.other = 1} {
  return
}
