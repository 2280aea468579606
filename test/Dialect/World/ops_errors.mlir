// RUN: tile-opt-plain %s --split-input-file --verify-diagnostics

func.func @results(%w: !world.ranks<2x?>) {
  // expected-error@+1 {{expected 2 results for '!world.ranks<2x?>', got 1}}
  %r = "world.rank"(%w) : (!world.ranks<2x?>) -> index
  return
}

// -----

func.func @results_of_size(%w: !world.ranks) {
  // expected-error@+1 {{expected 1 results for '!world.ranks', got 2}}
  %r:2 = "world.size"(%w) : (!world.ranks) -> (index, index)
  return
}

// -----

// expected-error@+1 {{expected a number as the first extent of a grid of ranks; the other one follows from it}}
func.func private @extents(!world.ranks<?x2>)

// -----

// expected-error@+1 {{expected at least 1 rank in each dimension, got 0}}
func.func private @none(!world.ranks<0>)

// -----

// expected-error@+1 {{expected a world of 1 or 2 dimensions, got 3}}
func.func private @deep(!world.ranks<2x2x?>)

// -----

func.func @plain(%w: !world.ranks, %x: memref<64xf32>, %i: index) {
  // expected-error@+1 {{expected a buffer in #world.symmetric memory, got 'memref<64xf32>'}}
  %p = world.peer %x at %w[%i] : memref<64xf32>, !world.ranks
  return
}

// -----

func.func @coordinates(%w: !world.ranks<2x?>, %x: memref<64xf32, #world.symmetric>, %i: index) {
  // expected-error@+1 {{expected 2 coordinates for '!world.ranks<2x?>', got 1}}
  %p = world.peer %x at %w[%i] : memref<64xf32, #world.symmetric>, !world.ranks<2x?>
  return
}

// -----

func.func @flags(%f: memref<4xf32, #world.symmetric>, %i: index, %v: i64) {
  // expected-error@+1 {{expected a global buffer of one dimension of i32 or i64, got 'memref<4xf32, #world.symmetric>'}}
  "world.signal"(%f, %i, %v) : (memref<4xf32, #world.symmetric>, index, i64) -> ()
  return
}

// -----

func.func @value(%f: memref<4xi32, #world.symmetric>, %i: index, %v: i64) {
  // expected-error@+1 {{expected a value of type 'i32' as the elements of the flags, got 'i64'}}
  "world.signal"(%f, %i, %v) : (memref<4xi32, #world.symmetric>, index, i64) -> ()
  return
}

// -----

func.func @zero(%f: memref<4xi64, #world.symmetric>) {
  tile.kernel (%b) in (1) {
    // expected-error@+1 {{expected a value of at least 1, which a flag has only after a signal, got 0}}
    %t = world.wait %f[0] ge 0
  }
  return
}

// -----

func.func @how(%f: memref<4xi64, #world.symmetric>) {
  tile.kernel (%b) in (1) {
    // expected-error@+1 {{expected ge or eq, got 'gt'}}
    %t = world.wait %f[0] gt 1
  }
  return
}

// -----

func.func @acquired(%f: memref<4xi64>, %t: !world.token) {
  // expected-error@+1 {{expected a buffer in #world.symmetric or #world.peer memory, got 'memref<4xi64>'}}
  %p = "world.acquire"(%f, %t) : (memref<4xi64>, !world.token) -> memref<4xi64>
  return
}

// -----

func.func @tokens(%f: memref<4xi64, #world.symmetric>) {
  // expected-error@+1 {{expected a token of 'world.wait' or 'world.barrier'}}
  %p = "world.acquire"(%f) : (memref<4xi64, #world.symmetric>) -> memref<4xi64>
  return
}

// -----

func.func @in_parallel(%f: memref<4xi64, #world.symmetric>, %i: index, %v: i64) {
  tile.kernel (%b) in (1) {
    // expected-note@+1 {{the loop is here}}
    tile.parallel (%j) in (4) {
      // expected-error@+1 {{works on whole tiles and is not allowed in 'tile.parallel'; move it out of the loop}}
      world.signal %f[%i] add %v : memref<4xi64, #world.symmetric>
    }
  }
  return
}

// -----

func.func @source(%w: !world.ranks, %x: memref<64xf32>, %y: memref<64xf32>) {
  // expected-error@+1 {{expected a row-major buffer in #world.symmetric memory as source, got 'memref<64xf32>'}}
  world.all_gather %x to %y over %w : memref<64xf32>, memref<64xf32>, !world.ranks
  return
}

// -----

func.func @element(%w: !world.ranks, %x: memref<64xf16, #world.symmetric>, %y: memref<64xf32>) {
  // expected-error@+1 {{expected element type 'f16' as in the source, got 'f32'}}
  world.all_to_all %x to %y over %w : memref<64xf16, #world.symmetric>, memref<64xf32>, !world.ranks
  return
}

// -----

func.func @blocks(%w: !world.ranks, %x: memref<64xf32, #world.symmetric>, %y: memref<64xf32>) {
  // expected-error@+1 {{expected 1 to 4096 blocks, got 0}}
  world.all_reduce sum %x to %y over %w blocks(0) : memref<64xf32, #world.symmetric>, memref<64xf32>, !world.ranks
  return
}

// -----

func.func @two_shot(%w: !world.ranks, %x: memref<64xf32, #world.symmetric>, %y: memref<64xf32>) {
  // expected-error@+1 {{expected a row-major buffer in #world.symmetric memory as target of two_shot, got 'memref<64xf32>'}}
  world.all_reduce sum %x to %y over %w algorithm(two_shot) : memref<64xf32, #world.symmetric>, memref<64xf32>, !world.ranks
  return
}

// -----

func.func @small_floats(%w: !world.ranks, %x: memref<64xf8E4M3FN, #world.symmetric>, %y: memref<64xf8E4M3FN>) {
  // expected-error@+1 {{expected floats of at least 16 bits or signless integers, got 'f8E4M3FN'}}
  world.reduce_scatter sum %x to %y over %w : memref<64xf8E4M3FN, #world.symmetric>, memref<64xf8E4M3FN>, !world.ranks
  return
}

// -----

func.func @half_bytes(%w: !world.ranks, %x: memref<64xi4, #world.symmetric>, %y: memref<64xi4>) {
  // expected-error@+1 {{expected elements of whole bytes, got 'i4'}}
  world.all_gather %x to %y over %w : memref<64xi4, #world.symmetric>, memref<64xi4>, !world.ranks
  return
}

// -----

// expected-note@+1 {{the reference is here}}
func.func private @ref(memref<?x4xf32>)
// expected-error@+1 {{expected the reference to have type '(memref<?x8xf32>) -> ()', got '(memref<?x4xf32>) -> ()'}}
func.func @reference(%w: !world.ranks, %x: memref<8xf32>) attributes {world.reference = @ref} {
  return
}

// -----

// expected-error@+1 {{reference @nobody does not exist}}
func.func @no_reference(%w: !world.ranks, %x: memref<8xf32>) attributes {world.reference = @nobody} {
  return
}

// -----

// expected-error@+1 {{expected 'world.reference' to be the name of a function, on a function that takes !world.ranks}}
func.func @alone(%x: memref<8xf32>) attributes {world.reference = @alone} {
  return
}
