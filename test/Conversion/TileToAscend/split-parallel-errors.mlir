// RUN: tile-opt-plain %s --split-input-file --verify-diagnostics --tile-to-ascend-pipeline

// An index that a branch in tile.parallel yields, which is the same for all iterations.

func.func @chosen_index(%x: memref<64xf32>, %y: memref<64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  tile.kernel (%b) in (1) {
    %first = arith.cmpi eq, %n, %c0 : index
    tile.parallel (%i) in (64) {
      // expected-error@+1 {{on Ascend, a value of type 'index' cannot pass a branch or a loop of 'tile.parallel'; use i32}}
      %at = scf.if %first -> index {
        %q = arith.addi %i, %c1 : index
        scf.yield %q : index
      } else {
        scf.yield %i : index
      }
      %m = arith.remui %at, %c3 : index
      %v = memref.load %x[%m] : memref<64xf32>
      memref.store %v, %y[%i] : memref<64xf32>
    }
  }
  return
}

// -----

func.func @carried_codes(%n: index, %y: memref<64xf32>, %c: i4) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.kernel (%b) in (1) {
    %t = tile.alloc : memref<64xf32, #tile.shared>
    tile.fill %t, 0.0 : memref<64xf32, #tile.shared>
    // expected-error@+1 {{on Ascend, a loop cannot carry a value of type 'i4'; carry a number of whole bytes}}
    %r = scf.for %k = %c0 to %n step %c1 iter_args(%p = %c) -> i4 {
      tile.parallel (%i) in (64) {
        %v = memref.load %t[%i] : memref<64xf32, #tile.shared>
        %w = arith.addf %v, %v : f32
        memref.store %w, %t[%i] : memref<64xf32, #tile.shared>
      }
      %q = arith.addi %p, %p : i4
      scf.yield %q : i4
    }
    %some = arith.cmpi ne, %r, %c : i4
    scf.if %some {
      tile.copy %t, %y : memref<64xf32, #tile.shared>, memref<64xf32>
    }
  }
  return
}

// -----

func.func @ticket(%count: memref<1xi32>, %y: memref<64xi32>) {
  %one = arith.constant 1 : i32
  tile.kernel (%b) in (1) {
    tile.parallel (%i) in (64) {
      // expected-error@+1 {{on Ascend, 'tile.atomic' returns no old value of global memory; let one block count, or count in a tile}}
      %old = tile.atomic add %one, %count[0] : i32, memref<1xi32> -> i32
      memref.store %old, %y[%i] : memref<64xi32>
    }
  }
  return
}

// -----

func.func @most(%x: memref<64xi64>, %y: memref<1xi64>) {
  tile.kernel (%b) in (1) {
    tile.parallel (%i) in (64) {
      %v = memref.load %x[%i] : memref<64xi64>
      // expected-error@+1 {{on Ascend, global memory has no 'tile.atomic max' of 'i64', but add, max and min of f32, f16 and i32 and add of bf16; update a tile, and let one block store it}}
      tile.atomic max %v, %y[0] : i64, memref<1xi64>
    }
  }
  return
}

// -----

func.func @narrow_bits(%x: memref<64xi8>, %y: memref<64xf8E5M2>) {
  tile.kernel (%b) in (1) {
    tile.parallel (%i) in (64) {
      %v = memref.load %x[%i] : memref<64xi8>
      // expected-error@+1 {{on Ascend, bits of 16 or 32 are reinterpreted, got 'i8' and 'f8E5M2'}}
      %w = arith.bitcast %v : i8 to f8E5M2
      memref.store %w, %y[%i] : memref<64xf8E5M2>
    }
  }
  return
}
