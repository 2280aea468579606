// RUN: tile-opt %s --split-input-file --verify-diagnostics --tile-set-target=chip=sm_90a --convert-tile-to-simt

// What cannot be lowered says why and what to do.

//===----------------------------------------------------------------------===//
// Kernels and arguments
//===----------------------------------------------------------------------===//

func.func @in_loop(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-note @below {{it is in here}}
  scf.for %i = %c0 to %n step %c1 {
    // expected-error @below {{expected the kernel to be launched once, at the top of its function}}
    tile.kernel (%b) in (1) {
    }
  }
  return
}

// -----

// expected-error @below {{argument 0: expected strides without an offset, got 'memref<8xf32, strided<[1], offset: 4>>'}}
func.func @offset(%a: memref<8xf32, strided<[1], offset: 4>>) {
  %zero = arith.constant 0.0 : f32
  tile.kernel (%b) in (1) {
    tile.fill %a, %zero : memref<8xf32, strided<[1], offset: 4>>
  }
  return
}

// -----

// expected-error @below {{argument 1: expected a buffer or a number, got 'vector<4xf32>'}}
func.func @vector_argument(%a: memref<4xf32>, %v: vector<4xf32>) {
  tile.kernel (%b) in (1) {
    %x = vector.extract %v[0] : f32 from vector<4xf32>
    tile.fill %a, %x : memref<4xf32>
  }
  return
}

// -----

func.func @host_value(%a: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  // expected-note @below {{it uses this value of the host}}
  %v = memref.load %a[%c0] : memref<8xf32>
  // expected-error @below {{expected the kernel to use arguments and workspaces of the function, views of them, and numbers computed from them}}
  tile.kernel (%b) in (1) {
    tile.fill %a, %v : memref<8xf32>
  }
  return
}

// -----

func.func @host_buffer(%zero: f32) {
  // expected-note @below {{it uses this value of the host}}
  %a = memref.alloc() : memref<8xf32>
  // expected-error @below {{expected the kernel to use arguments and workspaces of the function, views of them, and numbers computed from them}}
  tile.kernel (%b) in (1) {
    tile.fill %a, %zero : memref<8xf32>
  }
  return
}

// -----

// expected-note @below {{it is in here}}
func.func @other_block(%n: index) {
  cf.br ^next(%n : index)
^next(%m: index):
  // expected-error @below {{expected the kernel to be launched once, at the top of its function}}
  tile.kernel (%b) in (%m) {
  }
  return
}

// -----

// expected-error @below {{expected a function with kernels to have no results, got 1}}
func.func @result(%x: f32) -> f32 {
  tile.kernel (%b) in (1) {
  }
  return %x : f32
}

// -----

func.func @host_store(%a: memref<8xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  // expected-error @below {{'memref.store' cannot be run next to kernels of a GPU; expected launch parameters only}}
  memref.store %x, %a[%c0] : memref<8xf32>
  tile.kernel (%b) in (1) {
    tile.fill %a, %x : memref<8xf32>
  }
  return
}

// -----

func.func @grid(%n: index, %m: index) {
  // expected-note @below {{this value does not}}
  %x = arith.xori %n, %m : index
  // expected-error @below {{expected a grid that follows from the sizes and integers that the function takes, by + - * ceildiv floordiv mod min max, comparisons and selections}}
  tile.kernel (%b) in (%x) {
  }
  return
}

// -----

// Each step doubles the expression.
func.func @long_grid(%n: index, %m: index) {
  %q0 = arith.addi %n, %m : index
  %q1 = arith.muli %q0, %q0 : index
  %q2 = arith.muli %q1, %q1 : index
  %q3 = arith.muli %q2, %q2 : index
  %q4 = arith.muli %q3, %q3 : index
  %q5 = arith.muli %q4, %q4 : index
  %q6 = arith.muli %q5, %q5 : index
  %q7 = arith.muli %q6, %q6 : index
  %q8 = arith.muli %q7, %q7 : index
  // expected-note @below {{this value has too many}}
  %q9 = arith.muli %q8, %q8 : index
  %q10 = arith.muli %q9, %q9 : index
  // expected-error @below {{expected a grid of fewer terms; let the function take the number}}
  tile.kernel (%b) in (%q10) {
  }
  return
}

// -----

func.func @too_large(%zero: f32) {
  // expected-error @below {{expected at most 232448 bytes of shared memory on sm_90a, got 262144}}
  tile.kernel (%b) in (1) {
    %s = tile.alloc : memref<65536xf32, #tile.shared>
    tile.fill %s, %zero : memref<65536xf32, #tile.shared>
  }
  return
}

