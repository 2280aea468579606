// RUN: tile-opt-plain %s --split-input-file --verify-diagnostics

func.func @rank_c1(%w: !world.ranks<2x?>) {
  // expected-error@+1 {{expected 2 results for '!world.ranks<2x?>', got 1}}
  %r = "world.rank"(%w) : (!world.ranks<2x?>) -> index
  return
}

// -----

func.func @size_c1(%w: !world.ranks) {
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

func.func @peer_c1(%w: !world.ranks, %x: memref<64xf32>, %i: index) {
  // expected-error@+1 {{expected a buffer in #world.symmetric memory, got 'memref<64xf32>'}}
  %p = world.peer %x at %w[%i] : memref<64xf32>, !world.ranks
  return
}

// -----

func.func @peer_c2(%w: !world.ranks<2x?>, %x: memref<64xf32, #world.symmetric>, %i: index) {
  // expected-error@+1 {{expected 2 coordinates for '!world.ranks<2x?>', got 1}}
  %p = world.peer %x at %w[%i] : memref<64xf32, #world.symmetric>, !world.ranks<2x?>
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

// -----

func.func @no_world(%x: memref<64xf32>) {
  // expected-error@+1 {{expected a value of type !world.ranks, got 'memref<64xf32>'}}
  %r = world.rank %x : memref<64xf32>
  return
}

// -----

func.func @peer_type(%w: !world.ranks, %x: memref<64xf32, #world.symmetric>, %i: index) {
  // expected-error@+1 {{expected a result of type 'memref<64xf32, strided<[1], offset: ?>, #world.peer>', got 'memref<64xf32>'}}
  %p = "world.peer"(%x, %w, %i) : (memref<64xf32, #world.symmetric>, !world.ranks, index) -> memref<64xf32>
  return
}

// -----

// expected-error@+1 {{unknown attribute 'world.other'; expected world.reference}}
func.func @attribute(%w: !world.ranks) attributes {world.other} {
  return
}

// -----

func.func @peer_c3(%w: !world.ranks<2x?>, %x: memref<64xf32, #world.symmetric>) {
  tile.kernel (%b) in (1) {
    // expected-error@+1 {{expected coordinate 0 to be below 2, got 2}}
    %p = world.peer %x at %w[2, 7]
  }
  return
}

// -----

func.func @peer_c3_negative(%w: !world.ranks, %x: memref<64xf32, #world.symmetric>) {
  %i = arith.constant -1 : index
  // expected-error@+1 {{expected coordinate 0 to be at least 0, got -1}}
  %p = world.peer %x at %w[%i]
  return
}
