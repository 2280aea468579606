// RUN: tile-opt %s --split-input-file --verify-diagnostics --tile-set-target=chip=sm_90a --convert-tile-to-simt

// Workspaces, parts of buffers and prints that cannot be lowered say why and what to do.

func.func @workspace(%n: index, %m: index, %x: f32) {
  // expected-note @below {{this value does not}}
  %z = arith.xori %n, %m : index
  // expected-error @below {{expected extents that follow from the sizes and integers that the function takes, by + - * ceildiv floordiv mod min max, comparisons and selections}}
  %w = tile.alloc (%z) : memref<?xf32>
  tile.kernel (%b) in (1) {
    memref.store %x, %w[%b] : memref<?xf32>
  }
  return
}

// -----

func.func @packed_workspace(%n: index, %x: i4) {
  // expected-error @below {{expected an even static last size of packed elements, got 'memref<?xi4>'; allocate bytes}}
  %w = tile.alloc (%n) : memref<?xi4>
  tile.kernel (%b) in (1) {
    memref.store %x, %w[%b] : memref<?xi4>
  }
  return
}

// -----

func.func @part_at_run_time(%n: index, %x: f32) {
  tile.kernel (%b) in (1) {
    %s = tile.alloc : memref<8xf32, #tile.shared>
    // expected-error @below {{'memref.subview' op cannot be lowered to threads: expected a part of a tile at a known place, without strides; run 'tile-fold-views' first}}
    %p = memref.subview %s[%n] [4] [1] : memref<8xf32, #tile.shared> to memref<4xf32, strided<[1], offset: ?>, #tile.shared>
    tile.fill %p, %x : memref<4xf32, strided<[1], offset: ?>, #tile.shared>
  }
  return
}

// -----