// -----

func.func @select(%a: memref<8xf32>, %c: memref<8xf32>, %p: i1, %zero: f32) {
  tile.kernel (%b) in (1) {
    // expected-note @below {{the buffer comes from here}}
    %x = arith.select %p, %a, %c : memref<8xf32>
    // expected-error @below {{uses a buffer that has no place on a GPU; expected an argument of the function, a 'tile.alloc' or a view of one of them}}
    tile.fill %x, %zero : memref<8xf32>
  }
  return
}

// -----

//===----------------------------------------------------------------------===//
// Ops that this lowering does not have
//===----------------------------------------------------------------------===//

func.func @memref_op(%a: memref<8xf32>, %c: memref<8xf32>) {
  tile.kernel (%b) in (1) {
    // expected-error @below {{'memref.copy' op cannot be lowered to threads of a GPU}}
    memref.copy %a, %c : memref<8xf32> to memref<8xf32>
  }
  return
}

// -----

func.func @unused_buffer(%a: memref<8xf32>, %c: memref<8xf32>, %p: i1) {
  tile.kernel (%b) in (1) {
    // expected-error @below {{'arith.select' op cannot be lowered to threads of a GPU}}
    %x = arith.select %p, %a, %c : memref<8xf32>
  }
  return
}

// -----

//===----------------------------------------------------------------------===//
// Buffers and elements
//===----------------------------------------------------------------------===//

func.func @no_layout() {
  tile.kernel (%b) in (1) {
    // expected-error @below {{expected a layout for the fragment; run 'tile-infer-layout' first}}
    %f = tile.alloc : memref<64xf32, #tile.fragment>
  }
  return
}

// -----

func.func @complex(%a: memref<8xcomplex<f32>>, %c: memref<8xcomplex<f32>>) {
  tile.kernel (%b) in (1) threads(32) {
    tile.parallel (%i) in (8) {
      // expected-error @below {{expected buffers of integers, floats or indices on a GPU, got 'memref<8xcomplex<f32>>'; pass the parts of complex numbers as a last dimension of 2}}
      %v = memref.load %a[%i] : memref<8xcomplex<f32>>
      memref.store %v, %c[%i] : memref<8xcomplex<f32>>
    }
  }
  return
}

// -----

