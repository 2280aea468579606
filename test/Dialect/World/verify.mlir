// What the passes refuse, and what a target refuses that has no ranks yet.

// RUN: tile-opt-plain %s --split-input-file --world-verify --verify-diagnostics

func.func @early_read(%w: !world.ranks, %x: memref<64xf32, #world.symmetric>) {
  tile.kernel (%b) in (1) {
    %t = tile.alloc : memref<64xf32, #tile.shared>
    // expected-error@+1 {{reads memory that another rank may be writing; read the result of 'world.acquire', which takes the token of a 'world.wait' or 'world.barrier'}}
    tile.copy %x, %t
  }
  return
}

// -----

func.func @read_of_peer(%w: !world.ranks, %x: memref<64xf32, #world.symmetric>, %i: index) {
  tile.kernel (%b) in (1) {
    %p = world.peer %x at %w[0]
    tile.parallel (%j) in (64) {
      // expected-error@+1 {{reads memory that another rank may be writing}}
      %v = memref.load %p[%j] : memref<64xf32, strided<[1], offset: ?>, #world.peer>
      memref.store %v, %p[%j] : memref<64xf32, strided<[1], offset: ?>, #world.peer>
    }
  }
  return
}

// -----

func.func @through_a_view(%w: !world.ranks, %x: memref<64xf32, #world.symmetric>) {
  tile.kernel (%b) in (1) {
    %t = tile.alloc : memref<32xf32, #tile.shared>
    %v = memref.subview %x[0] [32] [1] : memref<64xf32, #world.symmetric> to memref<32xf32, strided<[1]>, #world.symmetric>
    // expected-error@+1 {{reads memory that another rank may be writing}}
    tile.copy %v, %t
  }
  return
}

// -----

func.func @around_the_tokens(%w: !world.ranks, %x: memref<64xf32, #world.symmetric>) {
  tile.kernel (%b) in (1) {
    // expected-error@+1 {{may read memory that another rank may be writing}}
    %v = memref.memory_space_cast %x : memref<64xf32, #world.symmetric> to memref<64xf32>
  }
  return
}

// -----

func.func @flags_of_one_rank(%w: !world.ranks, %f: memref<4xi64>) {
  tile.kernel (%b) in (1) {
    // expected-error@+1 {{expected flags in #world.symmetric or #world.peer memory, got 'memref<4xi64>'}}
    world.signal %f[0] add 1
    // expected-error@+1 {{expected flags in #world.symmetric memory, got 'memref<4xi64>'}}
    %t = world.wait %f[0] ge 1
  }
  return
}

// -----

func.func @meeting_of_nobody(%w: !world.ranks) {
  // expected-error@+1 {{expected to be in a 'tile.kernel', whose blocks meet}}
  %t = world.barrier %w
  return
}

// -----

// expected-error@+1 {{expected an argument of type !world.ranks beside buffers in #world.symmetric memory}}
func.func @no_ranks(%x: memref<64xf32, #world.symmetric>) {
  return
}

// -----

// expected-error@+1 {{expected one argument of type !world.ranks, got 2}}
func.func @two_worlds(%v: !world.ranks, %w: !world.ranks) {
  return
}

// -----

// expected-error@+1 {{expected elements of whole bytes in #world.symmetric memory, got 'i4'}}
func.func @half_bytes(%w: !world.ranks, %x: memref<64xi4, #world.symmetric>) {
  return
}
