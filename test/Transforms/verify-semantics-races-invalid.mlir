// RUN: tile-opt %s --split-input-file --tile-verify-semantics --verify-diagnostics

func.func @sum_without_reduce(%x: memref<64x64xf32>) {
  tile.kernel (%b) in (1) {
    %sum = tile.alloc : memref<64xf32, #tile.shared>
    // expected-note @below {{iterations run in any order; combine their values with 'tile.atomic', or with 'tile.reduce' after the loop}}
    tile.parallel (%i, %j) in (64, 64) {
      // expected-note @below {{the other access is here}}
      %a = memref.load %sum[%i] : memref<64xf32, #tile.shared>
      %v = memref.load %x[%i, %j] : memref<64x64xf32>
      %c = arith.addf %a, %v : f32
      // expected-error @below {{one iteration writes what another one reads: iterations (0, 0) and (0, 1) both touch [0]}}
      memref.store %c, %sum[%i] : memref<64xf32, #tile.shared>
    }
  }
  return
}

// -----

// One store is enough; so is a value and an index that do not depend on the iteration.
func.func @invariant_store(%x: memref<8xf32>, %v: f32) {
  %c3 = arith.constant 3 : index
  tile.kernel (%b) in (1) {
    // expected-note @below {{iterations run in any order}}
    tile.parallel (%i) in (64) {
      // expected-error @below {{two iterations write the same element of the buffer: iterations (0) and (1) both touch [3]}}
      memref.store %v, %x[%c3] : memref<8xf32>
    }
  }
  return
}

// -----

// 2i + 4j: (0, 1) and (2, 0) meet, and nearer neighbours do not.
func.func @strides(%x: memref<1024xf32>, %v: f32) {
  tile.kernel (%b) in (1) {
    // expected-note @below {{iterations run in any order}}
    tile.parallel (%i, %j) in (8, 8) {
      %p = affine.apply affine_map<(i, j) -> (i * 2 + j * 4)>(%i, %j)
      // expected-error @below {{two iterations write the same element of the buffer: iterations (0, 1) and (2, 0) both touch [4]}}
      memref.store %v, %x[%p] : memref<1024xf32>
    }
  }
  return
}

// -----

func.func @shift(%v: f32) {
  tile.kernel (%b) in (4) {
    %s = tile.alloc : memref<65xf32, #tile.shared>
    // expected-note @below {{iterations run in any order}}
    tile.parallel (%i) in (64) {
      %c1 = arith.constant 1 : index
      %p = arith.addi %i, %c1 : index
      // expected-note @below {{the other access is here}}
      %a = memref.load %s[%p] : memref<65xf32, #tile.shared>
      // expected-error @below {{one iteration writes what another one reads: iterations (1) and (0) both touch [1]}}
      memref.store %a, %s[%i] : memref<65xf32, #tile.shared>
    }
  }
  return
}

// -----

// Divisions and remainders of iteration variables.
func.func @divisions(%x: memref<64xf32>, %v: f32) {
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  tile.kernel (%b) in (1) {
    // expected-note @below {{iterations run in any order}}
    tile.parallel (%i) in (64) {
      %p = arith.divui %i, %c2 : index
      // expected-error @below {{two iterations write the same element of the buffer: iterations (0) and (1) both touch [0]}}
      memref.store %v, %x[%p] : memref<64xf32>
    }
    // expected-note @below {{iterations run in any order}}
    tile.parallel (%i) in (64) {
      %p = arith.remui %i, %c8 : index
      // expected-error @below {{two iterations write the same element of the buffer: iterations (0) and (8) both touch [0]}}
      memref.store %v, %x[%p] : memref<64xf32>
    }
  }
  return
}

// -----

// An inner loop, whose extent is the caller's, is taken to run.
func.func @inner_loop(%x: memref<?xf32>, %n: index, %v: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.kernel (%b) in (1) {
    // expected-note @below {{iterations run in any order}}
    tile.parallel (%i) in (%n) {
      scf.for %k = %c0 to %n step %c1 {
        // expected-error @below {{two iterations write the same element of the buffer: iterations (0) and (1) both touch [0]}}
        memref.store %v, %x[%k] : memref<?xf32>
      }
    }
  }
  return
}

// -----

// An affine guard that keeps two iterations.
func.func @guard(%x: memref<8xf32>, %v: f32) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  tile.kernel (%b) in (1) {
    // expected-note @below {{iterations run in any order}}
    tile.parallel (%i) in (64) {
      %few = arith.cmpi ult, %i, %c2 : index
      scf.if %few {
        // expected-error @below {{two iterations write the same element of the buffer: iterations (0) and (1) both touch [0]}}
        memref.store %v, %x[%c0] : memref<8xf32>
      }
    }
  }
  return
}

// -----