func.func @unknown_callee(%x: f32) {
  tile.kernel (%b) in (1) {
    // expected-error @below {{'tile.alloc' op cannot be lowered to threads of a GPU}}
    %s = tile.alloc : memref<8xf32, #tile.shared>
    func.call @callee(%s) : (memref<8xf32, #tile.shared>) -> ()
  }
  return
}
func.func private @callee(memref<8xf32, #tile.shared>)

// -----

func.func @gather_local(%a: memref<8x4xf32>, %list: memref<8xi32>) {
  tile.kernel (%b) in (1) {
    %t = tile.alloc : memref<8x4xf32, #tile.local>
    // expected-error @below {{expected a tile in shared memory or a fragment on sm_90a, got 'local'}}
    tile.gather %a[0, 0] by %list[0], %t : memref<8x4xf32>, memref<8xi32>, memref<8x4xf32, #tile.local>
  }
  return
}

// -----

func.func @tensor_memory() {
  tile.kernel (%b) in (1) {
    // expected-error @below {{expected a buffer in shared, fragment or local memory on sm_90a, got 'tmem'}}
    %f = tile.alloc : memref<128x64xf32, #tile.tmem>
  }
  return
}

// -----

func.func @fragment_without_loop(%a: memref<64xf32>, %v: f32) {
  %c3 = arith.constant 3 : index
  tile.kernel (%b) in (1) threads(32) {
    %f = tile.alloc {layout = #tile.layout<[64: 2 reg, 32 lane]>} : memref<64xf32, #tile.fragment>
    // expected-error @below {{names an element of a fragment that another thread may own; run 'tile-infer-layout', or go through a shared buffer}}
    memref.store %v, %f[%c3] : memref<64xf32, #tile.fragment>
  }
  return
}

// -----

func.func @loop_without_layout(%a: memref<64xf32>) {
  tile.kernel (%b) in (1) threads(32) {
    %f = tile.alloc {layout = #tile.layout<[64: 2 reg, 32 lane]>} : memref<64xf32, #tile.fragment>
    // expected-error @below {{accesses fragments and has no layout; run 'tile-infer-layout'}}
    tile.parallel (%i) in (64) {
      %v = memref.load %f[%i] : memref<64xf32, #tile.fragment>
      memref.store %v, %a[%i] : memref<64xf32>
    }
  }
  return
}

// -----

// Lane i has element i, but in register i: no thread can name that.
func.func @register_of_thread(%a: memref<4xf32>) {
  tile.kernel (%b) in (1) threads(32) {
    // expected-note @below {{the tile is here}}
    %f = tile.alloc {layout = #tile.layout<[4: 4 reg] rep(4 lane)>} : memref<4xf32, #tile.fragment>
    // expected-error @below {{needs the layout [4: 4 lane] of a tile that has [4: 4 reg] rep(4 lane); run 'tile-infer-layout', which converts it}}
    tile.parallel (%i) in (4) attributes {layout = #tile.layout<[4: 4 lane]>} {
      %v = memref.load %f[%i] : memref<4xf32, #tile.fragment>
      memref.store %v, %a[%i] : memref<4xf32>
    }
  }
  return
}

// -----

func.func @fragment_index(%a: memref<64xf32>, %n: index) {
  tile.kernel (%b) in (1) threads(32) {
    %f = tile.alloc {layout = #tile.layout<[64: 2 reg, 32 lane]>} : memref<64xf32, #tile.fragment>
    tile.parallel (%i) in (64) {
      // expected-error @below {{names an element of a fragment that another thread may own; run 'tile-infer-layout', or go through a shared buffer}}
      %v = memref.load %f[%n] : memref<64xf32, #tile.fragment>
      memref.store %v, %a[%i] : memref<64xf32>
    }
  }
  return
}

// -----

func.func @dim(%a: memref<?x?xf32>, %d: index, %s: memref<1xindex>) {
  tile.kernel (%b) in (1) threads(32) {
    %c0 = arith.constant 0 : index
    // expected-error @below {{expected a constant dimension of the buffer}}
    %n = memref.dim %a, %d : memref<?x?xf32>
    memref.store %n, %s[%c0] : memref<1xindex>
  }
  return
}

// -----

func.func @view(%a: memref<8x8xi8>) {
  tile.kernel (%b) in (1) {
    %s = tile.alloc {layout = #tile.layout<[8: 8 offset][8: 8 offset*8]>} : memref<8x8xi8, #tile.shared>
    // expected-error @below {{cannot be lowered to threads: expected 4 neighbours that become one element at consecutive offsets, got number 1 at 8 behind the first}}
    %v = tile.view %s : memref<8x8xi8, #tile.shared> to memref<8x2xi32, #tile.shared>
  }
  return
}

// -----

//===----------------------------------------------------------------------===//
// Atomics and reductions
//===----------------------------------------------------------------------===//

func.func @atomic_copies(%a: memref<8xi32>, %c: memref<16xi32>, %v: i32) {
  tile.kernel (%b) in (1) threads(32) {
    // expected-error @below {{expected a layout without copies of the iterations, which read a buffer and write it, got #tile.layout<[16: 16 lane*2] rep(2 lane)>}}
    tile.parallel (%i) in (16) attributes {layout = #tile.layout<[16: 16 lane*2] rep(2 lane)>} {
      %old = tile.atomic add %v, %a[0] : i32, memref<8xi32> -> i32
      memref.store %old, %c[%i] : memref<16xi32>
    }
  }
  return
}

// -----

func.func @vector(%a: memref<8xf32>, %s: memref<1xf32>) {
  tile.kernel (%b) in (1) {
    // expected-error @below {{expected a source of two dimensions or more; run 'tile-select-instructions' first}}
    tile.reduce sum %a, %s dim(0) : memref<8xf32>, memref<1xf32>
  }
  return
}

// -----

func.func @cluster() {
  // expected-error @below {{expected a cluster of at most 8 blocks on sm_90a, got 4x4}}
  tile.kernel (%b, %c) in (4, 4) cluster(4, 4) {
  }
  return
}

// -----

// expected-error @below {{argument 0: expected an even last size of packed elements, got 5}}
func.func @odd_rows_of_half_bytes(%a: memref<3x5xi4>, %v: i4) {
  tile.kernel (%b) in (1) threads(32) {
    tile.fill %a, %v : memref<3x5xi4>
  }
  return
}

// -----

// expected-error @below {{argument 0: expected a multiple of 8 elements, because single ones of 4 bits are stored, got 'memref<3x6xi4>'; store to a shared tile and copy that}}
func.func @single_half_bytes(%a: memref<3x6xi4>, %v: i4) {
  tile.kernel (%b) in (1) threads(32) {
    tile.parallel (%i) in (6) {
      memref.store %v, %a[%b, %i] : memref<3x6xi4>
    }
  }
  return
}