func.func @part_of_swizzle(%x: f32) {
  tile.kernel (%b) in (1) {
    %s = tile.alloc {layout = #tile.layout<[64: 64 offset*32][32: 32 offset] swizzle(3, 2, 3)>} : memref<64x32xf32, #tile.shared>
    // expected-error @below {{'memref.subview' op cannot be lowered to threads: expected a part that begins at a multiple of the 256 elements of a swizzle, got 128; run 'tile-fold-views' first}}
    %p = memref.subview %s[4, 0] [8, 32] [1, 1] : memref<64x32xf32, #tile.shared> to memref<8x32xf32, strided<[32, 1], offset: 128>, #tile.shared>
    tile.fill %p, %x : memref<8x32xf32, strided<[32, 1], offset: 128>, #tile.shared>
  }
  return
}

// -----

func.func @part_of_fragment(%x: f32) {
  tile.kernel (%b) in (1) {
    %s = tile.alloc {layout = #tile.layout<[8: 8 reg] rep(128 lane)>} : memref<8xf32, #tile.fragment>
    // expected-error @below {{'memref.subview' op cannot be lowered to threads: expected a part of a buffer in memory; run 'tile-fold-views' first}}
    %p = memref.subview %s[4] [4] [1] : memref<8xf32, #tile.fragment> to memref<4xf32, strided<[1], offset: 4>, #tile.fragment>
    tile.fill %p, %x : memref<4xf32, strided<[1], offset: 4>, #tile.fragment>
  }
  return
}

// -----

func.func @packed_part(%a: memref<?xi4>, %n: index, %x: i4) {
  tile.kernel (%b) in (1) {
    // expected-error @below {{'memref.subview' op cannot be lowered to threads: expected elements of whole bytes in a part of a buffer that a tile may leave}}
    %p = memref.subview %a[%n] [4] [1] : memref<?xi4> to memref<4xi4, strided<[1], offset: ?>>
    memref.store %x, %p[%b] : memref<4xi4, strided<[1], offset: ?>>
  }
  return
}

// -----

func.func @print_shared(%x: f32, %n: index) {
  tile.kernel (%b) in (1) {
    %s = tile.alloc : memref<8xf32, #tile.shared>
    %l = tile.alloc : memref<1xindex, #tile.local>
    %c0 = arith.constant 0 : index
    tile.parallel (%i) in (8) attributes {layout = #tile.layout<[8: 8 lane]>} {
      memref.store %i, %l[%c0] : memref<1xindex, #tile.local>
    }
    %v = memref.load %l[%c0] : memref<1xindex, #tile.local>
    %p = arith.cmpi eq, %v, %c0 : index
    scf.if %p {
      // expected-error @below {{'tile.print' op expected all threads of the block to reach it, since they have written the buffer; print a fragment here}}
      tile.print %s, "s" : memref<8xf32, #tile.shared>
    }
  }
  return
}

// -----

func.func @print_fragment(%x: f32) {
  tile.kernel (%b) in (1) threads(32) {
    %f = tile.alloc {layout = #tile.layout<[32: 32 lane]>} : memref<32xf32, #tile.fragment>
    tile.parallel (%i) in (32) attributes {layout = #tile.layout<[32: 32 lane]>} {
      // expected-error @below {{'tile.print' op expected a number in 'tile.parallel', got a fragment, of which each thread has a part}}
      tile.print %f, "f" : memref<32xf32, #tile.fragment>
    }
  }
  return
}

// -----

memref.global "private" @variable : memref<4xf32> = dense<1.0>
func.func @takes_variable(%y: memref<4xf32>) {
  // expected-error @below {{expected a constant with values of whole bytes on a GPU; pass the buffer as an argument}}
  %v = memref.get_global @variable : memref<4xf32>
  tile.kernel (%b) in (1) {
    tile.copy %v, %y : memref<4xf32>, memref<4xf32>
  }
  return
}

// -----

memref.global "private" constant @large : memref<2000000xf32> = dense<1.0>
func.func @takes_large(%y: memref<4xf32>) {
  // expected-error @below {{expected at most 4194304 bytes of constants in the code of a GPU, got 8000000; pass the buffer as an argument}}
  %v = memref.get_global @large : memref<2000000xf32>
  tile.kernel (%b) in (1) {
    tile.copy %v[0] [4], %y : memref<2000000xf32>, memref<4xf32>
  }
  return
}

// -----

memref.global "private" constant @packed : memref<4xi4> = dense<1>
func.func @takes_packed(%y: memref<4xi4>) {
  // expected-error @below {{expected a constant with values of whole bytes}}
  %v = memref.get_global @packed : memref<4xi4>
  tile.kernel (%b) in (1) {
    tile.copy %v, %y : memref<4xi4>, memref<4xi4>
  }
  return
}

// -----

// Two elements of four.
memref.global "private" constant @short : memref<4xi16> = dense_resource<numbers>
func.func @takes_short(%y: memref<4xi16>) {
  // expected-error @below {{expected a constant with values of whole bytes}}
  %v = memref.get_global @short : memref<4xi16>
  tile.kernel (%b) in (1) {
    tile.copy %v, %y : memref<4xi16>, memref<4xi16>
  }
  return
}

{-#
  dialect_resources: {
    builtin: {
      numbers: "0x0200000002000100"
    }
  }
#-}

// -----

func.func @joined_part(%x: memref<?x?xf32>, %m: index, %n: index, %y: memref<32xf32>) {
  %s = memref.subview %x[%m, 0] [3, %n] [1, 1] : memref<?x?xf32> to memref<3x?xf32, strided<[?, 1], offset: ?>>
  // expected-error@+1 {{expected a row-major global buffer on a GPU, got 'memref<3x?xf32, strided<[?, 1], offset: ?>>'; take the part of the view instead}}
  %e = memref.collapse_shape %s [[0, 1]] : memref<3x?xf32, strided<[?, 1], offset: ?>> into memref<?xf32, strided<[?], offset: ?>>
  tile.kernel (%i) in (1) threads(64) {
    %t = tile.alloc : memref<32xf32, #tile.shared>
    tile.copy %e[%i], %t
    tile.copy %t, %y
  }
  return
}