func.func @atomic_and_plain(%x: memref<16xi32>, %y: memref<16xi32>, %v: i32) {
  %c0 = arith.constant 0 : index
  tile.kernel (%b) in (1) {
    // expected-note @below {{iterations run in any order}}
    tile.parallel (%i) in (16) {
      // expected-error @below {{one iteration updates atomically what another one writes: iterations (1) and (0) both touch [0]}}
      tile.atomic add %v, %x[%c0] : i32, memref<16xi32>
      // expected-note @below {{the other access is here}}
      memref.store %v, %x[%i] : memref<16xi32>
    }
    // expected-note @below {{iterations run in any order}}
    tile.parallel (%i) in (16) {
      // expected-error @below {{one iteration updates atomically what another one reads}}
      %old = memref.atomic_rmw addi %v, %y[%c0] : (i32, memref<16xi32>) -> i32
      // expected-note @below {{the other access is here}}
      %r = memref.load %y[%i] : memref<16xi32>
    }
  }
  return
}

// -----

// Through views: the rows of a reshaped buffer, a subview, and other elements for the same bits.
func.func @views(%v: f32, %w: f16) {
  tile.kernel (%b) in (1) {
    %s = tile.alloc : memref<4x16xf32, #tile.shared>
    %flat = tile.reshape %s : memref<4x16xf32, #tile.shared> to memref<64xf32, #tile.shared>
    %half = tile.view %s : memref<4x16xf32, #tile.shared> to memref<128xf16, #tile.shared>
    %row = memref.subview %s[1, 0] [1, 16] [1, 1] : memref<4x16xf32, #tile.shared> to memref<16xf32, strided<[1], offset: 16>, #tile.shared>
    // expected-note @below {{iterations run in any order}}
    tile.parallel (%i) in (16) {
      %p = affine.apply affine_map<(i) -> (i + 1)>(%i)
      // expected-error @below {{two iterations write the same element of the buffer: iterations (1) and (2) both touch [1]}}
      memref.store %v, %flat[%i] : memref<64xf32, #tile.shared>
      // expected-note @below {{the other access is here}}
      memref.store %w, %half[%p] : memref<128xf16, #tile.shared>
    }
    // expected-note @below {{iterations run in any order}}
    tile.parallel (%i) in (16) {
      %q = affine.apply affine_map<(i) -> (15 - i)>(%i)
      // expected-error @below {{two iterations write the same element of the buffer: iterations (0) and (15) both touch [1, 0]}}
      memref.store %v, %row[%i] : memref<16xf32, strided<[1], offset: 16>, #tile.shared>
      %c1 = arith.constant 1 : index
      // expected-note @below {{the other access is here}}
      memref.store %v, %s[%c1, %q] : memref<4x16xf32, #tile.shared>
    }
  }
  return
}

// -----

func.func @vectors(%x: memref<256xf32>, %v: vector<4xf32>) {
  tile.kernel (%b) in (1) {
    // expected-note @below {{iterations run in any order}}
    tile.parallel (%i) in (64) {
      %p = affine.apply affine_map<(i) -> (i * 3)>(%i)
      // expected-error @below {{two iterations write the same element of the buffer: iterations (0) and (1) both touch [3]}}
      vector.store %v, %x[%p] : memref<256xf32>, vector<4xf32>
    }
  }
  return
}

// -----

// Block coordinates are the same for all iterations of a block.
func.func @some_block(%x: memref<64xf32>, %v: f32) {
  tile.kernel (%b) in (4) {
    // expected-note @below {{iterations run in any order}}
    tile.parallel (%i) in (16) {
      %q = affine.apply affine_map<(b, i) -> (b * 16 + i floordiv 16)>(%b, %i)
      // expected-error @below {{two iterations write the same element of the buffer: iterations (0) and (1) both touch [0]}}
      memref.store %v, %x[%q] : memref<64xf32>
    }
  }
  return
}

// -----

func.func @blocks(%x: memref<64x64xf32>, %y: memref<64x128xf32>) {
  // expected-note @below {{blocks run in any order; let the offsets depend on the block, let one block write, or combine the values with 'tile.atomic'}}
  tile.kernel (%bx, %by) in (2, 4) {
    %t = tile.alloc : memref<16x32xf32, #tile.fragment>
    // expected-error @below {{two blocks write the same element of the buffer: blocks (0, 0) and (1, 0) both touch [0, 0]}}
    tile.copy %t, %x[%by * 16, 0] : memref<16x32xf32, #tile.fragment>, memref<64x64xf32>
    tile.copy %t, %y[%by * 16, %bx * 32] : memref<16x32xf32, #tile.fragment>, memref<64x128xf32>
  }
  return
}

// -----

func.func @block_overlap(%x: memref<?xf32>, %v: f32) {
  %c0 = arith.constant 0 : index
  // expected-note @below {{blocks run in any order}}
  tile.kernel (%b) in (2) {
    // expected-error @below {{two blocks write the same element of the buffer: blocks (0) and (1) both touch [0]}}
    memref.store %v, %x[%c0] : memref<?xf32>
  }
  return
}
